#include "sim/run/learning/buffer_pool.hpp"

#include <utility>

namespace ddl::run {

std::shared_ptr<std::vector<float>> BufferPool::take(const std::shared_ptr<BufferPool>& pool, std::size_t count) {
  std::unique_ptr<std::vector<float>> vector;
  {
    const std::scoped_lock lock(pool->mutex_);
    if (!pool->vectors_.empty()) {
      vector = std::move(pool->vectors_.back());
      pool->vectors_.pop_back();
    }
  }
  if (!vector) vector = std::make_unique<std::vector<float>>(count);
  return {vector.release(), [pool](std::vector<float>* freed) {
            std::unique_ptr<std::vector<float>> owned(freed);
            const std::scoped_lock lock(pool->mutex_);
            if (pool->vectors_.size() < pool->most_) pool->vectors_.push_back(std::move(owned));
          }};
}

}  // namespace ddl::run
