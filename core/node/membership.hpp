// Hosts that come and go, as a node sees them.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace ddl {

// Whether a host takes part. up: it does. away: it has not joined yet, or has left, and is not waited
// for. down: it has crashed, and may come back.
enum class Presence { away, up, down };

// The body of a message that no node has sent: its source's presence has changed to this.
struct MembershipEvent {
  static constexpr std::string_view body_name = "membership.event";
  Presence presence = Presence::up;
  std::int64_t number = 0;  // of the event, from 1, the same at all nodes
};

// From `first` to the one before `end`; by default all.
struct NodeRange {
  int first = 0, end = std::numeric_limits<int>::max();
  bool contains(int node) const { return node >= first && node < end; }
};

// A capability of a Node. A host that crashes loses its actors, its inboxes and what travels from or to it. What runs
// on it later is a new Program, whose weights() are what they were, or initial ones (needs_model).
class Membership {
 public:
  virtual ~Membership() = default;
  virtual Presence presence(int node) const = 0;
  bool up(int node) const { return presence(node) == Presence::up; }
  virtual std::int64_t events() const = 0;  // of all hosts so far
  virtual int workers_up() const = 0;       // the workers present, with those that have finished
  // From now on every event of another host among these, and of no other, arrives at this port in the instant in which
  // it happens. At any event conditions of wait_until are evaluated again. What is sent to a host that is not up is
  // lost.
  virtual void watch(int port, NodeRange hosts = {}) = 0;
  // Ends that, where nothing reads the port any more.
  virtual void unwatch(int port) = 0;
  // True if this worker starts as at the beginning of a run: no other worker was up before this instant, and no worker
  // that starts in it has a model.
  virtual bool starts_afresh() const = 0;
  // True if this worker lacks a model that others may have, because it has come late or lost its state.
  virtual bool needs_model() const = 0;
};

// Hosts that neither come nor go.
class FixedMembership final : public Membership {
 public:
  explicit FixedMembership(int workers) : workers_(workers) {}
  Presence presence(int) const override { return Presence::up; }
  std::int64_t events() const override { return 0; }
  int workers_up() const override { return workers_; }
  void watch(int, NodeRange) override {}
  void unwatch(int) override {}
  bool starts_afresh() const override { return true; }
  bool needs_model() const override { return false; }

 private:
  const int workers_;
};

}  // namespace ddl
