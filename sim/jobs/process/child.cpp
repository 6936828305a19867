#include "sim/jobs/process/child.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/jobs/process/child_process.hpp"
#include "sim/jobs/process/failures.hpp"
#include "sim/jobs/process/signals_held.hpp"

namespace ddl::process {
namespace {

// Blocks what SignalsHeld blocks and reads it from a descriptor, so that the parent can clean up while children work.
class AwaitedSignals {
 public:
  AwaitedSignals() : descriptor_(signalfd(-1, &held_.signals(), SFD_CLOEXEC)) {
    if (descriptor_ < 0) fail_with("no signal descriptor", errno);
  }
  ~AwaitedSignals() { close(descriptor_); }
  AwaitedSignals(const AwaitedSignals&) = delete;
  AwaitedSignals& operator=(const AwaitedSignals&) = delete;

  void release() const { held_.release(); }
  int descriptor() const { return descriptor_; }
  // Takes one signal, so that it is not delivered later.
  int take() const {
    signalfd_siginfo signal{};
    if (read(descriptor_, &signal, sizeof signal) != sizeof signal) throw InternalError("reading a signal failed");
    return static_cast<int>(signal.ssi_signo);
  }

 private:
  SignalsHeld held_;
  int descriptor_ = -1;
};

constexpr int milliseconds_between_looks = 100;

// Waits until there is something to read, or for a moment. First element: whether a signal has come; then, for each
// child, whether it has sent something.
std::vector<bool> wait_for(const AwaitedSignals& signals, const std::vector<int>& outputs) {
  std::vector<pollfd> waits = {{signals.descriptor(), POLLIN, 0}};
  for (const int output : outputs) waits.push_back({output, POLLIN, 0});
  while (poll(waits.data(), waits.size(), milliseconds_between_looks) < 0) {
    if (errno != EINTR) fail_with("waiting for a run", errno);
  }
  std::vector<bool> ready;
  for (const pollfd& wait : waits) ready.push_back(wait.revents != 0);
  return ready;
}

ChildAnswer answer_of(ChildProcess& child) {
  try {
    return ChildAnswer(child.answer());
  } catch (const Interrupted&) {
    throw;
  } catch (...) {
    return ChildAnswer(std::current_exception());
  }
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  const AwaitedSignals signals;
  ChildProcess child(work, [&] { signals.release(); });
  int passed_on = 0;
  while (true) {
    const std::vector<bool> ready = wait_for(signals, {child.output()});
    child.pass_on_errors();
    if (ready[0]) {
      passed_on = signals.take();
      child.pass_on(passed_on);  // it may have been sent to this process only
    }
    if (!ready[1] || child.listen()) continue;
    std::string answer = child.answer();
    if (passed_on != 0) std::raise(passed_on);  // the child had ended before; the signal is for this process, too
    return answer;
  }
}

void in_children(std::size_t jobs, int at_once, const std::function<std::function<std::string()>(std::size_t)>& start,
                 const std::function<void(std::size_t, const ChildAnswer&)>& done,
                 const std::function<bool()>& may_go_on) {
  check(at_once > 0, "at least one child at once");
  const AwaitedSignals signals;
  std::map<std::size_t, ChildProcess> running;
  for (std::size_t next = 0; next < jobs || !running.empty();) {
    if (may_go_on && !may_go_on()) return;  // what runs is ended with its ChildProcess
    while (next < jobs && running.size() < static_cast<std::size_t>(at_once)) {
      const std::size_t job = next++;
      if (const auto work = start(job)) running.try_emplace(job, work, [&] { signals.release(); });
    }
    if (running.empty()) continue;
    std::vector<int> outputs;
    for (const auto& [job, child] : running) outputs.push_back(child.output());
    const std::vector<bool> ready = wait_for(signals, outputs);
    for (auto& [job, child] : running) child.pass_on_errors();
    if (ready[0]) {
      signals.take();
      throw Interrupted("interrupted");
    }
    auto child = running.begin();
    for (std::size_t i = 1; i < ready.size(); ++i) {
      if (!ready[i] || child->second.listen()) {
        ++child;
      } else {
        done(child->first, answer_of(child->second));
        child = running.erase(child);
      }
    }
  }
}

}  // namespace ddl::process
