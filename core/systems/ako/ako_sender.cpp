#include "core/systems/ako/ako_sender.hpp"

#include "core/systems/ako/ako_accumulating.hpp"
#include "core/systems/ako/ako_queues.hpp"
#include "core/systems/ako/ako_unsent.hpp"

namespace ddl::systems {
namespace {

// A part for each peer in each step.
class StepwiseSender final : public AkoSender {
 public:
  StepwiseSender(Node& node, const AkoParams& params, const AkoPlan& plan)
      : node_(node),
        params_(params),
        plan_(plan),
        unsent_(node, plan, params.codec),
        queues_(node, params, plan.partitions(node.id()).size()) {}

  void send(const Payload& gradient, double) override {
    unsent_.add(gradient);
    queues_.wait_for_room();
    for (std::size_t peer_class = 0; peer_class < plan_.classes(node_.id()); ++peer_class) {
      Message message = unsent_.take(peer_class);
      message.port = message.as<PartOfSum>().part % params_.tf_ako.receive_threads;
      for (int peer = 0; peer < node_.cluster().workers; ++peer) {
        if (peer == node_.id() || plan_.class_of(node_.id(), peer) != peer_class) continue;
        queues_.send(peer, message);
        if (params_.tf_ako.publish == Publish::blocking) node_.queue(peer).flush();
      }
    }
  }

 private:
  Node& node_;
  const AkoParams& params_;
  const AkoPlan& plan_;
  UnsentSums unsent_;
  AkoQueues queues_;
};

}  // namespace

std::unique_ptr<AkoSender> make_sender(Node& node, const AkoParams& params, const AkoPlan& plan) {
  if (accumulates(params)) return std::make_unique<AccumulatingSender>(node, params, plan);
  return std::make_unique<StepwiseSender>(node, params, plan);
}

}  // namespace ddl::systems
