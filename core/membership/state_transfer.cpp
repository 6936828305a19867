#include "core/membership/state_transfer.hpp"

#include <utility>

namespace ddl::membership {
namespace {

class WithFirstModel : public Program {
  enum Port { to_server = 1000, to_asker };  // beyond those of any training system

  struct Question {};
  struct FirstModel {};
  struct Refusal {};

 public:
  WithFirstModel(std::unique_ptr<Program> program, Node& node)
      : node_(node), program_(std::move(program)), has_model_(!node.membership().needs_model()) {
    if (!has_model_) node.membership().watch(to_asker);
  }

  void run() override {
    node_.spawn("first model", [this] { serve(); });
    if (!has_model_) ask();
    node_.membership().unwatch(to_asker);
    has_model_ = true;
    program_->run();
  }

 private:
  // Who has none either refuses, so that no two wait for each other.
  void serve() {
    while (true) {
      const Message asked = node_.receive(to_server, service);
      Message answer{.port = to_asker, .body = Refusal{}};
      if (has_model_) {
        answer.body = FirstModel{};
        answer.values = node_.weights().snapshot();
        answer.wire_bytes = node_.cluster().model_bytes;
      }
      node_.send(asked.source, std::move(answer));
    }
  }

  void ask() {
    const int workers = node_.cluster().workers;
    for (int ahead = 1; ahead < workers; ++ahead) {
      const int other = (node_.id() + ahead) % workers;
      if (!node_.up(other)) continue;
      const Message answer = ask(other);
      if (!answer.is<FirstModel>()) continue;
      node_.weights().adopt(answer.values);
      return;
    }
  }

  // The answer, or that there is none to come.
  Message ask(int other) {
    const std::int64_t asked_at = node_.membership().events();
    node_.send(other, {.port = to_server, .body = Question{}});
    while (true) {
      Message answer = node_.receive(to_asker, {"a first model", other});
      if (!answer.is<MembershipEvent>()) return answer;
      if (answer.source == other && answer.as<MembershipEvent>().number > asked_at) return answer;
    }
  }

  Node& node_;
  const std::unique_ptr<Program> program_;
  bool has_model_;
};

}  // namespace

std::unique_ptr<Program> with_first_model(std::unique_ptr<Program> program, Node& node) {
  if (!node.cluster().hosts_change || node.cluster().workers == 1) return program;
  return std::make_unique<WithFirstModel>(std::move(program), node);
}

}  // namespace ddl::membership
