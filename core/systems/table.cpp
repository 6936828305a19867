#include "core/systems/table.hpp"

#include <algorithm>
#include <array>

#include "core/codec/encoder.hpp"
#include "core/membership/state_transfer.hpp"

namespace ddl::systems {
namespace {

constexpr std::array rows{
    AlgorithmRow{SingleParams::tag, "plain minibatch SGD on one worker", "Robbins and Monro, 1951", false, 1},
    AlgorithmRow{PsAsyncParams::tag, "asynchronous parameter server, one or several shards",
                 "Dean et al., NIPS 2012; Li et al., OSDI 2014", true, 1},
    AlgorithmRow{PsSyncParams::tag, "synchronous parameter server: a round waits for all workers, or all but b",
                 "Chen et al., 2016", true, 1},
    AlgorithmRow{AkoParams::tag, "partial gradient exchange between all workers, any number of partitions",
                 "Watcharapichat et al., SoCC 2016; TF.AKO 2018", false, 1},
    AlgorithmRow{GossipParams::tag, "model averaging with one peer a step: pull, push or pairwise",
                 "Cui 2019; Boyd et al., 2006", false, 1},
    AlgorithmRow{DPsgdParams::tag, "synchronous averaging with all neighbours of a graph", "Lian et al., NIPS 2017",
                 false, 1},
    AlgorithmRow{AdPsgdParams::tag, "averaging in pairs beside gradients that wait for nobody",
                 "Lian et al., ICML 2018", false, 1},
    AlgorithmRow{SgpParams::tag, "push-sum averaging along directed graphs", "Assran et al., ICML 2019", false, 1},
    AlgorithmRow{ChocoParams::tag, "gossip of compressed differences to public copies of models",
                 "Koloskova et al., ICML 2019 and ICLR 2020", false, 1},
    AlgorithmRow{RingAllreduceParams::tag, "synchronous SGD; gradients are summed chunk by chunk round a ring",
                 "Patarasuk and Yuan, 2009", false, 1},
    AlgorithmRow{TreeAllreduceParams::tag, "synchronous SGD; gradients are summed up a binomial tree",
                 "Thakur et al., 2005", false, 1},
    AlgorithmRow{StarAllreduceParams::tag, "synchronous SGD; the first worker sums all gradients", "folklore", false,
                 1},
    AlgorithmRow{PartialAllreduceParams::tag, "all-reduce of one part of the gradient a step, the rest stays local",
                 "Mai et al., OSDI 2020 (KungFu)", false, 1},
    AlgorithmRow{LocalSgdParams::tag, "some steps alone, then the mean of all models", "Stich, ICLR 2019", false, 1},
    AlgorithmRow{FedavgParams::tag, "federated averaging: a server has some workers train alone in each round",
                 "McMahan et al., AISTATS 2017", true, 1},
    AlgorithmRow{PsSspParams::tag, "stale-synchronous parameter server: nobody is more than s steps ahead",
                 "Ho et al., NIPS 2013", true, 1},
    AlgorithmRow{parallel::VerticalParams::tag,
                 "one model whose channels are dealt over the workers: activations travel",
                 "Dean et al., NIPS 2012; Sultana, 2020 (IDDL)", false, 1, true},
    AlgorithmRow{parallel::EarlyExitParams::tag,
                 "stages of one model on device, edge and cloud, with exits between them",
                 "Teerapittayanon et al., ICPR 2016 and ICDCS 2017", false, 2, true},
    AlgorithmRow{ensemble::SammeParams::tag,
                 "an ensemble by boosting: each worker trains a member, the first counts votes",
                 "Zhu et al., 2009; IDDL 2020", false, 1, false, true},
};
static_assert(rows.size() == std::variant_size_v<AlgorithmParams>);

// Most settings suit every cluster.
template <class Params>
void add_setting_errors(const Params&, int, bool, std::vector<SettingError>&) {}

void add_setting_errors(const SingleParams&, int workers, bool, std::vector<SettingError>& list) {
  if (workers != 1)
    list.push_back({"name", "\"single\" trains on 1 worker, the platform has " + std::to_string(workers)});
}

void add_setting_errors(const PsSyncParams& params, int workers, bool, std::vector<SettingError>& list) {
  if (params.backup_workers >= workers) {
    list.push_back({"backup_workers", std::to_string(params.backup_workers) + " of " + std::to_string(workers) +
                                          " workers; expected fewer, for a round to have a gradient"});
  }
}

void check_serving(const parallel::ServingParams& params, std::vector<SettingError>& list) {
  const std::string error_text = parallel::error_in(params);
  if (!error_text.empty()) list.push_back({"serving", error_text});
}

void add_setting_errors(const parallel::VerticalParams& params, int, bool, std::vector<SettingError>& list) {
  check_serving(params.serving, list);
}

void add_setting_errors(const parallel::EarlyExitParams& params, int workers, bool, std::vector<SettingError>& list) {
  check_serving(params.serving, list);
  if (!params.cuts.empty() && static_cast<int>(params.cuts.size()) + 1 != workers) {
    list.push_back({"cuts", std::to_string(params.cuts.size()) + " cuts for " + std::to_string(workers) +
                                " workers; expected one less than workers"});
  }
  for (std::size_t i = 0; i < params.thresholds.size(); ++i) {
    const auto before = params.thresholds.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(params.thresholds.begin(), before, params.thresholds[i]) == before) continue;
    list.push_back({"thresholds", "name one twice; expected each once"});
    break;
  }
  if (params.thresholds.empty()) list.push_back({"thresholds", "is empty; expected at least one"});
}

void add_setting_errors(const FedavgParams& params, int workers, bool, std::vector<SettingError>& list) {
  const double sampled = params.sampled.value_or(1);
  if (sampled >= 1 && (sampled > workers || sampled != static_cast<double>(static_cast<int>(sampled)))) {
    list.push_back({"sampled", "is not a number of this platform's " + std::to_string(workers) +
                                   " workers; expected a share below 1 or a whole count"});
  }
}

void add_setting_errors(const AkoParams& params, int workers, bool stateless_optimizer,
                        std::vector<SettingError>& list) {
  const std::size_t counts = params.partitions.counts.size();
  if (!params.partitions.automatic && counts != 1 && counts != static_cast<std::size_t>(workers)) {
    list.push_back({"partitions", std::to_string(counts) + " counts for " + std::to_string(workers) +
                                      " workers; expected one count, one per worker, or \"auto\""});
  }
  if (params.apply == AkoApply::on_arrival && !stateless_optimizer) {
    list.push_back({"apply",
                    "\"on_arrival\" applies slices one by one, which needs plain sgd at a constant rate; "
                    "expected \"at_step\" or another optimizer"});
  }
  if (params.overflow == Overflow::merge && !std::holds_alternative<codec::NoCodecParams>(params.codec)) {
    list.push_back(
        {"overflow", "\"merge\" adds waiting sums, which encoded ones are not; expected \"block\" or no codec"});
  }
  if (params.publish == Publish::blocking && (params.overflow == Overflow::merge || params.queue_depth != 1)) {
    list.push_back({"publish", "\"blocking\" leaves nothing waiting; expected no \"queue_depth\" and no \"overflow\""});
  }
  if (params.clock == AkoClock::ping_pong && !params.staleness_bound) {
    list.push_back({"clock", "\"ping_pong\" keeps a bound; expected \"staleness_bound\", 0 for lock-step"});
  }
  if (params.partitions.automatic && !codec::has_fixed_size(params.codec)) {
    list.push_back(
        {"partitions",
         "\"auto\" needs to know how much is sent, which this codec leaves to the values; expected a count"});
  }
}

void add_setting_errors(const GossipParams& params, int, bool, std::vector<SettingError>& list) {
  if (params.mode == GossipMode::pair && params.timeout) {
    list.push_back(
        {"timeout", "a pair moves together, so its answer may not be given up; expected mode \"pull\" or \"push\""});
  }
  if (params.residual && params.threshold == Threshold::none) {
    list.push_back({"residual", "nothing is dropped without a threshold; expected one, or no residual"});
  }
}

template <class Params>
void check_on_failure(const Params& params, int servers, std::vector<SettingError>& list) {
  if constexpr (requires { params.failure_timeout; }) {
    if (std::is_same_v<Params, FedavgParams> && params.on_failure == OnFailure::time_out && servers > 1) {
      list.push_back({"on_failure",
                      "\"time_out\" at several servers, which would each give up others and no more draw the same "
                      "workers; expected one server, \"wait\" or \"go_on\""});
    }
    const bool wanted = params.on_failure == OnFailure::time_out;
    if (wanted && !params.failure_timeout) {
      list.push_back(
          {"failure_timeout", "is missing, and \"time_out\" has no default; expected a time such as \"5s\""});
    }
    if (!wanted && params.failure_timeout) {
      list.push_back({"failure_timeout", "is given, but on_failure \"" + std::string(name_of(params.on_failure)) +
                                             "\" needs none; expected on_failure \"time_out\", or no such key"});
    }
  } else if constexpr (requires { params.on_failure; }) {
    if (params.on_failure != OnFailure::time_out) return;
    list.push_back({"on_failure",
                    "\"time_out\" needs a server that decides for all: workers who each gave up others by themselves "
                    "would not agree on who is in the group; expected \"wait\" or \"go_on\""});
  }
}

void check_degree(graph::GraphKind kind, std::optional<int> degree, int workers, std::vector<SettingError>& list) {
  const std::string error_text = graph::degree_error(kind, degree, workers);
  if (!error_text.empty()) list.push_back({"degree", error_text});
}

void add_setting_errors(const DPsgdParams& params, int workers, bool, std::vector<SettingError>& list) {
  check_degree(params.topology, params.degree, workers, list);
  if (params.overlap && params.combine == Combine::after) {
    list.push_back({"overlap",
                    "true, but with combine \"after\" models are sent once the gradient is known; "
                    "expected false, or combine \"before\""});
  }
}

void add_setting_errors(const AdPsgdParams&, int, bool, std::vector<SettingError>&) {}

void add_setting_errors(const SgpParams& params, int workers, bool, std::vector<SettingError>& list) {
  check_degree(params.topology, params.degree, workers, list);
}

void add_setting_errors(const ChocoParams& params, int workers, bool, std::vector<SettingError>& list) {
  check_degree(params.topology, params.degree, workers, list);
  if (!graph::is_undirected(params.topology)) {
    list.push_back({"topology", "\"" + std::string(name_of(params.topology)) +
                                    "\" is directed or changes, and neighbours must know each other's copies; "
                                    "expected an undirected graph such as \"ring\""});
  }
  if (params.fraction && params.compressor == CompressionOperator::none) {
    list.push_back({"fraction", "is given, but compressor \"none\" sends all values; expected no such key"});
  }
}

}  // namespace

// Servers are pulled from, and an all-reduce's group hands over its model itself.
static bool takes_first_model(const AlgorithmParams& params) {
  return std::visit(
      [](const auto& chosen) {
        using Params = std::decay_t<decltype(chosen)>;
        return std::is_same_v<Params, AkoParams> || std::is_same_v<Params, GossipParams> ||
               std::is_same_v<Params, DPsgdParams> || std::is_same_v<Params, AdPsgdParams> ||
               std::is_same_v<Params, SgpParams> || std::is_same_v<Params, ChocoParams>;
      },
      params);
}

std::span<const AlgorithmRow> algorithm_table() { return rows; }

const AlgorithmRow& row_of(const AlgorithmParams& params) { return rows[params.index()]; }

std::optional<int> staleness_bound_of(const AlgorithmParams& params) {
  return std::visit(
      [](const auto& chosen) -> std::optional<int> {
        if constexpr (requires { chosen.failure_timeout; }) {
          if (chosen.on_failure == OnFailure::time_out) return std::nullopt;
        }
        if constexpr (requires { chosen.staleness_bound; }) return chosen.staleness_bound;
        return std::nullopt;
      },
      params);
}

std::unique_ptr<Program> make_program(const AlgorithmParams& params, Node& node) {
  auto program = std::visit([&](const auto& chosen) { return make_program(chosen, node); }, params);
  return takes_first_model(params) ? membership::with_first_model(std::move(program), node) : std::move(program);
}

Traffic traffic_of(const AlgorithmParams& params, const Cluster& cluster) {
  return std::visit([&](const auto& chosen) { return traffic_of(chosen, cluster); }, params);
}

std::vector<std::vector<std::uint32_t>> held_of(const AlgorithmParams& params, const Cluster& cluster) {
  return std::visit(
      [&](const auto& chosen) -> std::vector<std::vector<std::uint32_t>> {
        if constexpr (requires { held_of(chosen, cluster); }) return held_of(chosen, cluster);
        return {};
      },
      params);
}

int requests_of(const AlgorithmParams& params) {
  return std::visit(
      [](const auto& chosen) {
        if constexpr (requires { chosen.serving; }) return chosen.serving.requests;
        return 0;
      },
      params);
}

std::vector<SettingError> setting_errors(const AlgorithmParams& params, int workers, int servers,
                                         bool stateless_optimizer) {
  std::vector<SettingError> list;
  const AlgorithmRow& row = row_of(params);
  if (row.needs_servers && servers == 0) {
    list.push_back({"name", std::string("\"") + row.name +
                                "\" needs a server; expected platform.servers to name or count at least one"});
  }
  if (workers < row.least_workers) {
    list.push_back({"name", std::string("\"") + row.name + "\" needs " + std::to_string(row.least_workers) +
                                " workers, the platform has " + std::to_string(workers)});
  }
  std::visit(
      [&](const auto& chosen) {
        check_on_failure(chosen, servers, list);
        add_setting_errors(chosen, workers, stateless_optimizer, list);
      },
      params);
  return list;
}

}  // namespace ddl::systems
