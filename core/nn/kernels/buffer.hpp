// Float memory kept from step to step.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace ddl::nn {

class Buffer {
 public:
  // Room for at least `count` floats, on a cache line's boundary. Growing loses the contents; it never shrinks. A
  // vector register's worth of floats beyond the end may be read and written as well, so that copies need no tail loop.
  float* room(std::size_t count) {
    if (count + kSlack > size_) {
      values_.reset();
      values_.reset(static_cast<float*>(::operator new((count + kSlack) * sizeof(float), kLine)));
      size_ = count + kSlack;
    }
    return values_.get();
  }
  float* data() { return values_.get(); }
  // A buffer within this one, for one part of a composite layer.
  Buffer& part(std::size_t index) {
    while (parts_.size() <= index) parts_.push_back(std::make_unique<Buffer>());
    return *parts_[index];
  }

  static constexpr std::size_t kSlack = 16;

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(float* values) const { ::operator delete(values, kLine); }
  };
  std::unique_ptr<float, Free> values_;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Buffer>> parts_;
};

}  // namespace ddl::nn
