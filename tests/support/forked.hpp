// A fresh process for each simulation: SimGrid's engine is made once in a process and its clock never goes back.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/check.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl {

// The result of `work` in a forked child; { "input_error": text } or { "error": text } if it threw, { "died": status }
// if the child died before it returned. `stderr_text` receives the child's output to stderr, if asked for.
inline nlohmann::json forked(const std::function<nlohmann::json()>& work, std::string* stderr_text = nullptr) {
  std::FILE* answer = std::tmpfile();
  std::FILE* errors = std::tmpfile();
  check(answer != nullptr && errors != nullptr, "temporary files");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (stderr_text != nullptr) dup2(fileno(errors), STDERR_FILENO);
    nlohmann::json result;
    try {
      result = work();
    } catch (const InputError& error) {
      result = {{"input_error", error.what()}};
    } catch (const std::exception& error) {
      result = {{"error", error.what()}};
    }
    const std::string text = result.dump();
    std::fwrite(text.data(), 1, text.size(), answer);
    std::fflush(answer);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const auto text_of = [](std::FILE* file) {
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
  };
  const std::string text = text_of(answer), said = text_of(errors);
  if (stderr_text != nullptr) *stderr_text = said;
  if (status != 0 || text.empty()) return {{"died", status}};
  return nlohmann::json::parse(text);
}

inline scenario::Scenario on_platform(scenario::GeneratedPlatform hosts,
                                      scenario::NetworkModel model = scenario::NetworkModel::CM02) {
  scenario::Scenario scenario;
  scenario.platform = {std::move(hosts), {.model = model}};
  return scenario;
}

// A file of tests/platform/data.
inline scenario::Scenario on_file(const std::string& name, scenario::FilePlatform hosts = {},
                                  scenario::NetworkModel model = scenario::NetworkModel::CM02) {
  scenario::Scenario scenario = on_platform({}, model);
  hosts.file = name;
  scenario.platform.hosts = std::move(hosts);
  scenario.file = std::string(DDLSIM_SOURCE_DIR) + "/tests/platform/data/scenario.json";
  return scenario;
}

// { "links": ["w0 up", ...], "latency_s": ..., "bandwidths": [...] } of the way between two nodes.
inline nlohmann::json way(const platform::Fabric& fabric, int source, int target) {
  const platform::Route& route = fabric.route(source, target);
  nlohmann::json links = nlohmann::json::array(), bandwidths = nlohmann::json::array();
  for (const int link : route.links) {
    const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
    links.push_back(info.name + " " + info.direction);
    bandwidths.push_back(info.bandwidth_bytes_per_s);
  }
  return {{"links", links}, {"latency_s", route.latency_s}, {"bandwidths", bandwidths}};
}

// The names of all nodes, workers first.
inline nlohmann::json nodes(const platform::Fabric& fabric) {
  nlohmann::json names = nlohmann::json::array();
  for (int node = 0; node < fabric.node_count(); ++node) names.push_back(fabric.name(node));
  return names;
}

}  // namespace ddl
