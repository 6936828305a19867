#include "lab/emulate/testbed/connections.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::emulate {
namespace {

constexpr std::uint16_t port = 5000;  // in a namespace with no other programs

[[noreturn]] void fail(const char* what) {
  throw InputError(std::string("emulate: ") + what + ": " + std::strerror(errno));
}

Socket make_socket(const std::string& congestion) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("no socket");
  Socket made(descriptor);
  const int on = 1;
  const linger at_once{1, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, congestion.c_str(),
                 static_cast<socklen_t>(congestion.size())) != 0) {
    throw InputError("emulate: --congestion " + congestion + ": " + std::strerror(errno) +
                     "; expected one of /proc/sys/net/ipv4/tcp_available_congestion_control");
  }
  return made;
}

sockaddr_in address_of(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, text.c_str(), &address.sin_addr);
  return address;
}

const sockaddr* plain(const sockaddr_in& address) { return reinterpret_cast<const sockaddr*>(&address); }

Socket make_listener(const Testbed& testbed, int node, const std::string& congestion) {
  const InNamespace visit(testbed.host(node));
  Socket listener = make_socket(congestion);
  const sockaddr_in address = address_of(testbed.address(node));
  if (bind(listener.descriptor(), plain(address), sizeof address) != 0) fail("no address");
  if (listen(listener.descriptor(), most_emulated_hosts) != 0) fail("no listening");
  return listener;
}

Socket connect_to(const Testbed& testbed, int source, int target, const std::string& congestion) {
  const InNamespace visit(testbed.host(source));
  Socket made = make_socket(congestion);
  const sockaddr_in address = address_of(testbed.address(target));
  if (connect(made.descriptor(), plain(address), sizeof address) != 0) fail("no connection between two hosts");
  return made;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Socket::send_all(const void* data, std::size_t size, bool more) const {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = send(descriptor_, next, size, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    next += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::size_t Socket::receive(void* data, std::size_t size) const {
  while (true) {
    // recv() alone would take the available bytes, and then sleep until as many more have arrived.
    pollfd readable{descriptor_, POLLIN, 0};
    if (poll(&readable, 1, -1) < 0 && errno != EINTR) return 0;
    const ssize_t n = recv(descriptor_, data, size, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
}

void Socket::wait_for(std::size_t bytes) const {
  const int least = static_cast<int>(bytes);
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

bool Socket::receive_all(void* data, std::size_t size) const {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const std::size_t n = receive(next, size);
    if (n == 0) return false;
    next += n;
    size -= n;
  }
  return true;
}

void Socket::shut() const { shutdown(descriptor_, SHUT_RDWR); }

std::vector<Connection> connect_all(const Testbed& testbed, int nodes, const std::string& congestion) {
  std::vector<Socket> listeners;
  for (int node = 0; node < nodes; ++node) listeners.push_back(make_listener(testbed, node, congestion));
  std::vector<Connection> connections;
  for (int source = 0; source < nodes; ++source) {
    for (int target = 0; target < nodes; ++target) {
      if (source == target) continue;
      Socket writing = connect_to(testbed, source, target, congestion);
      const int accepted =
          accept4(listeners[static_cast<std::size_t>(target)].descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted < 0) fail("no connection accepted");
      connections.push_back({source, target, std::move(writing), Socket(accepted)});
    }
  }
  return connections;
}

}  // namespace ddl::emulate
