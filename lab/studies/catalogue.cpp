#include <array>

#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/study.hpp"

namespace ddl::studies {
namespace {

constexpr std::array rows{
    StudyRow{"ako_2018", "TF.AKO: partial gradient exchange against parameter servers on four networks",
             [](const Scale& scale) { return read_study("ako_2018", scale); }},
    StudyRow{"cui_2019", "Cui: pulling models from peers against a parameter server",
             [](const Scale& scale) { return read_study("cui_2019", scale); }, DataUse::in_between},
    StudyRow{"zhang", "Zhang et al.: AllReduce, D-PSGD and AD-PSGD, with a slow learner",
             [](const Scale& scale) { return read_study("zhang", scale); }, DataUse::in_between},
    StudyRow{"iddl", "IDDL: block designs as sparse networks, their accuracy, what they save, ensembles",
             [](const Scale& scale) { return read_study("iddl", scale); }, DataUse::with_mnist},
    StudyRow{"validation", "this program: cycle times simulated and measured over real TCP", validation_study},
};

}  // namespace

std::span<const StudyRow> study_table() { return rows; }

}  // namespace ddl::studies
