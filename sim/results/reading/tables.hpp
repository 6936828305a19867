// The tables of a finished run, as plain rows with hosts by name. Each is read row by row; throws InputError.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/experiment/run_result.hpp"

namespace ddl::results {

struct FinishedStep {
  std::string worker;
  std::int64_t iteration = 0;
  double start_s = 0, compute_s = 0, wait_s = 0, end_s = 0;
  std::optional<double> train_loss;
  double staleness = 0;
};

struct PairTraffic {
  std::string source, target;
  std::int64_t messages = 0;
  double bytes = 0;
};

struct LinkPeriod {
  std::string link, direction;
  double start_s = 0, end_s = 0, utilisation = 0;
};

void read_curve(const std::filesystem::path& folder, const std::function<void(const experiment::CurveRow&)>& use);
// False if the run was told not to record them ("record": {"iterations": false}).
bool read_steps(const std::filesystem::path& folder, const std::function<void(const FinishedStep&)>& use);
void read_traffic(const std::filesystem::path& folder, const std::function<void(const experiment::TrafficRow&)>& use);
void read_pairs(const std::filesystem::path& folder, const std::function<void(const PairTraffic&)>& use);
// False if the run did not record it ("record": {"trace": true} does). By link, then time.
bool read_links(const std::filesystem::path& folder, const std::function<void(const LinkPeriod&)>& use);

}  // namespace ddl::results
