// Texts as data: symbols, windows of them, and errors in files.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/data/scratch_folder.hpp"

namespace ddl::data::text_test {
namespace {

DataSpec text_of(const ScratchFolder& folder, const std::string& text, std::optional<int> context = 2) {
  folder.write("input.txt", FileBytes(text.begin(), text.end()));
  return {.source = DataSource::text, .path = folder.file("input.txt"), .context = context};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("symbols are code points in their order, and a sample is a window whose class is the symbol behind it") {
  const ScratchFolder folder;
  // 20 symbols, 18 of them for training: é is U+00E9 and the euro sign U+20AC, so a is 0, b 1, é 2, the sign 3.
  const std::string text = "ba\xc3\xa9\xe2\x82\xac" + repeated("ab", 8);
  const DataSpec spec = text_of(folder, text, 1);
  const DataSplit data = load_data(spec, 1);
  CHECK(data.train.classes == 4);
  CHECK(data.train.shape == Shape{4, 1, 1});
  REQUIRE(data.train.size() == 17);
  REQUIRE(data.test.size() == 1);
  CHECK(data.train.labels == std::vector<std::uint8_t>{0, 2, 3, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  Batch batch;
  gather(data.train, std::vector<std::uint32_t>{0, 2, 3}, batch);
  CHECK(batch.labels == std::vector<std::uint8_t>{0, 3, 0});
  CHECK(batch.inputs == std::vector<float>{0, 1, 0, 0, /**/ 0, 0, 1, 0, /**/ 0, 0, 0, 1});  // b, é, the sign
  gather(data.test, std::vector<std::uint32_t>{0}, batch);
  CHECK(batch.inputs == std::vector<float>{1, 0, 0, 0});
  CHECK(batch.labels == std::vector<std::uint8_t>{1});
}

TEST_CASE("a window is its symbols one behind the other, and windows are made when they are drawn") {
  const ScratchFolder folder;
  const DataSplit data = load_data(text_of(folder, repeated("abc", 100), 16), 1);
  CHECK(data.train.shape == Shape{48, 1, 1});
  CHECK(data.train.size() == 270 - 16);
  CHECK(data.test.size() == 30 - 16);
  CHECK(data.train.symbols.size() == 270);
  CHECK(data.train.values.empty());
  CHECK(data.train.pixels.empty());
  Batch batch;
  std::vector<std::uint32_t> all(data.train.size());
  std::iota(all.begin(), all.end(), 0u);
  gather(data.train, all, batch);
  for (std::size_t n = 0; n < all.size(); ++n) {
    CHECK(batch.labels[n] == (n + 16) % 3);
    for (std::size_t i = 0; i < 48; ++i) CHECK(batch.inputs[48 * n + i] == ((n + i / 3) % 3 == i % 3 ? 1 : 0));
  }
}

TEST_CASE("a part of a text's windows is drawn by the seed, each still with the symbols before its label") {
  const ScratchFolder folder;
  std::string text;
  Stream random = stream(1, "test", "text");
  for (int i = 0; i < 2000; ++i) text += static_cast<char>('a' + random.below(5));
  DataSpec spec = text_of(folder, text, 3);
  const DataSplit all = load_data(spec, 1);
  spec.train = 100;
  spec.test = 20;
  const DataSplit some = load_data(spec, 1), others = load_data(spec, 2);
  REQUIRE(some.train.size() == 100);
  REQUIRE(some.test.size() == 20);
  CHECK(some.train.numbers != others.train.numbers);
  CHECK(std::set<std::uint32_t>(some.train.numbers.begin(), some.train.numbers.end()).size() == 100);
  Batch drawn, whole;
  std::vector<std::uint32_t> places(100);
  std::iota(places.begin(), places.end(), 0u);
  gather(some.train, places, drawn);
  gather(all.train, some.train.numbers, whole);
  CHECK(drawn.inputs == whole.inputs);
  CHECK(drawn.labels == whole.labels);
}

TEST_CASE("a scenario is checked by the text that is read, from a file, a compressed one and a folder") {
  const ScratchFolder folder;
  const std::string text = repeated("to be or not to be, ", 40);
  const DataSpec file = text_of(folder, text, std::nullopt);
  folder.write_compressed("input.txt.gz", FileBytes(text.begin(), text.end()));
  DataSpec compressed = file, in_folder = file;
  compressed.path += ".gz";
  in_folder.path = folder.path();
  CHECK(data_files(in_folder) == std::vector<std::string>{folder.file("input.txt")});
  for (const DataSpec& spec : {file, compressed, in_folder}) {
    const DataShape shape = data_shape_in_files(spec);
    const DataSplit data = load_data(spec, 1);
    CHECK(shape.shape == data.train.shape);
    CHECK(shape.shape == Shape{16 * 8, 1, 1});  // a blank, a comma, b, e, n, o, r, t
    CHECK(shape.classes == data.train.classes);
    CHECK(shape.train == 720 - 16);
    CHECK(static_cast<std::size_t>(*shape.train) == data.train.size());
    CHECK(static_cast<std::size_t>(*shape.test) == data.test.size());
    CHECK(shape.symbols == 800);
  }
  std::filesystem::remove(folder.file("input.txt"));
  CHECK(data_files(in_folder) == std::vector<std::string>{folder.file("input.txt.gz")});
}

TEST_CASE("by position a sample is its symbols' numbers, each with the next symbol as its label") {
  const ScratchFolder folder;
  DataSpec spec = text_of(folder, repeated("abcd", 25), 3);  // 90 and 10
  spec.by_position = true;
  const DataSplit data = load_data(spec, 1);
  CHECK(data.train.shape == Shape{1, 3, 1});
  CHECK(data.train.positions() == 3);
  CHECK(data.train.size() == 90 - 3);
  Batch batch;
  gather(data.train, std::vector<std::uint32_t>{0, 2, 86}, batch);
  CHECK(batch.size() == 3);
  CHECK(batch.inputs == std::vector<float>{0, 1, 2, /**/ 2, 3, 0, /**/ 2, 3, 0});
  CHECK(batch.labels == std::vector<std::uint8_t>{1, 2, 3, /**/ 3, 0, 1, /**/ 3, 0, 1});
  // For testing the windows follow one another: 3 x 3 symbols, and the one behind the last.
  REQUIRE(data.test.size() == 3);
  std::vector<std::uint8_t> labels;
  for (std::uint32_t n = 0; n < 3; ++n) {
    gather(data.test, std::vector<std::uint32_t>{n}, batch);
    labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
  }
  CHECK(labels == std::vector<std::uint8_t>{3, 0, 1, 2, 3, 0, 1, 2, 3});  // symbol 90 is the third of abcd
  const DataShape shape = data_shape_in_files(spec);
  CHECK(shape.shape == data.train.shape);
  CHECK(static_cast<std::size_t>(*shape.train) == data.train.size());
  CHECK(static_cast<std::size_t>(*shape.test) == data.test.size());
}

TEST_CASE("documents are dealt whole, at random, and blank lines part them") {
  const ScratchFolder folder;
  std::string text = "\n\n\n";
  std::vector<int> document(text.size(), 0);
  for (int i = 0; i < 50; ++i) {
    const std::string paragraph =
        "p" + std::string(static_cast<std::size_t>(1 + i % 5), 'q') + "\nr\n" + (i % 3 == 0 ? "\n" : "") + "\n";
    text += paragraph;
    document.resize(text.size(), i);
  }
  DataSpec spec = text_of(folder, text, 4);
  spec.partition = PartitionKind::document;
  const DataSplit data = load_data(spec, 1);
  constexpr int workers = 4;
  const auto shards = partition(data.train, spec, workers, 1, 2), others = partition(data.train, spec, workers, 2, 2);
  CHECK(shards != others);
  std::vector<int> owner(50, -1);
  std::size_t dealt = 0;
  for (int worker = 0; worker < workers; ++worker) {
    std::set<int> own;
    for (const std::uint32_t sample : shards[static_cast<std::size_t>(worker)]) {
      int& of = owner[static_cast<std::size_t>(document[sample])];
      CHECK((of == -1 || of == worker));
      of = worker;
      own.insert(document[sample]);
      ++dealt;
    }
    CHECK(own.size() >= 10);
    CHECK(own.size() <= 13);
  }
  CHECK(dealt == data.train.size());
  CHECK_THROWS_WITH_AS(partition(data.train, spec, 60, 1, 2), doctest::Contains("documents for 60 workers"),
                       InputError);
}

TEST_CASE("blank lines part documents whose lines end as in Windows, too") {
  const ScratchFolder folder;
  const auto documents = [&](const std::string& line_end) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "one line" + line_end + "another" + line_end + line_end;
    DataSpec spec = text_of(folder, text, 4);
    spec.partition = PartitionKind::document;
    return load_data(spec, 1).train.groups.back();
  };
  CHECK(documents("\n") == 17);
  CHECK(documents("\r\n") == documents("\n"));
}

TEST_CASE("a mark of the byte order is no symbol") {
  const ScratchFolder folder;
  CHECK(load_data(text_of(folder, "\xef\xbb\xbf" + repeated("ab", 20)), 1).train.classes == 2);
}

TEST_CASE("each thing that is wrong with a text is one line") {
  struct Wrong {
    std::string text, said;  // behind the file's name, unless it is a key's
    int context = 2;
  };
  std::string many;
  for (int i = 0; i < 300; ++i) many += {static_cast<char>(0xc4 + i / 64), static_cast<char>(0x80 + i % 64)};
  const std::vector<Wrong> table = {
      {"", "is empty; expected a text"},
      {"\xef\xbb\xbf", "is empty; expected a text"},
      {repeated("a", 100), "has one symbol again and again; expected at least two"},
      {many, "has 300 different symbols; expected at most 256"},
      {"one\ntwo\nthr\xe9"
       "e\n",
       "line 3: is not UTF-8; expected a text in UTF-8"},                      // Latin-1
      {"cut off \xe2\x82", "line 1: is not UTF-8; expected a text in UTF-8"},  // two bytes of three
      {"\xc0\x80", "line 1: is not UTF-8; expected a text in UTF-8"},          // 0 in two bytes
      {"\xe0\x80\xaf", "line 1: is not UTF-8; expected a text in UTF-8"},      // a slash in three
      {"\xed\xa0\x80", "line 1: is not UTF-8; expected a text in UTF-8"},      // half of a pair
      {"\xf4\x90\x80\x80", "line 1: is not UTF-8; expected a text in UTF-8"},  // beyond U+10FFFF
      {"a\xbf", "line 1: is not UTF-8; expected a text in UTF-8"},             // no first byte
  };
  for (const Wrong& wrong : table) {
    CAPTURE(wrong.said);
    const ScratchFolder folder;
    const DataSpec spec = text_of(folder, wrong.text, wrong.context);
    CHECK(error_text(spec) == spec.path + ": " + wrong.said);
  }
  const ScratchFolder folder;
  const DataSpec spec = text_of(folder, repeated("ab", 20), 4);  // 36 and 4
  CHECK(error_text(spec) == "data.context: 4 symbols, but " + spec.path +
                                " has 36 for training and 4 for testing; expected fewer than in each");
  CHECK(error_text({.source = DataSource::text, .path = folder.file("none.txt")}) ==
        folder.file("none.txt") + ": no such file");
  std::filesystem::remove(folder.file("input.txt"));
  CHECK(error_text({.source = DataSource::text, .path = folder.path()}) ==
        folder.path() + ": has no file input.txt; expected it, plain or with .gz");
}

}  // namespace ddl::data::text_test
