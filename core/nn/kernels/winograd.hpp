// 3x3 convolution with a quarter of the multiplications: minimal filtering F(4x4, 3x3) of Winograd, 1980, for
// convolutional networks as Lavin and Gray, CVPR 2016; the weights' gradient is the adjoint of the same transforms.
//
// A tile of 4x4 outputs sees 6x6 inputs. Inputs and weights are transformed to 36 values each, every one of these is a
// plain product over channels, and the products are transformed back.
#pragma once

#include <cstddef>

namespace ddl::nn {

// Height, width and values per pixel of an image whose channels lie together.
struct Plane {
  std::size_t height = 0, width = 0, values = 0;
  std::size_t size() const { return height * width * values; }
};

// A 3x3 window slid over images, one output per position. The first position has `above` zeros above and left of it.
class Winograd {
 public:
  Winograd(Plane input, Plane output, std::size_t above);

  // True if possible and worthwhile: whole vectors of channels, enough of them, and outputs that fill tiles.
  static bool suits(std::size_t kernel, Plane input, Plane output);

  std::size_t images_at_a_time() const { return group_; }
  std::size_t tiles(std::size_t images) const { return images * rows_ * columns_; }
  // Floats of transformed weights, inputs and products of a group of images.
  std::size_t weight_floats() const { return kPlaces * stride(input_.values * output_.values); }
  std::size_t input_floats() const { return kPlaces * stride(tiles(group_) * input_.values); }
  std::size_t product_floats() const { return kPlaces * stride(tiles(group_) * output_.values); }

  // 3 x 3 x inputs x outputs -> 36 x inputs x outputs. `turned`: of weights 3 x 3 x outputs x inputs, rotated by half a
  // turn, as the gradient by the inputs needs them.
  void transform_weights(const float* weights, bool turned, float* result) const;
  // -> 36 x tiles x inputs.
  void transform_inputs(const float* images, std::size_t count, float* result) const;
  // -> 36 x tiles x outputs.
  void multiply(const float* inputs, const float* weights, std::size_t count, float* products) const;
  // Products -> outputs, with bias (null: none) and ReLU.
  void finish(const float* products, std::size_t count, const float* bias, bool relu, float* outputs) const;

  // The adjoints: gradients of outputs -> of products; of weights += transformed inputs x gradients of products; and
  // back to 3 x 3 x inputs x outputs.
  void transform_gradients(const float* gradients, std::size_t count, float* result) const;
  void add_weight_gradient(const float* inputs, const float* gradients, std::size_t count, bool first,
                           float* result) const;
  void finish_weight_gradient(const float* transformed, float* result) const;

 private:
  static constexpr std::size_t kPlaces = 36;
  // Distance from place to place: a little more than a power of two, because all places would otherwise map to the same
  // cache sets.
  static constexpr std::size_t stride(std::size_t floats) { return floats + 16; }
  template <class Visit>
  void each_tile(std::size_t count, Visit visit) const;

  Plane input_, output_;
  std::size_t above_, rows_, columns_, group_;
};

}  // namespace ddl::nn
