#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/data/dataset.hpp"

namespace ddl::data::batches_test {

namespace {

using Indices = std::vector<std::uint32_t>;

Indices take(BatchStream& batches, int count) {
  Indices all;
  for (int i = 0; i < count; ++i) {
    const Indices batch = batches.next();
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

Indices sorted(Indices values) {
  std::sort(values.begin(), values.end());
  return values;
}

const Indices shard = {3, 14, 15, 92, 65, 35, 89};

}  // namespace

TEST_CASE("gather subtracts the channel mean and multiplies by the channel scale") {
  Dataset data;
  data.shape = {2, 1, 2};
  data.classes = 10;
  data.mean = {10, 100};
  data.scale = {0.5f, 0.25f};
  data.pixels = {10, 12, 100, 104, /* second sample */ 0, 255, 0, 255};
  data.labels = {7, 4};
  Batch batch;
  gather(data, Indices{1, 0, 1}, batch);
  CHECK(batch.labels == std::vector<std::uint8_t>{4, 7, 4});
  CHECK(batch.inputs == std::vector<float>{-5, 122.5f, -25, 38.75f, 0, 1, 0, 1, -5, 122.5f, -25, 38.75f});
  gather(data, Indices{0}, batch);
  CHECK(batch.size() == 1);
  CHECK(batch.inputs == std::vector<float>{0, 1, 0, 1});
}

TEST_CASE("gather refuses an index beyond the data") {
  Dataset data;
  data.shape = {1, 1, 1};
  data.mean = {0};
  data.scale = {1};
  data.pixels = {1};
  data.labels = {1};
  Batch batch;
  CHECK_THROWS(gather(data, Indices{1}, batch));
}

TEST_CASE("every batch is full and each pass holds each sample once, also where a batch spans several") {
  // 7 samples: three passes are seven batches of 3, or one and a part of the second of 16.
  for (const bool shuffled : {false, true}) {
    for (const auto& [batch_size, batches_taken] : {std::pair{3, 7}, {16, 2}}) {
      BatchStream batches(shard, batch_size, shuffled, Stream(1));
      const Indices all = take(batches, batches_taken);
      REQUIRE(all.size() == static_cast<std::size_t>(batch_size * batches_taken));
      for (std::ptrdiff_t pass = 0; pass < 3; ++pass) {
        CHECK(sorted({all.begin() + 7 * pass, all.begin() + 7 * (pass + 1)}) == sorted(shard));
      }
    }
  }
}

TEST_CASE("without shuffling samples come in the shard's order again and again") {
  BatchStream batches(shard, 5, false, Stream(1));
  CHECK(batches.next() == Indices{3, 14, 15, 92, 65});
  CHECK(batches.next() == Indices{35, 89, 3, 14, 15});
  CHECK(batches.next() == Indices{92, 65, 35, 89, 3});
}

TEST_CASE("shuffled passes differ from each other and repeat with the stream") {
  Indices many(100);
  std::iota(many.begin(), many.end(), 0u);
  BatchStream first(many, 100, true, Stream(5)), again(many, 100, true, Stream(5)), other(many, 100, true, Stream(6));
  const Indices one = first.next(), two = first.next();
  CHECK(one != many);
  CHECK(one != two);
  CHECK(again.next() == one);
  CHECK(again.next() == two);
  CHECK(other.next() != one);
}

TEST_CASE("the order of samples does not depend on the batch size") {
  BatchStream small(shard, 2, true, Stream(9)), large(shard, 14, true, Stream(9));
  CHECK(take(small, 14) == take(large, 2));
}

TEST_CASE("an empty shard or an empty batch is refused") {
  CHECK_THROWS(BatchStream({}, 3, true, Stream(1)));
  CHECK_THROWS(BatchStream(shard, 0, true, Stream(1)));
}

}  // namespace ddl::data::batches_test
