// Vectors that payloads have let go of, for the next gradients: fresh memory would have to be cleared by the kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace ddl::run {

class BufferPool {
 public:
  // Keeps at most so many.
  explicit BufferPool(std::size_t most) : most_(most) {}
  // `count` values, whatever they are; goes back when its last owner drops it. All from one pool have the same count.
  static std::shared_ptr<std::vector<float>> take(const std::shared_ptr<BufferPool>& pool, std::size_t count);

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::vector<float>>> vectors_;
};

}  // namespace ddl::run
