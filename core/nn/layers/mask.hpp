// Sparse connections between inputs and outputs that every host can compute by itself: balanced incomplete block
// designs, as in IDDL, and a random baseline.
//
// The lines of the affine plane of order q over q^2 points (a, b), input q a + b: q + 1 classes of q parallel lines, in
// the order a = m; b = m; b = k a + m for k = 1 .. q - 1, each for m = 0 .. q - 1. With the arithmetic of a field, two
// points lie on exactly one common line: a (q^2, q(q+1), q+1, q, 1) design.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/rng.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// The inputs of each output, ascending.
using Connections = std::vector<std::vector<std::uint32_t>>;

// q of a design for so many inputs: the least with q^2 >= inputs; for bibd_field, the least prime power of those.
std::size_t design_order(Mask kind, std::size_t inputs);

// bibd: output r has line r modulo q (q + 1), without the points beyond the inputs. random: as many connections as
// bibd, shuffled over all positions with `random`, which the other kinds do not use. none: all.
Connections make_connections(Mask kind, std::size_t inputs, std::size_t outputs, Stream& random);

// Positions of these connections' weights in a tensor places x inputs x outputs, ascending.
std::vector<std::uint32_t> weight_positions(const Connections& connections, std::size_t places, std::size_t inputs);

}  // namespace ddl::nn
