// A system that is right, or, with one of the faults below, must not compile (tests/CMakeLists.txt).
#include <memory>

#include "core/node/system.hpp"

namespace ddl {

struct LastParams : SystemOf<LastParams> {
  static constexpr SystemFacts facts{.name = "last", .what = "", .paper = ""};

#if defined(MISSPELT)
  std::optional<int> most_step_ahead() const override { return 3; }
#elif defined(WRONG_SIGNATURE)
  std::optional<int> most_steps_ahead(int) const override { return 3; }
#elif defined(NOT_CONST)
  std::optional<int> most_steps_ahead() override { return 3; }
#elif defined(NOT_MARKED)
  std::optional<int> most_steps_ahead() const { return 3; }
#else
  std::optional<int> most_steps_ahead() const override { return 3; }
#endif
#if !defined(NO_WORKER)
  void worker(Node& node) const override { node.next_step(); }
#endif
#if defined(SERVER_WITHOUT_SERVERS)
  void server(Node& node) const override { node.next_step(); }
#endif
  Traffic traffic(const Cluster&) const override { return {}; }
};

template <class Visitor>
void fields(Visitor&, LastParams&) {}

struct DerivedParams : LastParams {};
template <IsSystem Params>
std::unique_ptr<System> made() {
  return std::make_unique<Params>();
}

#if defined(SETTINGS_CUT_OFF)
std::unique_ptr<System> last() { return made<DerivedParams>(); }
#else
std::unique_ptr<System> last() { return made<LastParams>(); }
#endif

}  // namespace ddl
