// exp, log, tanh and the normal distribution by plain IEEE additions, multiplications and divisions, so that the same
// input gives the same bits on every machine and compiler (libm chooses its code by CPU). Accurate to a few units in
// the last place.
#pragma once

#include <span>

namespace ddl {

// 0 below about -708, infinity above about 709.8; NaN stays NaN.
double portable_exp(double x);
double portable_log(double x);  // x > 0; -infinity at 0, NaN below
float portable_tanhf(float x);

// Elementwise, several values at a time, with the same bits as the scalar function. Both spans have the same length and
// may be the same memory.
void portable_tanh(std::span<const float> x, std::span<float> y);
void portable_exp(std::span<const double> x, std::span<double> y);
// In float: exp(-87) below -87, at most exp(89), and any value for NaN.
void portable_exp(std::span<const float> x, std::span<float> y);
// x Phi(x), Phi being the distribution function of the normal distribution, and its derivative (Hendrycks and Gimpel,
// 2016). To a few units of the last place of the larger of Phi(x) and x. All spans have the same length.
void portable_gelu(std::span<const float> x, std::span<float> y, std::span<float> slope);

}  // namespace ddl
