// Networks of the literature, as lists of layers.
#pragma once

#include <string_view>
#include <vector>

#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// "mlp-3-1" ... "mlp-3-4" and "resnet18", "resnet34", "resnet50" for small images (IDDL), each also with the suffix
// "-bibd" or "-random"; "resnet20" (He et al., CVPR 2016); "vgg19" (Simonyan and Zisserman, ICLR 2015, with one dense
// layer). Empty if there is none of this name.
std::vector<LayerSpec> published_model(std::string_view name, int classes);

}  // namespace ddl::nn
