// The panels of all sets, each defined only where its file could be compiled for that CPU.
#pragma once

#include "core/nn/kernels/tile.hpp"

namespace ddl::nn {

void panel_avx512(const PanelCall& call);
void panel_avx2(const PanelCall& call);
void panel_plain(const PanelCall& call);

}  // namespace ddl::nn
