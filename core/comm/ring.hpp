// Rounds of a ring, from which all-reduces are built: in each, every member sends all items but one to the next member.
#pragma once

#include "core/base/per_node.hpp"
#include "core/comm/allreduce.hpp"

namespace ddl::comm {

// A slice of the vector in chunks, and a member's partial sum of each.
struct Chunks {
  Chunks(Slice slice, int count, const Sum& own);  // even ones
  Chunks(PerNode<Slice> its_chunks, std::size_t begin, const Sum& own);
  int count() const { return sums.count(); }
  Sum joined() const;

  PerNode<Slice> slices;
  PerNode<Sum> sums;
};

// W. Adds up the members' sums of each chunk; member i of n then has the total of chunk (i + 1) mod n. There are at
// most n chunks; with fewer, some members have none. Of the last chunk that came the rest may be on its way, here and
// below: Group::wait_for_rest.
void reduce_scatter(Group& group, Chunks& chunks);
// W. Follows reduce_scatter: all members then know all sums.
void all_gather(Group& group, Chunks& chunks);

}  // namespace ddl::comm
