// The slices in which an optimizer may step.
#pragma once

namespace ddl {

// In ascending order of freedom. none: whole gradients only (clip_norm, Muon). once: slices, each coordinate once a
// step. any: slices in any order and number, since the optimizer has no state (plain SGD).
enum class Slices { none, once, any };

}  // namespace ddl
