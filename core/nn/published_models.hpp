// Networks of the literature, as lists of layers, and their sparse forms.
#pragma once

#include <string_view>
#include <vector>

#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// "mlp-3-1" ... "mlp-3-4" and "resnet18", "resnet34", "resnet50" for small images (IDDL), each also with the suffix
// "-bibd" or "-random"; "resnet20" (He et al., CVPR 2016); "vgg19" (Simonyan and Zisserman, ICLR 2015, with one dense
// layer). Empty if there is none of this name.
std::vector<LayerSpec> published_model(std::string_view name, int classes);

// The sparse form of a network, as in IDDL. The last dense or convolutional layer, which gives the output, and a
// convolution that comes first stay whole. All others get this mask; masked layers outside residual blocks lose their
// bias.
std::vector<LayerSpec> with_mask(std::vector<LayerSpec> layers, Mask mask);

// The same layers with convolutions in `groups` groups; in residual blocks only convolutions with windows.
std::vector<LayerSpec> with_groups(std::vector<LayerSpec> layers, int groups);

}  // namespace ddl::nn
