// The charts of TF.AKO (github.com/mesh-umn/TF.AKO, 2018): accuracy after 300 s on four networks, two to four workers,
// and the time to 40 % with two. The figures were measured off the charts, +-0.5 points.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies::ako_study {

inline constexpr std::array systems = {"centralized", "P=1", "P various", "P=4"};
inline constexpr const char* centralized = systems[0];
inline constexpr const char* p1 = systems[1];
inline constexpr const char* various = systems[2];
inline constexpr const char* p4 = systems[3];

struct Network {
  const char* name;
  const char* slug;
  std::vector<std::string> rates;  // of the workers' links, dealt round
  const char* latency;
  std::array<std::array<double, 4>, 3> accuracy;  // of 2, 3, 4 workers, by system
};

inline constexpr const char* uniform_lan = "uniform LAN";
inline constexpr const char* hetero_lan = "hetero LAN";
inline constexpr const char* uniform_wan = "uniform WAN";

std::vector<Network> networks();

// Of the workers' links and then the server's: the fastest, as in platforms/*.xml.
std::vector<std::string> bandwidth(const Network& network, int workers);

TablePosition accuracy_at(const std::string& network, int workers, const std::string& system);

// Scored in each evaluation of --full: all 10,000 would take longer than all that is learnt.
inline constexpr int full_test_samples = 1000;

// What is known of why claims fail; empty where nothing is, or where a claim holds at this size.
struct Reasons {
  std::string falls, equal, p4_leads, various_leads, p1_worst, close_to_best, fluctuates, iterations;  // published
  std::string p1_as_computed, p1_as_published, gains;                                                  // checks
};
Reasons reasons(const Scale& scale);

std::vector<Claim> claims(const Scale& scale);
std::vector<Note> notes(const Scale& scale);

}  // namespace ddl::studies::ako_study
