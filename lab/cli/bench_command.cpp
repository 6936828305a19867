#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "lab/bench/math.hpp"
#include "lab/bench/messages.hpp"
#include "lab/cli/commands.hpp"
#include "sim/cli/report_error.hpp"

namespace ddl::cli {
namespace {

struct BenchSettings {
  bool json = false;
  double seconds = 20;  // total time, approximately
};

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

nn::MathMode default_math() { return nn::math_that_runs(nn::MathSpec{}.mode); }

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

struct Report {
  std::vector<bench::KernelRow> kernels;
  double peak_gflops = 0;
  std::vector<bench::StepRow> steps;
  std::vector<bench::LookAheadRow> look_ahead;
  std::vector<bench::MessageRow> messages;
  std::vector<bench::MemoryRow> memory;
};

// The better of two measurements of each kernel set, because either may be disturbed.
void keep_better(std::vector<bench::KernelRow>& rows, const std::vector<bench::KernelRow>& again) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].gflops = std::max(rows[i].gflops, again[i].gflops);
}

Report measure(const Registry& systems, const BenchSettings& settings) {
  Report report;
  const auto say = [](const char* what) { std::cerr << "bench: " << what << "\n"; };
  say("matrix products and training steps");
  report.kernels = bench::measure_kernels();
  report.steps = bench::measure_steps(settings.seconds * 0.5);
  keep_better(report.kernels, bench::measure_kernels());
  for (const bench::KernelRow& row : report.kernels) report.peak_gflops = std::max(report.peak_gflops, row.gflops);
  say("look-ahead over threads");
  report.look_ahead = bench::measure_look_ahead(systems, cores(), settings.seconds * 0.25);
  say("messages and memory");
  bench::MessageBench messages;
  messages.most_seconds = settings.seconds * 0.25 / static_cast<double>(messages.patterns.size());
  report.messages = bench::measure_messages(systems, messages);
  report.memory = bench::measure_memory(systems);
  return report;
}

std::string json_of(const Report& report) {
  nlohmann::ordered_json json;
  json["machine"] = {{"cpu", cpu_name()}, {"cores", cores()}};
  json["peak_gflops"] = report.peak_gflops;
  json["kernels"] = nlohmann::ordered_json::array();
  for (const bench::KernelRow& row : report.kernels)
    json["kernels"].push_back({{"name", row.name}, {"gflops", row.gflops}});
  json["chosen_kernels"] = report.kernels.front().name;
  json["default_math"] = {{"mode", name_of(default_math())}, {"kernels", nn::math_kernels(default_math())}};
  json["steps"] = nlohmann::ordered_json::array();
  for (const bench::StepRow& row : report.steps) {
    json["steps"].push_back({{"model", row.model},
                             {"math_mode", name_of(row.mode)},
                             {"batch", row.batch},
                             {"threads", 1},
                             {"train_images_per_s", row.train_images_per_s},
                             {"eval_images_per_s", row.eval_images_per_s},
                             {"gflops", row.train_gflops},
                             {"share_of_peak", row.train_gflops / report.peak_gflops}});
  }
  json["look_ahead"] = nlohmann::ordered_json::array();
  for (const bench::LookAheadRow& row : report.look_ahead) {
    json["look_ahead"].push_back({{"threads", row.threads},
                                  {"train_images_per_s", row.images_per_s},
                                  {"speed_up", row.speed_up},
                                  {"outside_math_share", row.outside_math_share}});
  }
  json["events"] = nlohmann::ordered_json::array();
  for (const bench::MessageRow& row : report.messages) {
    json["events"].push_back({{"name", row.name},
                              {"workers", row.workers},
                              {"messages", row.messages},
                              {"messages_per_s", row.messages_per_s},
                              {"peak_memory_bytes", row.peak_memory_bytes}});
  }
  json["memory_per_worker"] = nlohmann::ordered_json::array();
  for (const bench::MemoryRow& row : report.memory) {
    json["memory_per_worker"].push_back({{"optimizer", row.name},
                                         {"parameters_bytes", row.parameters},
                                         {"optimizer_state_bytes", row.optimizer_state},
                                         {"in_flight_bytes", row.in_flight},
                                         {"measured_bytes", row.measured}});
  }
  return json.dump(2) + "\n";
}

std::string table_of(const Report& report) {
  std::string text = fmt::format("{}, {} cores\n\nmatrix product of one core   GFLOP/s\n", cpu_name(), cores());
  for (const bench::KernelRow& row : report.kernels) {
    text += fmt::format("{:<28} {:>7.1f}{}\n", row.name, row.gflops, &row == &report.kernels.front() ? "  chosen" : "");
  }
  text += fmt::format("math of a run unless its scenario says otherwise: {}, {}\n", name_of(default_math()),
                      nn::math_kernels(default_math()));
  text += "\none core, images  batch  math      trained/s  evaluated/s  GFLOP/s  of peak\n";
  for (const bench::StepRow& row : report.steps) {
    text += fmt::format("{:<16} {:>6}  {:<8} {:>10.0f} {:>12.0f} {:>8.1f} {:>6.0f} %\n", row.model, row.batch,
                        name_of(row.mode), row.train_images_per_s, row.eval_images_per_s, row.train_gflops,
                        100 * row.train_gflops / report.peak_gflops);
  }
  text +=
      "(operations as by definition: where Winograd's transforms save some, it may be\n"
      " above 100 % of the peak)\n";
  text += "\n4 workers, ako-cnn, ps_async   images/s  speed-up  outside math\n";
  for (const bench::LookAheadRow& row : report.look_ahead) {
    text += fmt::format("{:>2} thread(s) {:>25.0f} {:>9.2f} {:>11.1f} %\n", row.threads, row.images_per_s, row.speed_up,
                        100 * row.outside_math_share);
  }
  text += "\ntiming only      workers   messages/s  peak memory\n";
  for (const bench::MessageRow& row : report.messages) {
    text += fmt::format("{:<15} {:>8} {:>12.0f} {:>9.0f} MB\n", row.name, row.workers, row.messages_per_s,
                        row.peak_memory_bytes / 1e6);
  }
  text += "\na gossip worker, mlp   parameters  optimizer state  in flight  measured, kB\n";
  for (const bench::MemoryRow& row : report.memory) {
    text += fmt::format("{:<22} {:>10.0f} {:>16.0f} {:>10.0f} {:>13.0f}\n", row.name, row.parameters / 1e3,
                        row.optimizer_state / 1e3, row.in_flight / 1e3, row.measured / 1e3);
  }
  return text;
}

}  // namespace

Command add_bench(CLI::App& app, const Registry& systems) {
  const auto settings = std::make_shared<BenchSettings>();
  CLI::App& command = *app.add_subcommand("bench", "Measure how fast this machine trains and simulates");
  command.add_flag("--json", settings->json, "Print the figures as JSON, and nothing else");
  command.add_option("--seconds", settings->seconds, "Time that it may take, roughly")
      ->type_name("S")
      ->check(from_to(1.0, 3600.0))
      ->capture_default_str();
  command.footer("Example:\n  ddlsim bench --json > bench.json");
  return {&command, [settings, &systems] {
            const Report report = measure(systems, *settings);
            std::cout << (settings->json ? json_of(report) : table_of(report));
            return int{kDone};
          }};
}

}  // namespace ddl::cli
