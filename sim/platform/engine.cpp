#include "sim/platform/engine.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <simgrid/forward.h>  // version.h needs it
#include <simgrid/version.h>
#include <sys/prctl.h>
#include <xbt/log.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <limits>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>
#include <xbt/config.hpp>

#include "sim/platform/simgrid_api.hpp"
#include "sim/process/child_process.hpp"

namespace ddl::platform {

namespace s4u = simgrid::s4u;

namespace {

// Kibibytes. Actors that send, receive, format text and throw needed 8; no large object may be put on them.
[[maybe_unused]] constexpr int actor_stack_kib = 128;

// Every guarded stack takes two of the 65,530 memory mappings that Linux gives a process (vm.max_map_count).
[[maybe_unused]] constexpr double most_guarded_actors = 15000;

std::optional<double> plain_number(const char* setting) {
#if SIMGRID_VERSION < 33300
  return simgrid::config::get_value<double>(setting);
#else
  const std::string text = simgrid::config::get_value<std::string>(setting);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
#endif
}

}  // namespace

std::unique_ptr<s4u::Engine> make_engine(const scenario::NetworkSpec& network) {
  // SimGrid logs each setting as it is made, and reads its arguments when the engine is made, so both come first.
  xbt_log_control_set("root.thres:critical");
  xbt_log_control_set((std::string("root.fmt:") + process::last_words_mark + "%m%n").c_str());
  xbt_log_control_set("ker_engine.app:file:/dev/null");
  std::vector<std::string> words = {"ddlsim"};
#ifdef DDLSIM_THREAD_CONTEXTS
  words.emplace_back("--cfg=contexts/factory:thread");  // the only setting that is too late once the engine exists
#endif
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  // SimGrid installs a handler of Ctrl-C that ends like a failure, and ones that print what a crash is called.
  struct sigaction interrupt {
  }, crash{};
  sigaction(SIGINT, nullptr, &interrupt);
  sigaction(SIGSEGV, nullptr, &crash);
  const std::terminate_handler terminate = std::get_terminate();
  auto engine = std::make_unique<s4u::Engine>(&count, arguments.data());
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGSEGV, &crash, nullptr);
  std::set_terminate(terminate);
#ifndef DDLSIM_THREAD_CONTEXTS
  s4u::Engine::set_config("contexts/stack-size", actor_stack_kib);
#endif
  s4u::Engine::set_config("network/model", std::string("CM02"));
  s4u::Engine::set_config("network/crosstraffic", false);
  s4u::Engine::set_config("network/optim", std::string("Full"));
  const double window_bytes = scenario::tcp_window_of(network).value;
  s4u::Engine::set_config("network/TCP-gamma", window_bytes > 0 ? window_bytes : simgrid_api::no_window_bytes);
  return engine;
}

// Without guard pages between them, the kernel may back adjacent stacks with huge pages, of which each stack uses only
// a small part; and SimGrid allocates stacks zeroed, which touches all of their memory unless it comes directly from
// the kernel.
void make_room_for_stacks(double actors) {
#ifndef DDLSIM_THREAD_CONTEXTS
  if (actors <= most_guarded_actors) return;
  s4u::Engine::set_config("contexts/guard-size", 0);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  mallopt(M_MMAP_THRESHOLD, actor_stack_kib * 1024);
  mallopt(M_MMAP_MAX, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 0);  // so that stacks are not taken from spare heap memory
#else
  (void)actors;
#endif
}

std::optional<NetworkNumbers> plain_numbers(const scenario::NetworkSpec& network) {
  const auto latency_factor = plain_number("network/latency-factor");
  const auto bandwidth_factor = plain_number("network/bandwidth-factor");
  if (!latency_factor || !bandwidth_factor) return std::nullopt;
  return NetworkNumbers{.latency_factor = *latency_factor,
                        .bandwidth_factor = *bandwidth_factor,
                        .weight_bytes = simgrid::config::get_value<double>("network/weight-S"),
                        .connections = network.connections,
                        .queue_s = network.queue.value,
                        .slow_start_after_idle = network.slow_start_after_idle};
}

bool has_default(const char* setting) { return simgrid::config::is_default(setting); }

namespace {

// Instead of a factor of SimGrid's, unless the platform file sets it.
void set_factor(const char* setting, double value, double& number) {
  if (!has_default(setting)) return;
  number = value;
  simgrid::config::set_as_string(setting, fmt::format("{:.17g}", value));
}

// Acknowledgements must not claim shares of full links here: a flow that counts as one, on whose way back another
// counts as four, would get a quarter of its links. Their bandwidth is subtracted beforehand instead: one of 66 bytes
// for two frames of 1514, which is more exact than SimGrid's 5 %; a measured rate has none to lose. The rest of a frame
// is headers. The weights of flows are those of SimGrid's model of TCP (LV08), calibrated by Velho and Legrand (2009).
void share_as_tcp(NetworkNumbers& numbers, bool measured) {
  constexpr double frame = 1514, segment = 1448, weight_bytes = 20537;
  const double acknowledgement = measured ? 0 : 66;
  numbers.most_flows = most_tcp_flows;
  set_factor("network/bandwidth-factor", segment / (frame + acknowledgement / 2), numbers.bandwidth_factor);
  set_factor("network/weight-S", weight_bytes, numbers.weight_bytes);
}

}  // namespace

void follow(const NetworkPlan& plan, bool measured, NetworkNumbers& numbers) {
  if (plan.model == scenario::NetworkModel::TCP) share_as_tcp(numbers, measured);
  numbers.follows_connections = plan.model != scenario::NetworkModel::CM02;
  if (numbers.follows_connections) numbers.latency_factor = 1;
}

}  // namespace ddl::platform
