#include "core/systems/table.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/check.hpp"
#include "core/membership/state_transfer.hpp"
#include "core/split/ensemble/samme.hpp"
#include "core/split/exits/early_exit.hpp"
#include "core/split/vertical.hpp"
#include "core/systems/ako/ako.hpp"
#include "core/systems/allreduce.hpp"
#include "core/systems/diloco/diloco.hpp"
#include "core/systems/local_sgd.hpp"
#include "core/systems/neighbours/ad_psgd.hpp"
#include "core/systems/neighbours/choco.hpp"
#include "core/systems/neighbours/d_psgd.hpp"
#include "core/systems/neighbours/gossip.hpp"
#include "core/systems/neighbours/sgp.hpp"
#include "core/systems/servers/fedavg.hpp"
#include "core/systems/servers/ps_async.hpp"
#include "core/systems/servers/ps_ssp.hpp"
#include "core/systems/servers/ps_sync.hpp"
#include "core/systems/single.hpp"

namespace ddl::systems {
Registry built_in() {
  Registry systems;
  systems.add<                      //
      SingleParams,                 //
      AloneParams,                  //
      PsAsyncParams,                //
      PsSyncParams,                 //
      AkoParams,                    //
      GossipParams,                 //
      DPsgdParams,                  //
      AdPsgdParams,                 //
      SgpParams,                    //
      ChocoParams,                  //
      RingAllreduceParams,          //
      TreeAllreduceParams,          //
      StarAllreduceParams,          //
      HierarchicalAllreduceParams,  //
      ButterflyAllreduceParams,     //
      PartialAllreduceParams,       //
      LocalSgdParams,               //
      DilocoParams,                 //
      FedavgParams,                 //
      PsSspParams,                  //
      split::VerticalParams,        //
      split::EarlyExitParams,       //
      split::SammeParams>();
  return systems;
}

std::unique_ptr<Program> make_program(const System& system, Node& node) {
  std::unique_ptr<Program> program = system.program(node);
  return system.facts().fetches_model ? membership::with_first_model(std::move(program), node) : std::move(program);
}

// Applies to every system, in the tree or out of it.
std::vector<SettingError> optimizer_errors(const System& system, const Surroundings& around) {
  const NeededSlices needed = system.needed_slices(around);
  if (around.slices >= needed.slices) return {};
  if (around.slices == Slices::none) {
    return {{"$.training.optimizer", "needs the whole gradient, as clip_norm and muon do, but " + needed.why +
                                         "; expected " + needed.instead + ", or neither"}};
  }
  return {{"$.training.optimizer", "remembers gradients, and makes whole steps, but " + needed.why + "; expected " +
                                       needed.instead + ", or sgd"}};
}

std::vector<SettingError> setting_errors(const System& system, const Surroundings& around) {
  const SystemFacts& facts = system.facts();
  const std::string name = "\"" + std::string(facts.name) + "\"";
  std::vector<SettingError> list;
  if (facts.needs_servers && around.servers == 0) {
    list.push_back(
        {"$.algorithm.name",
         name + " needs a server; expected platform.servers, a count or names of hosts, or servers of a site"});
  }
  if (around.workers < facts.least_workers) {
    list.push_back({"$.algorithm.name", name + " needs " + std::to_string(facts.least_workers) +
                                            " workers, the platform has " + std::to_string(around.workers)});
  }
  for (SettingError& error : system.errors(around)) list.push_back({"$.algorithm." + error.key, std::move(error.what)});
  std::ranges::move(optimizer_errors(system, around), std::back_inserter(list));
  return list;
}

SystemChoice::SystemChoice() : SystemChoice(SingleParams()) {}

SystemChoice::SystemChoice(Registry among) : among_(std::move(among)) {
  check(among_.size() > 0, "a system to choose");
  choose(0);
}

void SystemChoice::choose(std::size_t number) {
  check(number < among_.size(), "a system that there is");
  system_ = among_[number].clone();
}

FieldValue form_of(SystemChoice& choice) {
  ChoiceField field{.key = "name",
                    .tag_optional = false,
                    .tags = {},
                    .chosen = 0,
                    .blank = [&choice](std::size_t i) -> FieldValue {
                      const std::shared_ptr<System> system = choice.among()[i].clone();
                      return {ObjectField{[system](FieldVisitor& visit) { system->visit_fields(visit); }}};
                    },
                    .choose = [&choice](std::size_t i) { choice.choose(i); },
                    .visit = [&choice](FieldVisitor& visit) { choice.change().visit_fields(visit); }};
  for (const auto& system : choice.among()) {
    if (std::string_view(system->facts().name) == choice->facts().name) field.chosen = field.tags.size();
    field.tags.emplace_back(system->facts().name);
  }
  return {std::move(field)};
}

}  // namespace ddl::systems
