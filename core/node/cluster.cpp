#include "core/node/cluster.hpp"

namespace ddl {

std::uint64_t Cluster::wire_bytes(Slice slice) const {
  if (parameters == 0) return 0;
  // 128 bits: model_bytes * index exceeds 64.
  __extension__ using Wide = unsigned __int128;
  const auto bytes_before = [&](std::size_t index) {
    return static_cast<std::uint64_t>(Wide{model_bytes} * index / parameters);
  };
  return bytes_before(slice.end) - bytes_before(slice.begin);
}

}  // namespace ddl
