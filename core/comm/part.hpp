// Some members of a group as a group of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/comm/allreduce.hpp"

namespace ddl::comm {

class Part final : public Group {
 public:
  // `members`: ranks in the whole group, its own worker among them. The whole group outlives this.
  Part(Group& whole, std::vector<int> members) : whole_(whole), members_(std::move(members)) {}

  int size() const override { return static_cast<int>(members_.size()); }
  int rank() const override { return static_cast<int>(std::ranges::find(members_, whole_.rank()) - members_.begin()); }
  int site(int rank) const override { return whole_.site(at(rank)); }
  double rate(int rank) const override { return whole_.rate(at(rank)); }
  void send(int target, const Contribution& contribution) override { whole_.send(at(target), contribution); }
  Contribution receive(int source) override { return whole_.receive(at(source)); }
  void flush(int target) override { whole_.flush(at(target)); }
  void pass(int target, const Contribution& contribution) override { whole_.pass(at(target), contribution); }
  Contribution receive_first_slice(int source) override { return whole_.receive_first_slice(at(source)); }
  void wait_for_rest() override { whole_.wait_for_rest(); }
  std::uint64_t wire_bytes(Slice slice) const override { return whole_.wire_bytes(slice); }

 private:
  int at(int rank) const { return members_[static_cast<std::size_t>(rank)]; }

  Group& whole_;
  const std::vector<int> members_;
};

}  // namespace ddl::comm
