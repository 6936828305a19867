#include "core/membership/state_transfer.hpp"

#include <string_view>
#include <utility>

namespace ddl::membership {
namespace {

enum Port { to_service = 1000, to_asker };  // beyond those of any training system

struct Question {
  static constexpr std::string_view body_name = "first_model.question";
};
struct FirstModel {
  static constexpr std::string_view body_name = "first_model.model";
};
struct Refusal {
  static constexpr std::string_view body_name = "first_model.refusal";
};

class WithFirstModel : public Program {
 public:
  WithFirstModel(std::unique_ptr<Program> program, Node& node)
      : node_(node), program_(std::move(program)), transfer_(node, !node.membership().needs_model()) {}

  void run() override {
    transfer_.serve();
    if (!transfer_.has_model()) transfer_.fetch_model(node_.id() + 1);
    program_->run();
  }

  std::vector<Voter> ensemble() const override { return program_->ensemble(); }

 private:
  Node& node_;
  const std::unique_ptr<Program> program_;
  StateTransfer transfer_;
};

}  // namespace

StateTransfer::StateTransfer(Node& node, bool has_model) : node_(node), has_model_(has_model) {
  if (!has_model) call_.emplace(node, to_asker);
}

void StateTransfer::serve() {
  node_.spawn("first model", [this] { answer_forever(); });
}

// A worker without a model refuses, so that no two wait for each other.
void StateTransfer::answer_forever() {
  while (true) {
    const Message asked = node_.receive(to_service, service);
    Message answer{.port = to_asker, .body = Refusal{}};
    if (has_model_) {
      answer.body = FirstModel{};
      answer.values = node_.weights().replica();
      answer.wire_bytes = node_.cluster().replica_bytes;
    }
    node_.send(asked.source, std::move(answer));
  }
}

void StateTransfer::fetch_model(int first) {
  const int workers = node_.cluster().workers;
  for (int ahead = 0; ahead < workers && !has_model_; ++ahead) {
    const int other = (first + ahead) % workers;
    if (other == node_.id() || !node_.up(other)) continue;
    call_->ask(other, {.port = to_service, .body = Question{}});
    const auto answer = call_->answer("a first model");
    if (!answer || !answer->is<FirstModel>()) continue;
    node_.weights().adopt_replica(answer->values);
    has_model_ = true;
  }
  call_->end();
  has_model_ = true;  // the initial one, if no peer had another
}

std::unique_ptr<Program> with_first_model(std::unique_ptr<Program> program, Node& node) {
  if (!node.cluster().hosts_change || node.cluster().workers == 1) return program;
  return std::make_unique<WithFirstModel>(std::move(program), node);
}

}  // namespace ddl::membership
