// One TCP connection for each ordered pair of hosts, made before the run begins.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/emulate/testbed/testbed.hpp"

namespace ddl::emulate {

// A socket, closed with its owner; data still under way are then dropped at once.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  int descriptor() const { return descriptor_; }
  // Sends everything, waiting as long as necessary; `more` follows at once, so that a last short segment may wait for
  // it. False once the connection is gone.
  bool send_all(const void* data, std::size_t size, bool more) const;
  // The available bytes, at least one and at most `size`; 0 once the connection is gone.
  std::size_t receive(void* data, std::size_t size) const;
  // receive() waits for `bytes` bytes, though it may return fewer: otherwise every frame would wake the reader.
  void wait_for(std::size_t bytes) const;
  bool receive_all(void* data, std::size_t size) const;
  void shut() const;  // both ends' calls return

 private:
  int descriptor_;
};

struct Connection {
  int source = 0, target = 0;
  Socket writing, reading;  // at the source, at the target
};

// By source, then target. `congestion` names TCP's congestion control. Throws InputError if the kernel lacks it.
std::vector<Connection> connect_all(const Testbed& testbed, int nodes, const std::string& congestion);

}  // namespace ddl::emulate
