// A scenario after reading: plain values, with every default filled in. Never changes after that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/math_mode.hpp"
#include "core/nn/model_spec.hpp"
#include "core/nn/optimizer_params.hpp"
#include "core/systems/table.hpp"
#include "sim/scenario/expectation.hpp"
#include "sim/scenario/faults.hpp"
#include "sim/scenario/metric.hpp"
#include "sim/scenario/model_choice.hpp"
#include "sim/scenario/profiles.hpp"
#include "sim/scenario/sites.hpp"

namespace ddl::scenario {

enum class Topology { star, mesh, ring, two_sites, regions, measured };
constexpr auto enum_names(Topology) {
  using enum Topology;
  return std::to_array<EnumName<Topology>>(
      {{star, "star", "one full-duplex link from each host to a switch"},
       {mesh, "mesh", "a link of its own for each ordered pair of hosts"},
       {ring, "ring", "one full-duplex link between neighbours"},
       {two_sites, "two_sites", "two stars, joined by one full-duplex link"},
       {regions, "regions",
        "stars, each two joined by a link from a matrix; for other networks use \"sites\" and \"links\""},
       {measured, "measured",
        "stars, each two joined as a matrix of measured connections says: rates, round trips, numbers of streams"}});
}

// CM02, the textbook's: a message takes latency + bytes / bandwidth, and messages share links by max-min fairness. TCP:
// the window of its connection decides a message's latency (sim/network/tcp), and a message counts as one to four
// flows, drawn for each, where links are full: competing TCP connections do not get equal shares, since drop-tail
// queues favour some of them for a while (Floyd and Jacobson, "On traffic phase effects in packet-switched gateways",
// 1992); a connection that counts as several is MulTCP's model of that (Crowcroft and Oechslin, 1998). Equal shares of
// equal work lock workers in step, so that full-duplex links are never used both ways; unequal ones do not. packets:
// TCP's connections, packet by packet (sim/network/packets). auto: plan_network() in sim/platform decides.
enum class NetworkModel { automatic, TCP, packets, CM02 };
constexpr auto enum_names(NetworkModel) { return in_order<NetworkModel>("auto", "TCP", "packets", "CM02"); }

// Solver for the shares of links in TCP and CM02: SimGrid, or an accelerator of the same models for large networks.
enum class LinkSolver { simgrid, accelerator };

// How messages become simulated time.
struct NetworkSpec {
  NetworkModel model = NetworkModel::automatic;
  std::optional<Bytes> tcp_window;    // a message carries at most this much per round trip; 0: no limit
  Seconds queue{0.05};                // in TCP and packets: so long a packet waits for a link at most; more are lost
  bool slow_start_after_idle = true;  // in TCP and packets
  int connections = 1;                // a message is cut over so many between two nodes
  int draw = 1;                       // selects one of the network's random draws
  // No key: tests hold one to the other, whose results differ in their last digits only. None: the plan's choice.
  std::optional<LinkSolver> solver = std::nullopt;
};

// The window as set, or the model's own: the textbook has none.
constexpr Bytes tcp_window_of(const NetworkSpec& network) {
  constexpr Bytes of_tcp{2.6e6}, no_limit{0};
  return network.tcp_window.value_or(network.model == NetworkModel::CM02 ? no_limit : of_tcp);
}

// Hosts from a SimGrid platform file, by name.
struct FilePlatform {
  std::string file;                  // as written: relative to the scenario
  std::vector<std::string> workers;  // empty: all hosts but the servers, in natural order of their names
  int first_workers = 0;             // with empty `workers`: use only the first so many of these; 0: all
  std::vector<std::string> servers;
  std::shared_ptr<const std::string> text;  // the file's when the scenario was read; null: it was not read
};

// Hosts as a scenario chooses them: a list of names or a count, one value to visitors. The `workers` of a platform file
// are chosen so, and the `servers` of a generated platform, which may have none.
struct HostChoice {
  std::vector<std::string>& names;
  int& count;
  bool may_be_none = false;
};
inline FieldValue form_of(HostChoice& hosts) {
  const auto count = [&hosts] { return field_value(hosts.count); };
  const auto names = [&hosts] { return field_value(hosts.names); };
  const auto present = [&hosts, count, names] {
    return hosts.names.empty() && (hosts.count > 0 || hosts.may_be_none) ? count() : names();
  };
  return {EitherField{.forms = {{&blank_field<int>, count}, {&blank_field<std::vector<std::string>>, names}},
                      .value = present,
                      .is_not = "is neither",
                      .expected = "expected a list of host names, or how many"}};
}

constexpr int most_mesh_hosts = 512;  // a link per ordered pair: a quarter of a million

// A generated network. Workers are w0, w1, ..., servers ps0, ps1, ...; lists are assigned round robin to workers, then
// servers. star: one full-duplex link per host to a switch. mesh: one link per ordered pair (lists are assigned to the
// pairs). ring: one full-duplex link between neighbours, shortest way round. two_sites: two stars, the first half of
// the workers and all servers in the first, joined by one full-duplex link. Servers may be on workers' hosts instead.
struct GeneratedPlatform {
  Topology topology = Topology::star;
  int workers = 4;
  int servers = 0;
  std::vector<BytesPerSecond> bandwidth;         // required
  std::vector<BytesPerSecond> server_bandwidth;  // servers' own; empty: `bandwidth` goes on over them
  Seconds latency{0.0001};                       // one way between two hosts (of a site; of neighbours in a ring)
  std::vector<FlopsPerSecond> speed = {{50e9}};
  std::optional<BytesPerSecond> site_bandwidth;  // two_sites: of the link between them; default: the least bandwidth
  std::optional<Seconds> site_latency;           // two_sites: of the link between them; default: 20 ms
  std::vector<std::string> servers_on;           // workers, each with a server on its host; none: `servers` hosts
};

// Worker hosts of each site of a matrix: one number, or a list by site.
struct WorkersPerSite {
  std::variant<int, std::vector<int>> is = 1;

  int of(std::size_t site) const;  // 0 beyond the list, which a check reports
};
inline FieldValue form_of(WorkersPerSite& workers) {
  return either(workers.is, "is no count", "expected a count, or a list of one for each site");
}

// Sites that are joined each with each, as a matrix has them.
struct MatrixPlatform {
  std::string matrix;              // CSV file of rows, relative to the scenario; empty once they have been read
  std::vector<std::string> sites;  // empty: all that the rows name
  WorkersPerSite workers_per_site;
  int servers = 0;  // all in the first site
  std::vector<FlopsPerSecond> speed = {{50e9}};
};
struct RegionsPlatform : MatrixPlatform {
  Topology topology = Topology::regions;
  std::vector<SiteLink> links;  // per pair of sites, and of each with itself; latencies are from host to host
};
struct MeasuredPlatform : MatrixPlatform {
  Topology topology = Topology::measured;
  std::vector<Measurement> connections;
};

struct PlatformSpec {
  std::variant<GeneratedPlatform, FilePlatform, SitesPlatform, RegionsPlatform, MeasuredPlatform> hosts;
  NetworkSpec network;
  std::vector<Profile> profiles;
  double bandwidth_factor = 1, latency_factor = 1;  // on those of every link; not on the values of profiles
  std::vector<std::string> exclude;                 // hosts and sites
};

enum class InitialWeights { shared, independent };
constexpr auto enum_names(InitialWeights) { return in_order<InitialWeights>("shared", "independent"); }
// File in the safetensors format, from which all replicas start.
struct WeightsFile {
  std::string file;
};
// Where replicas start.
struct Start {
  Start(InitialWeights weights = InitialWeights::shared) : is(weights) {}
  std::variant<InitialWeights, WeightsFile> is;

  bool operator==(InitialWeights weights) const {
    const auto* word = std::get_if<InitialWeights>(&is);
    return word != nullptr && *word == weights;
  }
  const WeightsFile* from_file() const { return std::get_if<WeightsFile>(&is); }
};
inline FieldValue form_of(Start& start) {
  return either(start.is, "is no start", "expected \"shared\", \"independent\" or {\"file\": ...}");
}
struct TrainingSpec {
  int batch_size = 32;
  nn::OptimizerParams optimizer;
  GradientScale gradient_scale = GradientScale::mean;
  Start init;
};

struct ComputeSpec {
  // Neither: 3 x 2 x the model's multiply-adds x batch over the host's speed.
  std::optional<Seconds> seconds_per_batch, seconds_per_sample;
  Seconds overhead;                        // added to every gradient's time, without jitter and slowdown
  double jitter = 0.1;                     // sigma of a log-normal factor of mean one; 0 for closed forms
  std::map<std::string, double> slowdown;  // by host name
  std::optional<int> layers;               // equal ones into which the model "none" divides

  // As the scenario says it, without overhead, jitter and slowdown.
  std::optional<double> gradient_seconds(int batch_size) const {
    if (seconds_per_sample) return seconds_per_sample->value * batch_size;
    return seconds_per_batch ? std::optional(seconds_per_batch->value) : std::nullopt;
  }
};

struct WireSpec {
  std::optional<Bytes> model_bytes;  // a whole model on the wire; none: 4 bytes per real parameter
  Bytes header_bytes{0};             // added to every message
};

// The first condition that holds ends the run. time, accuracy and loss end it at once; the others let every worker
// finish its steps and the network drain.
struct StopSpec {
  std::optional<Seconds> time;
  std::optional<std::int64_t> iterations;  // steps of each worker
  std::optional<double> epochs;            // in passes over the training set, over all workers together
  std::optional<std::int64_t> samples;     // over all workers together
  std::optional<double> accuracy;          // mean over workers, as evaluated: at least this
  std::optional<double> loss;              // likewise, of the test set, in nats: at most this
};

struct EvaluateSpec {
  std::optional<Seconds> every;                  // simulated time; also at the start and the end
  std::optional<std::int64_t> every_iterations;  // steps of each worker, or of the average one
  std::optional<std::int64_t> samples;           // from the test set; none: all of it
  std::optional<MetricName> metric;              // judges models; none: the model learns nothing
  std::vector<double> target_accuracy;           // values of this metric: reported as time and bytes to each
  std::vector<double> target_loss;               // likewise

  const Metric& judged_by() const { return metric_of(metric.value_or(MetricName::accuracy)); }
  const std::vector<double>& targets() const { return metric == MetricName::loss ? target_loss : target_accuracy; }
};

struct RecordSpec {
  bool iterations = true;        // iterations.csv
  bool weights = false;          // weights-<worker>.safetensors
  bool trace = false;            // trace.json and links.csv
  bool initial_weights = false;  // initial-weights.safetensors, or one per worker
  bool batches = false;          // shards.csv, batches.csv, samples.safetensors
  bool draws = false;            // draws.csv
};

struct Scenario {
  std::string name;  // default: the file's stem
  std::string description;
  std::uint64_t seed = 1;
  std::vector<std::string> load;  // libraries of training systems
  PlatformSpec platform;
  data::DataSpec data;
  nn::ModelSpec model;
  std::optional<ProgramSpec> program;  // computes the model; none: `model` says all of it
  TrainingSpec training;
  ComputeSpec compute;
  WireSpec wire;
  systems::SystemChoice algorithm;
  StopSpec stop;
  EvaluateSpec evaluate;
  std::vector<Fault> faults;
  RecordSpec record;
  nn::MathSpec math;
  std::vector<Expectation> expect;
  std::string file;                // where it was read from: starts relative paths and errors; not part of its text
  std::vector<std::string> notes;  // passed-over parts of its text, and why, a line each; not part of it either
  std::optional<data::DataShape> own_data = {};  // for files of the user's own, as they were when it was read; likewise
};

// Bandwidth of the link between two sites, as given or by default.
BytesPerSecond site_bandwidth_of(const GeneratedPlatform& hosts);
Seconds site_latency_of(const GeneratedPlatform& hosts);

// Sites as the rows say, with links from router to router.
SitesPlatform sites_of(const RegionsPlatform& regions);
// Sites joined by their routes. A route on which several streams were not measured bounds nothing: it has the rates of
// all hosts of a site.
SitesPlatform sites_of(const MeasuredPlatform& measured);
// Sites that a platform lists or has from a matrix; none: it is of another kind.
std::optional<SitesPlatform> sites_of(const PlatformSpec& platform);

// The seed of what the network leaves to chance: of its first draw the scenario's own.
std::uint64_t network_seed(const Scenario& scenario);

// `path` resolved relative to the scenario's folder.
std::string resolve_path(const Scenario& scenario, const std::string& path);
// Where the program that computes its model is started.
std::string program_folder(const Scenario& scenario);
// The scenario's data, their paths resolved.
data::DataSpec resolved_data(const Scenario& scenario);
data::DataShape data_shape_of(const Scenario& scenario);
// The paths of files that a result is made of by their content: those that are given.
std::vector<std::string*> content_paths(Scenario& scenario);

template <class Visitor>
void fields(Visitor& visit, WeightsFile& spec) {
  visit(
      "file", spec.file,
      Rule{.doc = "safetensors with the model's tensors (float32), relative to the scenario: all replicas start there; "
                  "names and shapes are those of record.initial_weights",
           .is_setting = false});
}

template <class Visitor>
void fields(Visitor& visit, GeneratedPlatform& spec) {
  visit("topology", spec.topology,
        Rule{.doc = "shape of the generated network; two_sites: the first half of the workers and all servers are in "
                    "the first site"});
  visit("workers", spec.workers, Rule{.doc = "worker hosts w0, w1, ...", .at_least = 1, .at_most = 100000});
  HostChoice servers{spec.servers_on, spec.servers, true};
  visit("servers", servers,
        Rule{.doc = "server hosts ps0, ps1, ...; or names of workers, each of which has a server on its host",
             .at_least = 0,
             .at_most = 100000});
  visit("bandwidth", spec.bandwidth,
        Rule{.doc = "of each host's link; a list is assigned to hosts in turn", .above = 0});
  visit("server_bandwidth", spec.server_bandwidth, Rule{.doc = "of the servers' links, if it differs", .above = 0});
  visit("latency", spec.latency, Rule{.doc = "one way between two hosts", .at_least = 0});
  visit("speed", spec.speed,
        Rule{.doc = "of each host; a list is assigned to hosts in turn; beside compute.seconds_per_batch it is what "
                    "speed profiles are compared with, and nothing else",
             .above = 0});
  visit("site_bandwidth", spec.site_bandwidth, Rule{.doc = "two_sites: of the link between them", .above = 0});
  visit("site_latency", spec.site_latency, Rule{.doc = "two_sites: of the link between them", .at_least = 0});
}
template <class Visitor>
void fields(Visitor& visit, FilePlatform& spec) {
  visit("file", spec.file, Rule{.doc = "SimGrid platform file, relative to the scenario", .is_setting = false});
  HostChoice workers{spec.workers, spec.first_workers};
  visit("workers", workers,
        Rule{.doc = "names of the worker hosts, or how many: the first that are no servers",
             .at_least = 1,
             .at_most = 100000});
  visit("servers", spec.servers, Rule{.doc = "names of the server hosts, which may be workers', too"});
}
// Settings of a matrix beside its rows.
template <class Visitor>
void matrix_fields(Visitor& visit, MatrixPlatform& spec) {
  visit("sites", spec.sites, Rule{.doc = "names of those that are used, in order; default: all of the matrix"});
  visit("workers_per_site", spec.workers_per_site,
        Rule{.doc = "worker hosts of each site: w0, w1, ...; one number, or one for each site",
             .at_least = 1,
             .at_most = most_hosts_of_sites});
  visit("servers", spec.servers,
        Rule{.doc = "server hosts ps0, ps1, ..., in the first site", .at_least = 0, .at_most = most_hosts_of_sites});
  visit("speed", spec.speed, Rule{.doc = "of each host, as in platforms of other topologies", .above = 0});
}
template <class Visitor>
void fields(Visitor& visit, RegionsPlatform& spec) {
  visit("topology", spec.topology, Rule{.doc = "regions: sites of a matrix, a link of its own between any two"});
  visit("matrix", spec.matrix,
        Rule{.doc = "CSV file of links instead, with the header from,to,up,down,latency and units in the cells; its "
                    "path is relative to the scenario",
             .is_setting = false});
  visit("links", spec.links,
        Rule{.doc = "of each pair of sites, and of each site with itself: latencies from host to host, and the rates "
                    "between two sites, or of a host's link"});
  matrix_fields(visit, spec);
}
template <class Visitor>
void fields(Visitor& visit, MeasuredPlatform& spec) {
  visit("topology", spec.topology, Rule{.doc = "measured: sites, and what connections between any two of them got"});
  visit("matrix", spec.matrix,
        Rule{.doc = "CSV file of connections instead, with the header from,to,rate_mbps,rtt_ms,streams; its path is "
                    "relative to the scenario",
             .is_setting = false});
  visit("connections", spec.connections,
        Rule{.doc = "from each site to each other and to itself, which measures its hosts' links; one direction holds "
                    "for both, if the other is not given"});
  matrix_fields(visit, spec);
}
// Settings common to every kind of platform.
template <class Visitor>
void common_fields(Visitor& visit, PlatformSpec& spec) {
  visit("bandwidth_factor", spec.bandwidth_factor,
        Rule{.doc = "on the bandwidth of every link; profiles give their own", .above = 0, .at_most = 1e6});
  visit("latency_factor", spec.latency_factor,
        Rule{.doc = "on the latency of every link; profiles give their own", .at_least = 0, .at_most = 1e6});
  visit("network", spec.network, Rule{.doc = "how simulated links are shared"});
  visit("profiles", spec.profiles, Rule{.doc = "bandwidths, latencies and speeds over simulated time"});
  visit("exclude", spec.exclude,
        Rule{.doc = "names of hosts and sites that take no part: samples are dealt as if they did, and theirs are left "
                    "out; the test set stays, and what slowdown and faults say of them has no effect"});
}
template <class Visitor>
void fields(Visitor& visit, NetworkSpec& spec) {
  visit("model", spec.model,
        Rule{.doc = "packets: TCP packet by packet, nearest to what is measured, and slow; TCP: latencies that follow "
                    "TCP's windows and queues, links shared as unevenly as TCP shares them; CM02: the textbook's, "
                    "latency + bytes / bandwidth, links shared fairly; auto: packets where a link has 100 Mbit/s or "
                    "less, or a route of at most 1 Gbit/s takes 2 ms or more, between at most 100 nodes; otherwise "
                    "TCP, or CM02 where a platform file sets factors of its own"});
  visit("tcp_window", spec.tcp_window,
        Rule{.doc = "most bytes of a message that are under way (TCP, packets: whole segments of 1448B, two at least); "
                    "0B: no limit; between sites of measured connections the window is theirs; default: "
                    "2.6MB, as an untuned Linux has, 0B in CM02",
             .at_least = 0});
  visit("connections", spec.connections,
        Rule{.doc = "a message is cut into so many equal parts, each over a connection of its own with a window of its "
                    "own, and arrives when all parts have; it counts as one",
             .at_least = 1,
             .at_most = 100});
  visit("queue", spec.queue,
        Rule{.doc = "in TCP and packets: how long packets wait for a link at most, at its bandwidth", .above = 0});
  visit("slow_start_after_idle", spec.slow_start_after_idle,
        Rule{.doc = "in TCP and packets: a window that is not used shrinks"});
  visit("draw", spec.draw,
        Rule{.doc = "number of the draw of what the network leaves to chance: unequal shares of links, the "
                    "order in which a host sends, jitter of packets, losses; with one seed, another number changes "
                    "these alone",
             .at_least = 1,
             .at_most = 1e6});
}
template <class Visitor>
void fields(Visitor& visit, TrainingSpec& spec) {
  visit("batch_size", spec.batch_size, Rule{.doc = "samples of one minibatch", .at_least = 1, .at_most = 1e6});
  visit("optimizer", spec.optimizer, Rule{.doc = "update rule"});
  visit("gradient_scale", spec.gradient_scale,
        Rule{.doc = "where gradients are summed each weighs 1/n (mean), n being the workers present, or 1 (sum); "
                    "systems that average models are the same in both"});
  visit("init", spec.init,
        Rule{.doc = "all replicas start from the same weights, each from its own, or all from those of a file"});
}
template <class Visitor>
void fields(Visitor& visit, ComputeSpec& spec) {
  visit("seconds_per_batch", spec.seconds_per_batch,
        Rule{.doc = "time of one minibatch gradient on every host, whatever their speeds and cores; a speed profile "
                    "divides it by its value over its host's speed; default: 6 operations per multiply-add of the "
                    "model and sample, over the speed of one core of the host",
             .above = 0});
  visit("seconds_per_sample", spec.seconds_per_sample,
        Rule{.doc = "instead of seconds_per_batch: that over training.batch_size, so that batches take their time",
             .above = 0});
  visit("overhead", spec.overhead,
        Rule{.doc = "added to each gradient's time, without jitter and slowdown: launching, copying", .at_least = 0});
  visit("jitter", spec.jitter,
        Rule{.doc = "sigma of the log-normal factor on each gradient's time", .at_least = 0, .at_most = 3});
  visit("slowdown", spec.slowdown, Rule{.doc = "factor on a host's compute time, by host name", .above = 0});
  visit(
      "layers", spec.layers,
      Rule{.doc = "with model none: into how many equal layers a step divides, for systems that exchange layer by "
                  "layer; a step is 3 layers - 1 equal tasks: forward from the first layer to the last; then from the "
                  "last to the first, backward to the inputs (but for the first) and to the parameters",
           .at_least = 1,
           .at_most = 10000});
  visit.relation("seconds_per_sample", Relation::excludes, "seconds_per_batch");
}
template <class Visitor>
void fields(Visitor& visit, WireSpec& spec) {
  visit("model_bytes", spec.model_bytes,
        Rule{.doc = "size of a whole model on the wire; default: 4 bytes per parameter", .above = 0});
  visit("header_bytes", spec.header_bytes, Rule{.doc = "added to every message", .at_least = 0});
}
template <class Visitor>
void fields(Visitor& visit, StopSpec& spec) {
  visit("time", spec.time, Rule{.doc = "simulated time", .above = 0});
  visit("iterations", spec.iterations,
        Rule{.doc = "steps of each worker; 0: the run ends where it begins", .at_least = 0, .at_most = 1e9});
  visit("epochs", spec.epochs, Rule{.doc = "passes over the training set, all workers together", .above = 0});
  visit("samples", spec.samples, Rule{.doc = "samples over all workers", .at_least = 1, .at_most = 1e15});
  visit("accuracy", spec.accuracy, Rule{.doc = "mean test accuracy over workers", .above = 0, .at_most = 1});
  visit("loss", spec.loss, Rule{.doc = "mean test loss over workers (nats): at most this", .above = 0});
}
template <class Visitor>
void fields(Visitor& visit, EvaluateSpec& spec) {
  visit("every", spec.every, Rule{.doc = "simulated time between evaluations", .above = 0});
  visit("every_iterations", spec.every_iterations,
        Rule{.doc =
                 "steps between evaluations: of each worker, which is judged by its model after them, where a worker's "
                 "model follows from its steps alone (timing_independent in list --json) and no host comes or goes; "
                 "elsewhere of the average worker",
             .at_least = 1,
             .at_most = 1e9});
  visit("samples", spec.samples,
        Rule{.doc = "test samples used, drawn by the seed, classes in proportion", .at_least = 1});
  visit("metric", spec.metric,
        Rule{.doc = "what models are judged by, in targets, comparisons, pictures and advice; default: loss where "
                    "target_loss is given, otherwise accuracy"});
  visit("target_accuracy", spec.target_accuracy,
        Rule{.doc = "accuracies whose time and bytes are reported", .above = 0, .at_most = 1});
  visit("target_loss", spec.target_loss, Rule{.doc = "losses (nats) whose time and bytes are reported", .above = 0});
  visit.relation("every_iterations", Relation::excludes, "every");
}
template <class Visitor>
void fields(Visitor& visit, RecordSpec& spec) {
  visit("iterations", spec.iterations, Rule{.doc = "write iterations.csv"});
  visit("weights", spec.weights, Rule{.doc = "write the workers' final weights"});
  visit("trace", spec.trace, Rule{.doc = "write trace.json and links.csv: what nodes and links did, moment by moment"});
  visit("initial_weights", spec.initial_weights, Rule{.doc = "write the weights that the run begins with"});
  visit("batches", spec.batches,
        Rule{.doc = "write the workers' shards, the samples of each minibatch, and these samples"});
  visit("draws", spec.draws, Rule{.doc = "write what was drawn at random for learning: dropout, codecs, partners"});
}

template <class Visitor>
void fields(Visitor& visit, Scenario& scenario) {
  visit("name", scenario.name, Rule{.doc = "folder of its results; default: the file's name", .is_setting = false});
  visit("description", scenario.description, Rule{.doc = "one line for readers", .is_setting = false});
  visit("seed", scenario.seed, Rule{.doc = "of every random stream", .is_setting = false});
  visit("load", scenario.load,
        Rule{.doc = "libraries of training systems to open, beside those of --load", .is_setting = false});
  visit("platform", scenario.platform, Rule{.doc = "hosts and network"});
  visit("data", scenario.data, Rule{.doc = "training and test data"});
  ModelChoice model{scenario.model, scenario.program};
  visit("model", model, Rule{.doc = "the network that is trained"});
  visit("training", scenario.training, Rule{.doc = "how weights are updated"});
  visit("compute", scenario.compute, Rule{.doc = "how long gradients take"});
  visit("wire", scenario.wire, Rule{.doc = "sizes of messages"});
  visit("algorithm", scenario.algorithm, Rule{.doc = "the training system"});
  visit("stop", scenario.stop, Rule{.doc = "when the run ends: the first condition that holds"});
  visit("evaluate", scenario.evaluate, Rule{.doc = "when models are evaluated, and what they are judged by"});
  visit("faults", scenario.faults, Rule{.doc = "faults of links and hosts over simulated time"});
  visit("record", scenario.record, Rule{.doc = "which result files are written", .is_setting = false});
  visit("math", scenario.math, Rule{.doc = "which library computes matrix products"});
  visit("expect", scenario.expect,
        Rule{.doc = "what ddlsim expect judges its runs by; never part of a result", .is_setting = false});
  visit.relation("compute.seconds_per_batch|compute.seconds_per_sample, wire.model_bytes", Relation::needed_with,
                 "model=none");
  visit.relation("compute.seconds_per_batch|compute.seconds_per_sample", Relation::needed_with, "model.command");
  visit.relation("compute.layers", Relation::needs, "model=none");
  visit.relation(
      "data.augment, training.init.file, stop.accuracy, stop.loss, evaluate.every, evaluate.every_iterations, "
      "evaluate.samples, evaluate.metric, evaluate.target_accuracy, evaluate.target_loss, record.weights, "
      "record.initial_weights, record.batches",
      Relation::excludes, "model=none");
  // Data, evaluation and mathematics are the program's. How its samples are dealt is ours.
  visit.relation(
      "data.source, data.path, data.test_path, data.train, data.test, data.held_out, data.label, data.header, "
      "data.ignore, data.column, data.channels, data.context, data.standardize, data.augment, evaluate.samples, "
      "training.init.file, math.mode",
      Relation::excludes, "model.command");
}

}  // namespace ddl::scenario
