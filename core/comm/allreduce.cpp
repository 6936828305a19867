#include "core/comm/allreduce.hpp"

#include <utility>

#include "core/base/check.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {

Sum operator+(const Sum& a, const Sum& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  if (!a.values) return {nullptr, a.count + b.count};
  std::vector<float> values(a.values->begin(), a.values->end());
  add_scaled(values, values_of(b.values));
  return {make_payload(std::move(values)), a.count + b.count};
}

const AllReduce& all_reduce(Collective how) {
  switch (how) {
    case Collective::ring:
      return ring_allreduce();
    case Collective::tree:
      return tree_allreduce();
    case Collective::star:
      return star_allreduce();
  }
  throw InternalError("a collective");
}

}  // namespace ddl::comm
