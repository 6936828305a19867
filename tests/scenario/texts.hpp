// Scenarios that tests of this package start from.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/reading/read.hpp"

namespace ddl::scenario {

// The least a scenario can say.
inline const char* const kSmall = R"({
  "platform": { "topology": "star", "workers": 4, "bandwidth": "40Mbps" },
  "algorithm": "ako",
  "stop": { "iterations": 10 }
})";

// One scenario in each style of writing. File names start at the repository's root.
inline std::vector<std::string> styles() {
  return {
      kSmall,
      // Everything there is for a star.
      R"({ "$schema": "scenario.schema.json", "name": "full", "description": "all keys", "seed": 18446744073709551615,
           "platform": { "topology": "star", "workers": 3, "servers": 1, "bandwidth": ["40Mbps", "20Mbps", "10Mbps"],
                         "server_bandwidth": "0.1Gbps", "latency": "20ms", "speed": ["50Gf", "25Gf"],
                         "bandwidth_factor": 0.5, "latency_factor": 2,
                         "network": { "model": "TCP", "tcp_window": "0B", "queue": "0.2s",
                                      "slow_start_after_idle": false, "connections": 3, "draw": 2 } },
           "data": { "source": "synthetic", "train": 2000, "test": 500, "partition": "dirichlet", "alpha": 0.1,
                     "shuffle": false, "augment": "crop_flip", "standardize": true },
           "model": "mlp",
           "training": { "batch_size": 104, "optimizer": { "type": "momentum", "learning_rate": 0.05, "momentum": 0.8,
                         "weight_decay": 1e-4, "warmup_steps": 5,
                         "schedule": { "type": "steps", "at": [100, 200], "factor": 0.2 } },
                         "gradient_scale": "sum", "init": "independent" },
           "compute": { "seconds_per_batch": "340ms", "overhead": "2ms", "jitter": 0, "slowdown": { "w2": 10, "ps0": 2 } },
           "wire": { "model_bytes": "17053736B", "header_bytes": "64B" },
           "algorithm": { "name": "ps_async", "update_time": "1ms",
                          "codec": { "type": "top_k", "fraction": 0.1, "error_feedback": false },
                          "overlap": "none", "staleness_aware": true },
           "stop": { "time": "300s", "iterations": 1000, "epochs": 2.5, "samples": 5000, "accuracy": 0.9 },
           "evaluate": { "every": "5s", "samples": 250, "metric": "accuracy", "target_accuracy": [0.4, 0.8] },
           "record": { "iterations": false, "trace": false, "weights": true }, "math": { "mode": "native" },
           "expect": [ { "at": "5s", "accuracy": [0.5, 1], "over": 3 }, { "target": 0.4, "time": ["1s", "2s"] },
                       { "bytes": ["0B", "1GB"] }, { "better_than": "other.json", "by": 0.02 } ] })",
      // Timing only.
      R"({ "platform": { "topology": "mesh", "workers": 4, "bandwidth": ["40Mbps", "20Mbps"], "latency": "0s" },
           "model": "none", "wire": { "model_bytes": "17MB" }, "compute": { "seconds_per_batch": "0.34s" },
           "algorithm": { "name": "ako", "partitions": [4, 4, 2, 2], "schedule": "broadcast", "partitioner": "layer",
                          "queue_depth": 2, "overflow": "merge", "staleness_bound": 3,
                          "tf_ako": { "clock": "ping_pong", "publish": "background", "receive_threads": 2,
                                      "receive_time": "1ms" } },
           "stop": { "time": "100s" } })",
      // Layers.
      R"({ "platform": { "topology": "ring", "workers": 5, "bandwidth": "5MBps" },
           "model": { "layers": [ { "type": "conv", "filters": 4, "kernel": 5, "init": "truncated_normal" }, "relu",
                                  { "type": "max_pool" }, { "type": "flatten" }, { "type": "dropout", "rate": 0.25 },
                                  { "type": "dense", "units": 16 }, "tanh", { "type": "dense", "units": 10 } ] },
           "training": { "optimizer": "adam" },
           "algorithm": { "name": "gossip", "mode": "push", "peer": "ring", "merge": "loss_weighted",
                          "order": "overlap", "threshold": "abs_mean", "error_feedback": true, "timeout": "1.5s" },
           "faults": [ { "type": "join", "host": "w3", "at": "60s" } ],
           "stop": { "epochs": 1 }, "evaluate": { "every_iterations": 5 } })",
      R"({ "platform": { "topology": "two_sites", "workers": 6, "servers": 2, "bandwidth": "1Gbps",
                         "site_bandwidth": "10Mbps", "site_latency": "30ms" },
           "training": { "optimizer": { "type": "nesterov", "schedule": { "type": "cosine", "steps": 50 } } },
           "algorithm": { "name": "ps_sync" }, "stop": { "samples": 100 } })",
      // Hosts of a platform file: named, counted, all of them.
      R"({ "platform": { "file": "CMakeLists.txt", "workers": ["w0", "w1"], "servers": ["ps0"] },
           "algorithm": "ps_async", "stop": { "accuracy": 0.5 } })",
      R"({ "platform": { "file": "CMakeLists.txt", "workers": 2 },
           "algorithm": { "name": "ako", "partitions": "auto" }, "stop": { "time": "1h" } })",
      R"({ "platform": { "file": "CMakeLists.txt" }, "algorithm": { "name": "ako", "partitions": 3 },
           "stop": { "time": "2min" } })",
      R"({ "platform": { "workers": 1, "bandwidth": "1bps" }, "algorithm": "single", "stop": { "iterations": 1e1 } })",
      // Decentralized.
      R"({ "platform": { "workers": 6, "bandwidth": "1Gbps" }, "compute": { "overhead": "950us" },
           "algorithm": { "name": "d_psgd", "topology": "random_regular", "degree": 3, "combine": "after" },
           "stop": { "iterations": 5 } })",
      R"({ "platform": { "workers": 6, "bandwidth": "1Gbps" },
           "algorithm": { "name": "ad_psgd", "topology": "complete_bipartite", "gossip_rate": "continuous",
                          "peer": "cyclic", "update_order": "update_then_average" }, "stop": { "iterations": 5 } })",
      R"({ "platform": { "workers": 6, "bandwidth": "1Gbps" },
           "algorithm": { "name": "ad_psgd", "gossip_rate": 4 }, "stop": { "iterations": 5 } })",
      R"({ "platform": { "workers": 6, "bandwidth": "1Gbps" },
           "algorithm": { "name": "sgp", "topology": "directed_ring", "overlap": true }, "stop": { "iterations": 5 } })",
      R"({ "platform": { "workers": 6, "bandwidth": "1Gbps" },
           "algorithm": { "name": "choco", "topology": "torus", "codec": { "type": "random_k", "fraction": 0.05 },
                          "consensus_rate": 0.02 }, "stop": { "iterations": 5 } })",
      // Sites, listed and of a matrix.
      R"({ "platform": { "sites": [ { "name": "ams", "workers": 2, "servers": 1, "bandwidth": "1Gbps" },
                                    { "name": "us-east-1", "workers": 1, "bandwidth": "2Gbps", "latency": "1ms" },
                                    { "name": "nyc", "workers": 1, "bandwidth": "1Gbps" } ],
                         "links": [ { "from": "ams", "to": "us-east-1", "up": "10Mbps", "latency": "30ms" },
                                    { "from": "nyc", "to": "us-east-1", "up": "1Gbps", "down": "10Mbps",
                                      "latency": "5ms" } ],
                         "speed": ["50Gf", "25Gf"], "bandwidth_factor": 0.5, "network": { "model": "CM02" } },
           "compute": { "slowdown": { "w3": 2, "ps0": 3 } }, "algorithm": "ps_sync", "stop": { "iterations": 1 } })",
      R"({ "platform": { "topology": "regions", "matrix": "platforms/ec2.csv", "sites": ["tokyo", "oregon"],
                         "workers_per_site": 3, "servers": 1 }, "algorithm": "ps_sync", "stop": { "iterations": 1 } })",
      R"({ "platform": { "topology": "measured", "matrix": "platforms/ec2_connections.csv", "sites": ["ohio", "london"],
                         "workers_per_site": [2, 3], "servers": 1 }, "algorithm": "ps_sync",
           "stop": { "iterations": 1 } })",
      R"({ "platform": { "topology": "measured", "speed": "1Gf", "workers_per_site": 2,
                         "connections": [ { "from": "a", "to": "a", "rate": "1Gbps", "rtt": "1ms", "streams": 3 } ] },
           "algorithm": "single", "stop": { "iterations": 1 } })",
      R"({ "platform": { "topology": "regions", "speed": "1Gf",
                         "links": [ { "from": "a", "to": "a", "up": "1Gbps", "latency": "1ms" } ] },
           "algorithm": "single", "stop": { "iterations": 1 } })",
      // A model of another program.
      R"({ "platform": { "workers": 2, "bandwidth": "1Gbps" }, "data": { "partition": "by_label", "shuffle": false },
           "model": { "command": ["python3", "mine.py", ""], "folder": "..", "processes": 3, "timeout": "90s" },
           "compute": { "seconds_per_batch": "50ms" }, "algorithm": "gossip", "stop": { "time": "1min" } })"};
}

inline const std::string right_platform = R"("platform": {"workers": 4, "servers": 1, "bandwidth": "40Mbps"})";
inline const std::string right_algorithm = R"("algorithm": "ako")", right_stop = R"("stop": {"iterations": 10})";
inline const std::string right_parts = right_platform + ", " + right_algorithm + ", " + right_stop;

// The scenario that an example of broken.txt is.
inline std::string whole_text(const std::string& given) {
  if (const std::size_t dots = given.find("..."); !given.starts_with('"')) {
    return dots == std::string::npos ? given : given.substr(0, dots) + right_parts + given.substr(dots + 3);
  }
  std::string right;
  for (const std::string& part : {right_platform, right_algorithm, right_stop}) {
    if (given.find(part.substr(0, part.find(':') + 1)) == std::string::npos) right += part + ", ";
  }
  return "{" + right + given + "}";
}

// `text` as a file in the repository's root.
inline Scenario parse(const std::string& text, const std::vector<Override>& overrides = {}) {
  return parse_scenario(systems::built_in(), text, std::string(DDLSIM_SOURCE_DIR) + "/sample.json", overrides);
}

// The errors in `text`, as the file "s.json".
inline std::vector<std::string> errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    parse_scenario(systems::built_in(), text, "s.json", overrides);
  } catch (const ScenarioErrors& errors) {
    return errors.lines;
  }
  return {};
}

}  // namespace ddl::scenario
