// Messages between nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/check.hpp"

namespace ddl {

// The coordinates [begin, end) of the flat parameter vector.
struct Slice {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const Slice&) const = default;
};

// Immutable once made: senders, receivers and the math threads share it without copying. Null when timing only.
using Payload = std::shared_ptr<const std::vector<float>>;

// A small struct of one training system, with a name that no other body has (tests/node/body_test.cpp):
//   struct Pull {
//     static constexpr std::string_view body_name = "shards.pull";
//   };
template <class T>
concept IsBody = requires {
  std::string_view(T::body_name);
};

// The typed part of a message beside its values. Any transport can carry it, as bytes.
class Body {
 public:
  static constexpr std::size_t most_bytes = 32;
  using Bytes = std::array<std::byte, most_bytes>;

  Body() = default;
  template <IsBody T>
  Body(const T& value) : type_(type_of<T>) {  // implicit, so that {.body = Pull{}} reads as it should
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= most_bytes, "transports carry a body as bytes");
    if constexpr (!std::is_empty_v<T>) {
      T copy = value;
#if __has_builtin(__builtin_clear_padding)
      __builtin_clear_padding(&copy);  // transports write every byte
#endif
      std::memcpy(bytes_.data(), &copy, sizeof copy);
    }
  }
  // Made by a transport from the bytes it has carried.
  Body(std::uint64_t type, const Bytes& bytes) : type_(type), bytes_(bytes) {}

  template <IsBody T>
  bool is() const {
    return type_ == type_of<T>;
  }
  // Throws InternalError if it has another type.
  template <IsBody T>
  T as() const {
    check(is<T>(), "a body of the type that is asked for");
    T value{};
    if constexpr (!std::is_empty_v<T>) std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

  // A hash (FNV-1a) of the name, the same in every program.
  static constexpr std::uint64_t type_named(std::string_view name) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
    return hash;
  }
  template <IsBody T>
  static constexpr std::uint64_t type_of = type_named(T::body_name);
  std::uint64_t type() const { return type_; }
  const Bytes& bytes() const { return bytes_; }

 private:
  std::uint64_t type_ = 0;  // none
  Bytes bytes_{};
};

// A message whose target may send it on while it arrives, where hosts neither come nor go. It is delivered when its
// first slice is there, and again when it is whole. A runtime that delivers it whole alone, and once, clears
// Message::relay.
struct Relay {
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::uint64_t first_bytes = 0;                   // wire bytes of its first slice
  std::shared_ptr<const Relay> follows = nullptr;  // the message whose slices it sends on as they come; null: none
  double sent_s = never, whole_s = never;          // the runtime's: when it joined a busy connection; when it is whole
};

struct Message {
  int port = 0;                  // the inbox at the target; each system numbers its own
  std::int64_t step = 0;         // a step or another count, as the system defines it
  Payload values = nullptr;      // null if it carries none, or when timing only
  std::uint64_t wire_bytes = 0;  // its size on the network, without the header that every message has
  Body body = {};                // its typed content
  int source = -1;               // filled in by send
  int target = -1;
  std::shared_ptr<Relay> relay = nullptr;  // null: it is delivered when it is whole

  template <class T>
  bool is() const {
    return body.is<T>();
  }
  template <class T>
  T as() const {
    return body.as<T>();
  }
};

// The `part`-th of `parts` contiguous ranges that cover [0, count), with sizes that differ by at most one.
inline Slice even_part(std::size_t count, int parts, int part) {
  const auto p = static_cast<std::size_t>(parts), k = static_cast<std::size_t>(part);
  return {count * k / p, count * (k + 1) / p};
}

}  // namespace ddl
