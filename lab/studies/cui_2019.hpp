// Cui (2019): four peers that pull models from each other and drop small gradients, against four workers with a
// parameter server on a fifth machine, whose link alone is held to 300 Mbit/s; VGG-19 on CIFAR-10, 10,000 batches each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies::cui_study {

inline constexpr const char* decentralized = "decentralized";
inline constexpr const char* centralized = "centralized";
inline constexpr const char* single = "single machine";

struct Preset {
  const char* name;
  const char* rate;         // of the workers' links
  const char* server_rate;  // of the server's
  const char* bytes;        // of a model on the wire
  const char* computing;    // of a batch
};
inline constexpr Preset presets[] = {{"literal", "1Gbps", "300Mbps", "13.5MB", "547ms"},
                                     {"bytes", "10Gbps", "2.4Gbps", "80118056B", "591ms"}};

// Small networks on CIFAR-10: between the default size and the full one.
bool in_between(const Scale& scale);

// Of all workers together, in the runs that learn; 40,000 are published, which all runs without learning have.
int batches_of(const Scale& scale);
inline constexpr int published_batches = 40000;
// Scored in each evaluation of the size between.
inline constexpr int test_images_in_between = 2000;

// Those for which learning is simulated: what is learnt hardly depends on the network, so that one is enough where it
// takes long.
std::vector<Preset> learning_presets(const Scale& scale);

// Rows of the tables "time" and "learning".
inline constexpr const char* least = "least s/batch";
inline constexpr const char* first_percentile = "1st percentile, s";
inline constexpr const char* median = "median, s";
inline constexpr const char* last_percentile = "99th percentile, s";
inline constexpr const char* most = "largest s/batch";
inline constexpr const char* quick = "% of batches below 0.7 s";
inline constexpr const char* accuracy = "test accuracy, %";
inline constexpr const char* training_accuracy = "training accuracy, %";
inline constexpr const char* loss = "training loss";
inline constexpr const char* late = "points of test accuracy gained after 15 % of the batches";

TablePosition time_of(const char* preset, const char* quantity, const char* system);
TablePosition learnt(const char* preset, const char* quantity, const char* system);

// A scenario of `workers` that train `batches` together, without platform and algorithm.
nlohmann::ordered_json scenario(const Preset& preset, int workers, int batches, const Scale& scale);
nlohmann::ordered_json decentralized_scenario(const Preset& preset, const Scale& scale);
nlohmann::ordered_json centralized_scenario(const Preset& preset, const Scale& scale);
nlohmann::ordered_json single_scenario(int batches, const Scale& scale);
// The same without learning: 40,000 batches that only take time.
nlohmann::ordered_json timed(nlohmann::ordered_json json);

// Not to be exceeded by `percent` of a run's batches, s.
Reading percentile(double percent);
// Percentage of the batches that took `from` seconds or more, and less than `to`.
Reading percent_of_batches(double from, double to);
// Means over the last twentieth of a run's batches, of `steps` by each worker.
Reading final_training_loss(int steps);
Reading final_training_accuracy(int steps);

// What explains claims that fail: cells and tables beside those of the study.
void add_experiments(Study& study);

std::string size_text(const Scale& scale);
std::vector<Claim> claims(const Scale& scale);
std::vector<Note> notes(const Scale& scale);

}  // namespace ddl::studies::cui_study
