// Laws that every training system keeps, judged by runs of one scenario. Our tests hold the built-in systems to these
// laws; `ddlsim laws` judges anybody's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "core/node/system.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::laws {

// A training system with its settings, in a scenario.
class Subject {
 public:
  // A scenario's text; relative paths start from the folder of `file`. Throws ScenarioErrors.
  Subject(Registry systems, std::string text, std::string file);

  const System& system() const { return *scenario_.algorithm; }
  const scenario::Scenario& scenario() const { return scenario_; }
  // The scenario with other settings, and without faults. Throws ScenarioErrors.
  scenario::Scenario with(std::vector<scenario::Override> changes) const;
  bool takes(const scenario::Override& change) const;

 private:
  Registry systems_;
  std::string text_, file_;
  scenario::Scenario scenario_;
};

// A scenario that suits most systems with their defaults: four workers and two servers on slow links, and a small
// network that learns.
std::string scenario_for(const System& system);

enum class Outcome { holds, fails, does_not_apply, refused };

struct Verdict {
  Outcome outcome = Outcome::holds;
  std::string why = "";  // unless it holds
};

struct Law {
  const char* name;
  const char* says;
  Verdict (*judge)(const Subject& subject);  // throws a run's exceptions
};

std::span<const Law> all();

// Refused: the system does not take the settings that the law asks for.
Verdict judge(const Law& law, const Subject& subject);

}  // namespace ddl::laws
