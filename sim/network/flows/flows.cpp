#include "sim/network/flows/flows.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace ddl::network::flows {
namespace {

constexpr double one_instant_s = 1e-9;

}  // namespace

Flows::Flows(const std::vector<double>& capacities)
    : sharing_(capacities, *this), lines_(capacities.size()), agenda_(capacities.size()) {}

int Flows::start(double now_s, const FlowShape& shape, double bytes) {
  now_s_ = now_s;
  int number = static_cast<int>(transfers_.size());
  if (free_.empty()) {
    transfers_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Transfer& t = transfer(number);
  t.order = started_++;
  t.shape = shape;
  t.bytes = bytes;
  t.flow = -1;
  t.running = false;
  t.stamp = ++stamps_;
  latencies_.push({now_s + shape.latency_s, number, t.stamp});
  return number;
}

double Flows::next_s() {
  if (!settled_) sharing_.settle();
  settled_ = true;
  for (const int link : stale_lines_) reschedule(link);
  stale_lines_.clear();
  while (!bounded_.empty() && !is_current(bounded_.top())) bounded_.pop();
  while (!latencies_.empty() && !is_current(latencies_.top())) latencies_.pop();
  double next = MaxMin::never;
  if (!latencies_.empty()) next = latencies_.top().at;
  if (!bounded_.empty()) next = std::min(next, bounded_.top().at);
  return std::max(std::min(next, agenda_.next_s()), now_s_);
}

std::vector<int> Flows::advance(double now_s) {
  check(settled_, "next_s() before advance()");
  now_s_ = now_s;
  std::vector<int> finished;
  while (agenda_.next_s() <= now_s + one_instant_s) {
    const auto link = static_cast<int>(agenda_.next());
    before_level(link);
    // The first is due, whatever rounding says.
    const double instant = one_instant_s * sharing_.link_level(link);
    collect(line(link).ends, std::max(line(link).integral + instant, line(link).ends.top().at), finished);
    reschedule(link);
  }
  collect(bounded_, now_s + one_instant_s, finished);
  std::vector<int> paid;
  for (; !latencies_.empty() && latencies_.top().at <= now_s + one_instant_s; latencies_.pop()) {
    if (is_current(latencies_.top())) paid.push_back(latencies_.top().transfer);
  }
  const auto by_order = [&](int a, int b) { return transfer(a).order < transfer(b).order; };
  std::ranges::sort(paid, by_order);
  // Transfers that end free their share before new ones take it.
  for (const int number : finished) {
    if (transfer(number).running) sharing_.remove(transfer(number).flow);
  }
  for (const int number : paid) {
    const Transfer& t = transfer(number);
    const bool held_back = !t.shape.uses.empty() || t.shape.bound < MaxMin::never;
    if (!held_back || !(t.bytes > 0)) {
      finished.push_back(number);
    } else {
      run(number);
    }
  }
  settled_ = false;
  std::ranges::sort(finished, by_order);
  for (const int number : finished) {
    transfer(number).running = false;
    transfer(number).stamp = 0;
    free_.push_back(number);
  }
  return finished;
}

double Flows::cancel(double now_s, int number) {
  now_s_ = now_s;
  Transfer& t = transfer(number);
  const double left = remaining_bytes(now_s, number);
  if (t.running) {
    sharing_.remove(t.flow);
    settled_ = false;
  }
  t.running = false;
  t.stamp = 0;
  free_.push_back(number);
  return left;
}

void Flows::run(int number) {
  Transfer& t = transfer(number);
  t.left = t.bytes / t.shape.efficiency * t.shape.penalty;
  t.running = true;
  // Its number in sharing_ is not known before it is added, and it may be bound while it is.
  t.flow = sharing_.next_number();
  if (static_cast<std::size_t>(t.flow) >= of_flow_.size()) of_flow_.resize(static_cast<std::size_t>(t.flow) + 1);
  of_flow_[static_cast<std::size_t>(t.flow)] = number;
  sharing_.add(t.shape.uses, t.shape.penalty, t.shape.bound);
}

void Flows::collect(Ends& ends, double up_to, std::vector<int>& finished) {
  while (!ends.empty() && (ends.top().at <= up_to || !is_current(ends.top()))) {
    if (is_current(ends.top())) {
      finished.push_back(ends.top().transfer);
      transfer(ends.top().transfer).stamp = 0;
    }
    ends.pop();
  }
}

bool Flows::is_current(const End& end) const { return transfer(end.transfer).stamp == end.stamp; }

double Flows::remaining_bytes(double now_s, int number) const {
  const Transfer& t = transfer(number);
  return t.running ? std::clamp(left(now_s, t) / t.shape.penalty * t.shape.efficiency, 0.0, t.bytes) : t.bytes;
}

void Flows::set_capacity(double now_s, int link, double capacity) {
  now_s_ = now_s;
  sharing_.set_capacity(link, capacity);
  settled_ = false;
}

// Level times seconds.
double Flows::left(double now_s, const Transfer& t) const {
  const int link = sharing_.binding(t.flow);
  if (link == MaxMin::unbound) return t.left;
  if (link == MaxMin::own_bound) return (t.end - now_s) * sharing_.level(t.flow);
  const Line& at = lines_[static_cast<std::size_t>(link)];
  const double level = sharing_.link_level(link);
  return t.end - at.integral - (level < MaxMin::never ? level * (now_s - at.since_s) : 0);
}

// --- while levels change ---

void Flows::before_level(int link) {
  Line& at = line(link);
  const double level = sharing_.link_level(link);
  if (level < MaxMin::never) at.integral += level * (now_s_ - at.since_s);
  at.since_s = now_s_;
}

void Flows::after_level(int link) { mark_stale(link); }

void Flows::before_binding(int flow) {
  Transfer& t = transfer(of_flow_[static_cast<std::size_t>(flow)]);
  t.left = left(now_s_, t);
}

void Flows::after_binding(int flow) {
  const int number = of_flow_[static_cast<std::size_t>(flow)];
  Transfer& t = transfer(number);
  t.stamp = ++stamps_;
  const int link = sharing_.binding(flow);
  if (link == MaxMin::own_bound) {
    t.end = now_s_ + t.left / sharing_.level(flow);
    bounded_.push({t.end, number, t.stamp});
    return;
  }
  before_level(link);
  drop_old_ends(line(link));
  t.end = line(link).integral + t.left;
  line(link).ends.push({t.end, number, t.stamp});
  mark_stale(link);
}

void Flows::mark_stale(int link) {
  if (!line(link).is_stale) stale_lines_.push_back(link);
  line(link).is_stale = true;
}

void Flows::drop_old_ends(Line& line) {
  while (!line.ends.empty() && !is_current(line.ends.top())) line.ends.pop();
  if (line.ends.empty()) line.integral = 0;  // a sum of ages would lose digits
}

void Flows::reschedule(int link) {
  Line& at = line(link);
  at.is_stale = false;
  drop_old_ends(at);
  const double level = sharing_.link_level(link);
  const bool moves = !at.ends.empty() && level < MaxMin::never;
  agenda_.set(static_cast<std::size_t>(link),
              moves ? at.since_s + (at.ends.top().at - at.integral) / level : MaxMin::never);
}

}  // namespace ddl::network::flows
