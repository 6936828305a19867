#include "sim/process/signals_held.hpp"

#include <initializer_list>

namespace ddl::process {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

SignalsHeld::SignalsHeld() {
  sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&held_, signal);  // a blocked signal waits even if it is ignored
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void SignalsHeld::release() const { pthread_sigmask(SIG_UNBLOCK, &held_, nullptr); }

}  // namespace ddl::process
