// Plain structs as bytes and back, for handing results from a child process to its parent (the same program, so neither
// versions nor byte order matter). A struct with texts, lists or optionals of these lists its members:
// template <class A> void members(A& a, T& t).
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/check.hpp"

namespace ddl::run {

template <class Archive, class T>
concept HasMembers = requires(Archive& archive, T& value) {
  members(archive, value);
};

class ArchiveWriter {
 public:
  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void put(T& value) {
    if constexpr (HasMembers<ArchiveWriter, T>) {
      members(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "its members are listed");
      raw(&value, sizeof value);
    }
  }
  void put(std::string& text) {
    count(text.size());
    raw(text.data(), text.size());
  }
  template <class T>
  void put(std::optional<T>& value) {
    bool present = value.has_value();
    put(present);
    if (present) put(*value);
  }
  template <class T>
  void put(std::vector<T>& values) {
    count(values.size());
    if constexpr (std::is_arithmetic_v<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) put(value);
    }
  }
  void count(std::size_t n) { raw(&n, sizeof n); }
  void raw(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (HasMembers<ArchiveReader, T>) {
      members(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "its members are listed");
      raw(&value, sizeof value);
    }
  }
  void get(std::string& text) {
    text.resize(count());
    raw(text.data(), text.size());
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    if (present) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(count());
    if constexpr (std::is_arithmetic_v<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) get(value);
    }
  }
  std::size_t count() {
    std::size_t n = 0;
    raw(&n, sizeof n);
    check(n <= bytes_.size(), "a whole archive");
    return n;
  }
  void raw(void* data, std::size_t size) {
    check(size <= bytes_.size() - position_, "a whole archive");
    if (size > 0) std::memcpy(data, bytes_.data() + position_, size);
    position_ += size;
  }

  const std::string& bytes_;
  std::size_t position_ = 0;
};

template <class T>
std::string to_bytes(T value) {
  ArchiveWriter writer;
  writer(value);
  return writer.take();
}

template <class T>
T from_bytes(const std::string& bytes) {
  ArchiveReader reader(bytes);
  T value{};
  reader(value);
  return value;
}

}  // namespace ddl::run
