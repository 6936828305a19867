#include "sim/process/child.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/process/child_process.hpp"
#include "sim/process/failures.hpp"
#include "sim/process/signals_held.hpp"

namespace ddl::process {

// Blocks the signals of SignalsHeld and reads them from a descriptor, so that the parent can clean up while children
// work.
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

namespace {

// Waits up to `milliseconds` until `signals` or one of `others` (-1: none) can be read.
std::vector<bool> wait_for(const AwaitedSignals& signals, const std::vector<int>& others, int milliseconds) {
  std::vector<pollfd> waits = {{signals.descriptor(), POLLIN, 0}};
  for (const int other : others) waits.push_back({other, POLLIN, 0});
  while (poll(waits.data(), waits.size(), milliseconds) < 0) {
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
    const std::vector<bool> ready = wait_for(signals, {child.output()}, Children::between_looks);
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

struct Children::AtWork {
  AwaitedSignals signals;
  std::map<std::size_t, ChildProcess> running;
};

Children::Children() : at_work_(std::make_unique<AtWork>()) {}
Children::~Children() = default;

void Children::start(std::size_t job, const std::function<std::string()>& work) {
  at_work_->running.try_emplace(job, work, [&] { at_work_->signals.release(); });
}

void Children::end(std::size_t job) { at_work_->running.erase(job); }

std::size_t Children::size() const { return at_work_->running.size(); }

bool Children::wait(const std::function<void(std::size_t, const ChildAnswer&)>& done, int milliseconds, int input) {
  std::map<std::size_t, ChildProcess>& running = at_work_->running;
  std::vector<int> descriptors = {input};
  for (const auto& [job, child] : running) descriptors.push_back(child.output());
  const std::vector<bool> ready = wait_for(at_work_->signals, descriptors, milliseconds);
  for (auto& [job, child] : running) child.pass_on_errors();
  if (ready[0]) {
    at_work_->signals.take();
    throw Interrupted("interrupted");
  }
  auto child = running.begin();
  for (std::size_t i = 2; i < ready.size(); ++i) {
    if (!ready[i] || child->second.listen()) {
      ++child;
    } else {
      done(child->first, answer_of(child->second));
      child = running.erase(child);
    }
  }
  return ready[1];
}

void in_children(std::size_t jobs, int at_once, const std::function<std::function<std::string()>(std::size_t)>& start,
                 const std::function<void(std::size_t, const ChildAnswer&)>& done) {
  check(at_once > 0, "at least one child at once");
  Children children;
  for (std::size_t next = 0; next < jobs || children.size() > 0;) {
    while (next < jobs && children.size() < static_cast<std::size_t>(at_once)) {
      const std::size_t job = next++;
      if (const auto work = start(job)) children.start(job, work);
    }
    if (children.size() > 0) children.wait(done);
  }
}

}  // namespace ddl::process
