// Linux network namespaces without names: one lives as long as a process holds its descriptor. So the kernel removes
// it, and everything in it, with the last process of the program, however that ended.
#pragma once

#include <string>
#include <vector>

namespace ddl::emulate {

class NetworkNamespace {
 public:
  // A new, empty one. The calling thread stays where it is. Throws InputError if that is not allowed.
  static NetworkNamespace make();
  // The calling thread's own.
  static NetworkNamespace own();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&&) = delete;
  ~NetworkNamespace();

  // A file that other programs can open while this lives.
  std::string path() const;
  // The calling thread moves in: sockets it makes belong to this namespace.
  void enter() const;
  // Runs a program inside, with `input` on its standard input. Throws InputError: not installed, or its complaint.
  void run(const std::vector<std::string>& words, const std::string& input) const;

 private:
  explicit NetworkNamespace(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// The calling thread is in a namespace while this lives, and back in its own afterwards.
class InNamespace {
 public:
  explicit InNamespace(const NetworkNamespace& there) { there.enter(); }
  ~InNamespace() noexcept(false) { home_.enter(); }
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  NetworkNamespace home_ = NetworkNamespace::own();
};

}  // namespace ddl::emulate
