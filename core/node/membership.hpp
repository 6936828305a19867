// Hosts that come and go, as a node sees them.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace ddl {

// A host's part in the run. up: it takes part. away: it has not joined yet, or has left; nobody waits for it. down: it
// has crashed, and may come back.
enum class Presence { away, up, down };

// The body of a message that the runtime sends: its source's presence has changed.
struct MembershipEvent {
  static constexpr std::string_view body_name = "membership.event";
  Presence presence = Presence::up;
  std::int64_t number = 0;  // the event's number, from 1, the same at all nodes
};

// Nodes first .. end-1; by default all.
struct NodeRange {
  int first = 0, end = std::numeric_limits<int>::max();
  bool contains(int node) const { return node >= first && node < end; }
};

// A capability of a Node. A host that crashes loses its actors, its inboxes and all messages on their way from or to
// it. It comes back with a new Program; its weights() are the old ones, or initial ones (needs_model).
class Membership {
 public:
  virtual ~Membership() = default;
  virtual Presence presence(int node) const = 0;
  bool up(int node) const { return presence(node) == Presence::up; }
  virtual std::int64_t events() const = 0;  // number of all hosts' events so far
  virtual int workers_up() const = 0;       // present, including those that have finished
  // From now on each event of another host in this range arrives at this port in the instant in which it happens. Any
  // event makes wait_until evaluate its conditions again. Messages to a host that is not up are lost.
  virtual void watch(int port, NodeRange hosts = {}) = 0;
  // Ends watch(), for a port without readers.
  virtual void unwatch(int port) = 0;
  // True if this worker starts as at the beginning of a run: no other worker was up before this instant, and none that
  // starts in it has a model.
  virtual bool starts_afresh() const = 0;
  // True if this worker lacks a model that others may have: it joined late or lost its state.
  virtual bool needs_model() const = 0;
  // True once this worker's host is to leave: it has no more steps, and goes when its program ends.
  virtual bool leaves() const = 0;
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
  bool leaves() const override { return false; }

 private:
  const int workers_;
};

}  // namespace ddl
