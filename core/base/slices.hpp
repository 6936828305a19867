// In what pieces a step may be made.
#pragma once

namespace ddl {

// In ascending order of freedom. none: with whole gradients alone (clip_norm). once: with slices, each coordinate once
// a step. any: with slices in any order and number, for the optimizer remembers nothing (plain SGD).
enum class Slices { none, once, any };

}  // namespace ddl
