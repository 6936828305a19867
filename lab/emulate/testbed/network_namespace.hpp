// Linux network namespaces without names: one lives as long as a process holds its descriptor, so the kernel removes
// it, and all that is in it, with the last process of the program, whatever ended that.
#pragma once

#include <string>
#include <vector>

namespace ddl::emulate {

class NetworkNamespace {
 public:
  // A new one, empty. The calling thread stays where it is. Throws InputError where that is not allowed.
  static NetworkNamespace make();
  // That of the calling thread.
  static NetworkNamespace own();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&&) = delete;
  ~NetworkNamespace();

  // As a file that other programs can open while this lives.
  std::string path() const;
  // The calling thread moves in: sockets it makes belong to this namespace.
  void enter() const;
  // Runs a program inside, `input` on its standard input. Throws InputError: not installed, or what it complained of.
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
