// Training speed of this machine: our kernels against its fastest matrix product.
#pragma once

#include <string>
#include <vector>

#include "core/nn/math_mode.hpp"
#include "core/node/registry.hpp"

namespace ddl::bench {

// One way to compute a large square matrix product, on one core.
struct KernelRow {
  std::string name;   // "AVX-512", "OpenBLAS 0.3.21 Cooperlake"
  double gflops = 0;  // 10^9 additions and multiplications a second
};
std::vector<KernelRow> measure_kernels();

// A training step (gradient and update) and an evaluation of one model, on one core: medians of five.
struct StepRow {
  std::string model;
  nn::MathMode mode = nn::MathMode::portable;
  int batch = 0;
  double train_images_per_s = 0, eval_images_per_s = 0;
  double train_gflops = 0;  // counting every product and convolution by its definition
};
// Takes about `seconds` altogether.
std::vector<StepRow> measure_steps(double seconds);

// A simulation of four asynchronous workers that train ako-cnn, with `threads` math threads.
struct LookAheadRow {
  int threads = 0;
  double images_per_s = 0;
  double speed_up = 1;            // compared with one thread
  double outside_math_share = 0;  // share of the CPU time, without start and end of the run
};
// 1, 2, 4, ... threads up to `most`. The runs take about `seconds` altogether.
std::vector<LookAheadRow> measure_look_ahead(const Registry& systems, int most, double seconds);

}  // namespace ddl::bench
