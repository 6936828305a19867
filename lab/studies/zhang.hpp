// Zhang et al.: AllReduce, D-PSGD and AD-PSGD with 16 learners on 100 Gbit/s InfiniBand; VGG and ResNet-20 on
// CIFAR-10, and one learner slowed 1 to 10,000 times.
#pragma once

#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies::zhang_study {

inline constexpr const char* all_reduce = "AllReduce";
inline constexpr const char* d_psgd = "D-PSGD";
inline constexpr const char* ad_psgd = "AD-PSGD";

struct Preset {
  const char* name;
  const char* slug;
  double bytes;
  double bits_per_second;
  int batch;
  double compute_s;  // of one minibatch on one learner
  double epoch_s;    // of one learner
  double overheads;  // share of System::overhead_s that is charged
};
inline constexpr Preset vgg{"VGG", "vgg", 60e6, 23e9, 128, 34.8e-3, 13.60, 0};
inline constexpr Preset resnet{"ResNet-20", "resnet20", 1e6, 100e9, 32, 11.55e-3, 18.04, 1};

inline constexpr int learners = 16;
inline constexpr int training_images = 50000;  // of CIFAR-10

// Small networks on CIFAR-10: between the default size and the full one.
bool in_between(const Scale& scale);

// How long the runs learn that measure accuracy.
struct Learning {
  int images;  // to train on
  int epochs;
  int batch;                                                         // of a learner
  int test_images;                                                   // scored in each evaluation
  int rounds() const { return epochs * images / batch / learners; }  // steps of each learner
};
Learning learning_of(const Preset& preset, const Scale& scale);

TablePosition time_at(const char* model, const std::string& slowdown, const char* system);
TablePosition speed_at(const char* model, const std::string& slowdown, const char* system);

std::string size_text(const Scale& scale);
std::vector<Claim> claims(const Scale& scale);
std::vector<Note> notes(const Scale& scale);

}  // namespace ddl::studies::zhang_study
