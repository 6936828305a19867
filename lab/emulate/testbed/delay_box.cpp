#include "lab/emulate/testbed/delay_box.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/check.hpp"
#include "lab/emulate/actor_threads.hpp"

namespace ddl::emulate {
namespace {

constexpr const char* tun_path = "/dev/net/tun";
constexpr std::size_t largest_packet = 2048, ip_header_bytes = 20, last_byte_of_target = 19;
constexpr double error_unit_s = 10e-6;
constexpr std::size_t error_units = 10'000;  // a tenth of a second; larger errors count there
// Between two looks at the devices: without, links that are full would wake the thread for each packet.
constexpr double pause_s = 100e-6;

Descriptor open_device(const NetworkNamespace& host) {
  const InNamespace visit(host);
  Descriptor device(open(tun_path, O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (device.number() < 0) {
    throw InputError(std::string("emulate: ") + tun_path + ": " + std::strerror(errno) +
                     "; expected Linux's TUN devices, over which latencies are emulated");
  }
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  if (ioctl(device.number(), TUNSETIFF, &request) != 0) {
    throw InputError(std::string("emulate: no TUN device: ") + std::strerror(errno));
  }
  return device;
}

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Above the run's own threads, which are real-time at most: they wait for packets, not the other way round.
void take_highest_precedence() {
  constexpr int above_actors = 60, strongest = -20;
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const sched_param real_time{above_actors};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &real_time) != 0) setpriority(PRIO_PROCESS, 0, strongest);
}

void sleep_for(double seconds) {
  const timespec pause{0, static_cast<long>(1e9 * seconds)};
  nanosleep(&pause, nullptr);
}

// The thread's wake-up latency: the median of some sleeps, limited so that a busy machine does not count.
double wake_latency_s() {
  constexpr int sleeps = 41;
  constexpr double length_s = 1e-3, most_s = 150e-6;
  std::vector<double> late_s;
  for (int i = 0; i < sleeps; ++i) {
    const auto begin = WallClock::now();
    sleep_for(length_s);
    late_s.push_back(std::chrono::duration<double>(WallClock::now() - begin).count() - length_s);
  }
  std::nth_element(late_s.begin(), late_s.begin() + sleeps / 2, late_s.end());
  return std::min(late_s[sleeps / 2], most_s);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

void check_packet_rate(const std::vector<double>& up_bytes_per_s, const std::vector<double>& down_bytes_per_s) {
  const auto sum = [](const std::vector<double>& rates) { return std::accumulate(rates.begin(), rates.end(), 0.0); };
  constexpr double frame = 1500 + ethernet_bytes, packets_per_frame = 1.5;
  const double rate = packets_per_frame * std::min(sum(up_bytes_per_s), sum(down_bytes_per_s)) / frame;
  if (rate <= most_packets_per_s) return;
  throw InputError("$.platform: full links would carry " + std::to_string(std::llround(rate)) +
                   " packets/s, more than the " + std::to_string(std::llround(most_packets_per_s)) +
                   " of emulated links with latencies; expected slower or fewer links");
}

DelayBox::DelayBox(const std::vector<NetworkNamespace>& hosts, DelayedStar star, std::vector<LineChange> changes)
    : star_(std::move(star)),
      changes_(std::move(changes)),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      buffer_(largest_packet),
      error_counts_(error_units + 1) {
  for (const NetworkNamespace& host : hosts) {
    devices_.push_back(open_device(host));
    polled_.push_back({devices_.back().number(), POLLIN, 0});
  }
  polled_.push_back({news_.number(), POLLIN, 0});
  thread_ = start_thread([this] { carry(); });
  is_ready_.wait();  // otherwise the first connection would measure too long a round trip
}

DelayBox::~DelayBox() { stop(); }

void DelayBox::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(news_.number(), &one, sizeof one);
}

void DelayBox::begin(WallClock::time_point start) {
  begins_s_ = std::chrono::duration<double>(start - origin_).count();
  wake();
}

void DelayBox::stop() {
  over_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
}

// --- the thread ---

void DelayBox::carry() {
  take_highest_precedence();
  wake_latency_s_ = wake_latency_s();
  is_ready_.count_down();
  while (!over_) {
    const double now = now_s();
    begin_if_due(now);
    // Packets written are often answered at once.
    if (put_out(now + wake_latency_s_)) look(0);
    for (std::size_t node = 0; node < devices_.size(); ++node) {
      if (polled_[node].revents != 0) take_from(node, now - wake_latency_s_);
    }
    sleep_for(pause_s);
    wait();
  }
  sum_up();
}

void DelayBox::begin_if_due(double now_s) {
  if (!has_begun_ && now_s >= begins_s_) {
    has_begun_ = true;
    begin_s_ = begins_s_;
    begin_cpu_s_ = thread_cpu_s();
    before_ = star_.counts();
    std::fill(error_counts_.begin(), error_counts_.end(), 0);
    error_sum_s_ = use_.error_max_s = 0;
  }
}

double DelayBox::next_change_s() const {
  double next = platform::TimeSeries::never;
  if (!has_begun_) return next;
  for (const LineChange& change : changes_) {
    next = std::min({next, platform::next_s(change.rate), platform::next_s(change.latency)});
  }
  return next;
}

void DelayBox::change_lines(double run_s) {
  for (LineChange& change : changes_) {
    platform::step_to(change.rate, run_s);
    platform::step_to(change.latency, run_s);
    DelayedStar::Host& host = star_.host(change.node);
    (change.up ? host.up : host.down)
        .set_factors(begin_s_ + run_s, platform::product(change.rate), platform::product(change.latency));
  }
}

bool DelayBox::put_out(double until_s) {
  bool any = false;
  while (true) {
    const double packet_s = star_.next_s(), change_run_s = next_change_s(), change_s = begin_s_ + change_run_s;
    if (std::min(packet_s, change_s) > until_s) return any;
    if (change_s <= packet_s) {
      change_lines(change_run_s);
    } else if (const std::optional<DelayedStar::Arrival> arrival = star_.step()) {
      const std::vector<std::uint8_t>& bytes = arrival->packet.bytes;
      const int device = devices_[static_cast<std::size_t>(arrival->packet.target)].number();
      note_error(std::abs(now_s() - arrival->due_s));
      // A device that takes nothing has just vanished, or has no memory: a lost packet, as for any router.
      [[maybe_unused]] const ssize_t written = write(device, bytes.data(), bytes.size());
      any = true;
    }
  }
}

void DelayBox::take_from(std::size_t node, double came_s) {
  while (true) {
    const ssize_t size = read(devices_[node].number(), buffer_.data(), buffer_.size());
    if (size < 0) return;
    constexpr int version_4 = 4, version_shift = 4;
    if (static_cast<std::size_t>(size) < ip_header_bytes || buffer_[0] >> version_shift != version_4) continue;
    const int target = buffer_[last_byte_of_target] - 1;
    if (target < 0 || target >= star_.size()) continue;
    star_.send(came_s, static_cast<int>(node), {{buffer_.begin(), buffer_.begin() + size}, target});
  }
}

void DelayBox::wait() {
  const double begin_s = has_begun_ ? DelayLine::never : begins_s_.load();
  const double next_s = std::min({star_.next_s(), begin_s_ + next_change_s(), begin_s});
  constexpr double longest_s = 3600;
  look(std::clamp(next_s - wake_latency_s_ - now_s(), 0.0, longest_s));
}

void DelayBox::look(double longest_s) {
  const double whole_s = std::floor(longest_s);
  const timespec limit{static_cast<time_t>(whole_s), static_cast<long>(1e9 * (longest_s - whole_s))};
  for (pollfd& each : polled_) each.revents = 0;
  if (ppoll(polled_.data(), polled_.size(), &limit, nullptr) > 0 && polled_.back().revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(news_.number(), &count, sizeof count);
  }
}

void DelayBox::note_error(double error_s) {
  error_sum_s_ += error_s;
  use_.error_max_s = std::max(use_.error_max_s, error_s);
  ++error_counts_[std::min(static_cast<std::size_t>(error_s / error_unit_s), error_units)];
}

void DelayBox::sum_up() {
  const DelayLine::Counts counts = star_.counts();
  use_.packets = counts.taken - before_.taken;
  use_.dropped = counts.dropped - before_.dropped;
  use_.lost = counts.lost - before_.lost;
  const std::int64_t all = std::accumulate(error_counts_.begin(), error_counts_.end(), std::int64_t{0});
  if (all > 0) use_.error_mean_s = error_sum_s_ / static_cast<double>(all);
  constexpr double share = 0.99;
  std::int64_t below = 0;
  for (std::size_t unit = 0; unit < error_counts_.size(); ++unit) {
    below += error_counts_[unit];
    if (static_cast<double>(below) < share * static_cast<double>(all)) continue;
    use_.error_p99_s = error_unit_s * static_cast<double>(unit + 1);
    break;
  }
  const double lasted_s = now_s() - begin_s_;
  if (has_begun_ && lasted_s > 0) use_.processor_share = (thread_cpu_s() - begin_cpu_s_) / lasted_s;
}

DelayBoxUse DelayBox::use() const {
  check(!thread_.joinable(), "the delay box has stopped");
  return use_;
}

}  // namespace ddl::emulate
