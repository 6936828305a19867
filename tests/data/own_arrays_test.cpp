// A user's own arrays: files that NumPy 1.24 wrote, whose values follow from their place, and such files damaged.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include "tests/data/scratch_folder.hpp"

namespace ddl::data::own_arrays_test {

namespace {

std::string written_by_numpy(const std::string& name) {
  return std::string(DDLSIM_SOURCE_DIR) + "/tests/data/numpy/" + name + ".npz";
}

DataSpec arrays(const std::string& path) {
  DataSpec spec;
  spec.source = DataSource::npy;
  spec.path = path;
  return spec;
}

// An array as numpy.save writes it, version 1.
FileBytes npy(const std::string& type, const std::string& shape, const FileBytes& values,
              const std::string& order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  FileBytes bytes = {0x93,
                     'N',
                     'U',
                     'M',
                     'P',
                     'Y',
                     1,
                     0,
                     static_cast<std::uint8_t>(header.size()),
                     static_cast<std::uint8_t>(header.size() >> 8)};
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

// Four samples of one byte, 0, 10, 20, 30, of classes 0 and 1.
void write_sound(const ScratchFolder& folder) {
  folder.write("x_train.npy", npy("|u1", "4, 1", {0, 10, 20, 30}));
  folder.write("y_train.npy", npy("|u1", "4,", {0, 1, 0, 1}));
}

}  // namespace

TEST_CASE("arrays that NumPy wrote are read, stored or deflated, in each type") {
  for (const char* name : {"stored", "deflated"}) {  // float32 and int64; float64, int32 as a column, and uint8
    CAPTURE(name);
    const DataSplit data = load_data(arrays(written_by_numpy(name)), 1);
    CHECK(data.train.shape == Shape{4, 1, 1});
    CHECK(data.train.classes == 3);
    REQUIRE(data.train.values.size() == 24);
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(data.train.labels[i] == i % 3);
      for (std::size_t j = 0; j < 4; ++j) {
        CHECK(data.train.values[4 * i + j] == static_cast<float>(i) + static_cast<float>(j) / 8);
      }
    }
    REQUIRE(data.test.values.size() == 12);
    CHECK(data.test.values[11] == 102.375f);
    CHECK(data.test.labels == std::vector<std::uint8_t>{0, 1, 2});
    Batch batch;
    gather(data.test, std::vector<std::uint32_t>{1}, batch);
    CHECK(batch.inputs == std::vector<float>{101, 101.125f, 101.25f, 101.375f});  // unchanged
    const DataShape shape = data_shape_in_files(arrays(written_by_numpy(name)));
    CHECK(shape.shape == data.train.shape);
    CHECK(shape.classes == 3);
    CHECK(shape.bytes_of_value == 4);
    CHECK(shape.train == 6);
    CHECK(shape.test == 3);
  }
}

TEST_CASE("images with their channels last are the same planes as with these first") {
  DataSpec spec = arrays(written_by_numpy("planes"));
  spec.held_out = 0.2;  // one of five
  CHECK(error_text(spec) == spec.path +
                                ": x_train: has samples of 2 x 2 x 3, whose channels seem to come last; "
                                "expected data.channels to be \"last\" or \"first\"");
  spec.channels = Channels::first;
  const DataSplit first = load_data(spec, 1);
  CHECK(first.train.shape == Shape{2, 2, 3});
  CHECK(first.train.size() == 4);
  CHECK(first.test.size() == 1);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto sample = static_cast<int>(first.train.number_of(static_cast<std::uint32_t>(i)));
    for (int place = 0; place < 12; ++place) {
      const int channel = place / 6, row = place / 3 % 2, column = place % 3;
      CHECK(first.train.pixels[12 * i + static_cast<std::size_t>(place)] == 100 * channel + 10 * row + column + sample);
    }
  }
  Batch batch;
  gather(first.train, std::vector<std::uint32_t>{0}, batch);
  CHECK(batch.inputs[0] == doctest::Approx(first.train.pixels[0] / 255.0).epsilon(1e-6));

  spec.path = written_by_numpy("channels_last");
  spec.channels = Channels::last;
  const DataSplit last = load_data(spec, 1);
  CHECK(last.train.shape == first.train.shape);
  CHECK(last.train.pixels == first.train.pixels);
  CHECK(last.train.labels == first.train.labels);
}

TEST_CASE("samples for testing are held out by the seed, classes in proportion, and leave the others") {
  const ScratchFolder folder;
  FileBytes values, labels;
  for (int i = 0; i < 200; ++i) values.push_back(static_cast<std::uint8_t>(i));
  for (int i = 0; i < 200; ++i) labels.push_back(i < 150 ? 0 : 1);
  folder.write("x_train.npy", npy("|u1", "200, 1", values));
  folder.write("y_train.npy", npy("|u1", "200,", labels));
  const DataSplit data = load_data(arrays(folder.path()), 1);
  CHECK(data.test.size() == 40);  // the default, a fifth
  CHECK(std::ranges::count(data.test.labels, 1) == 10);
  std::set<std::uint8_t> all(data.train.pixels.begin(), data.train.pixels.end());
  all.insert(data.test.pixels.begin(), data.test.pixels.end());
  CHECK(all.size() == 200);
  CHECK(std::ranges::is_sorted(data.train.pixels));
  CHECK(load_data(arrays(folder.path()), 2).test.pixels != data.test.pixels);
  CHECK(data_shape_in_files(arrays(folder.path())).train == 160);
  CHECK(data_shape_in_files(arrays(folder.path())).test == 40);
}

TEST_CASE("a partition by an array keeps the samples of a value together") {
  DataSpec spec = arrays(written_by_numpy("stored"));
  spec.partition = PartitionKind::column;
  spec.column = Column{"client"};  // 7 7 30 5 30 5: in order 5, 7, 30
  const DataSplit data = load_data(spec, 1);
  using Shards = std::vector<std::vector<std::uint32_t>>;
  CHECK(partition(data.train, spec, 3, 1, 1) == Shards{{3, 5}, {0, 1}, {2, 4}});
  CHECK(partition(data.train, spec, 2, 1, 1) == Shards{{2, 3, 4, 5}, {0, 1}});
  CHECK_THROWS_WITH(partition(data.train, spec, 4, 1, 1),
                    "data.column: has 3 values for 4 workers, of which number 3 gets no training sample; expected at "
                    "least one value for each");
  CHECK(data_files(spec) == std::vector<std::string>{written_by_numpy("stored")});
}

TEST_CASE("files of a folder are read, and named, plain or compressed") {
  const ScratchFolder folder;
  write_sound(folder);
  folder.write_compressed("x_test.npy.gz", npy("|u1", "1, 1", {40}));
  folder.write("y_test.npy", npy("|u1", "1,", {1}));
  const DataSplit data = load_data(arrays(folder.path()), 1);
  CHECK(data.train.pixels == std::vector<std::uint8_t>{0, 10, 20, 30});
  CHECK(data.test.pixels == std::vector<std::uint8_t>{40});
  CHECK(data_files(arrays(folder.path())) ==
        std::vector<std::string>{folder.file("x_train.npy"), folder.file("y_train.npy"), folder.file("x_test.npy.gz"),
                                 folder.file("y_test.npy")});
}

TEST_CASE("an array is the same in either order of its axes and of its bytes") {
  const auto loaded = [](const char* name) {
    DataSpec spec = arrays(written_by_numpy(name));
    spec.held_out = 0.2;  // one of six
    return load_data(spec, 1).train.values;
  };
  const std::vector<float> values = loaded("fortran");  // i + j / 8 in row i and column j
  REQUIRE(values.size() == 20);
  for (std::size_t i = 1; i < 20; ++i) CHECK((i % 4 == 0 || values[i] == values[i - 1] + 0.125f));
  CHECK(loaded("big_endian") == values);

  // 2 x 3 x 2 values, with the first axis the fastest: value [i, j, k] lies at i + 2 j + 6 k.
  const ScratchFolder folder;
  folder.write("y_train.npy", npy("|u1", "2,", {0, 1}));
  folder.write("y_test.npy", npy("|u1", "2,", {0, 1}));
  folder.write("x_train.npy", npy("|u1", "2, 3, 2", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "True"));
  folder.write("x_test.npy", npy("|u1", "2, 3, 2", {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
  const DataSplit data = load_data(arrays(folder.path()), 1);
  CHECK(data.train.shape == Shape{1, 3, 2});
  CHECK(data.train.pixels == data.test.pixels);
}

TEST_CASE("arrays of each type of numbers are read, with the bytes in each order") {
  struct Row {
    std::string type;
    FileBytes bytes;  // one value, the highest byte first
    float value;
  };
  const Row rows[] = {{"b1", {1}, 1},
                      {"i1", {0xfe}, -2},
                      {"i2", {0xfe, 0xd4}, -300},
                      {"u2", {0xfe, 0xd4}, 65236},
                      {"i4", {0xff, 0xfe, 0x79, 0x60}, -100000},
                      {"u4", {0xff, 0xff, 0xff, 0x00}, 4294967040},
                      {"i8", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -1},
                      {"u8", {0x80, 0, 0, 0, 0, 0, 0, 0}, 9223372036854775808.0f},
                      {"f2", {0xc1, 0x00}, -2.5f},
                      {"f2", {0x00, 0x01}, 0x1p-24f},
                      {"f2", {0x7b, 0xff}, 65504},
                      {"f4", {0xc0, 0x20, 0, 0}, -2.5f},
                      {"f8", {0xc0, 0x04, 0, 0, 0, 0, 0, 0}, -2.5f}};
  for (const Row& row : rows) {
    for (const std::string order : {"<", ">", "|", "=", ""}) {
      CAPTURE(order + row.type);
      FileBytes values(row.bytes.size());  // the first sample, 0
      values.insert(values.end(), row.bytes.begin(), row.bytes.end());
      if (order != ">") std::reverse(values.end() - static_cast<std::ptrdiff_t>(row.bytes.size()), values.end());
      const ScratchFolder folder;
      for (const std::string set : {"train", "test"}) {
        folder.write("x_" + set + ".npy", npy(order + row.type, "2, 1", values));
        folder.write("y_" + set + ".npy", npy("|u1", "2,", {0, 1}));
      }
      const DataSplit data = load_data(arrays(folder.path()), 1);
      CHECK(data.train.values == std::vector<float>{0, row.value});
      CHECK(data_shape_in_files(arrays(folder.path())).bytes_of_value == 4);
    }
  }
}

TEST_CASE("headers of Python 2 and of each version are read") {
  const FileBytes plain = npy("|u1", "4, 1", {0, 10, 20, 30});
  const auto with_version = [&](std::uint8_t version) {  // header length in four bytes
    FileBytes bytes = plain;
    bytes[6] = version;
    bytes.insert(bytes.begin() + 10, {0, 0});
    return bytes;
  };
  for (const FileBytes& x : {plain, npy("|u1", "4L, 1L", {0, 10, 20, 30}), with_version(2), with_version(3)}) {
    const ScratchFolder folder;
    write_sound(folder);
    folder.write("x_train.npy", x);
    DataSpec spec = arrays(folder.path());
    spec.held_out = 0.25;
    CHECK(load_data(spec, 1).train.size() == 3);
  }
}

TEST_CASE("labels are numbers from 0 or from 1, -1 and 1, or one-hot, and classes are called as they are") {
  struct Row {
    FileBytes train, test;
    int classes;
    std::vector<std::uint8_t> labels, test_labels;
    std::vector<std::string> names;
    std::vector<std::string> notes = {};
  };
  using Names = std::vector<std::string>;
  const Row rows[] = {
      {npy("|u1", "4,", {0, 1, 2, 1}),
       npy("|i1", "2, 1", {1, 2}),
       3,
       {0, 1, 2, 1},
       {1, 2},
       Names{"0", "1", "2"},
       {"has 3 classes, of which most have one sample"}},
      {npy("|u1", "4,", {1, 2, 2, 1}), npy("|u1", "2,", {1, 2}), 2, {0, 1, 1, 0}, {0, 1}, Names{"1", "2"}},
      {npy("|i1", "4,", {0xff, 1, 1, 0xff}), npy("|i1", "2,", {1, 0xff}), 2, {0, 1, 1, 0}, {1, 0}, Names{"-1", "1"}},
      {npy("|b1", "4,", {1, 0, 0, 1}), npy("|u1", "2,", {1, 0}), 2, {1, 0, 0, 1}, {1, 0}, Names{"0", "1"}},
      {npy("|u1", "4, 3", {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}),
       npy("|u1", "2, 3", {0, 1, 0, 1, 0, 0}),
       3,
       {0, 2, 0, 2},
       {1, 0},
       Names{"0", "1", "2"},
       {"has no training sample of 1 of its 3 classes: 1"}},
      {npy("|u1", "4,", {0, 3, 3, 0}),
       npy("|u1", "2,", {3, 1}),
       4,
       {0, 3, 3, 0},
       {3, 1},
       Names{"0", "1", "2", "3"},
       {"has no training sample of 2 of its 4 classes: 1, 2"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.classes);
    const ScratchFolder folder;
    write_sound(folder);
    folder.write("x_test.npy", npy("|u1", "2, 1", {1, 2}));
    folder.write("y_train.npy", row.train);
    folder.write("y_test.npy", row.test);
    const DataSplit data = load_data(arrays(folder.path()), 1);
    CHECK(data.train.classes == row.classes);
    CHECK(data.train.labels == row.labels);
    CHECK(data.test.labels == row.test_labels);
    CHECK(data.train.class_names == row.names);
    const DataShape shape = data_shape_in_files(arrays(folder.path()));
    CHECK(shape.classes == row.classes);
    std::vector<std::string> notes;
    for (const std::string& note : row.notes) notes.push_back(folder.file("y_train.npy") + ": " + note);
    CHECK(shape.notes == notes);
  }
}

TEST_CASE("arrays that cannot be used are refused in one line that names them") {
  const auto said = [](const std::string& path) { return error_text(arrays(path)); };
  CHECK(said(written_by_numpy("words")) ==
        written_by_numpy("words") +
            ": y_train: has values of type \"<U1\"; expected bool, or integers or floats of up to 64 bits");
  struct Row {
    std::string file, phrase;
    FileBytes bytes;
  };
  const FileBytes x = npy("|u1", "4, 1", {0, 10, 20, 30});
  const auto floats = [](float value) {
    FileBytes bytes(16);
    std::memcpy(bytes.data() + 12, &value, sizeof value);
    return bytes;
  };
  const Row rows[] = {
      {"x_train.npy", "is no array of NumPy", FileBytes(20, 'x')},
      {"x_train.npy", "is no array of NumPy", {}},
      {"x_train.npy", "is cut short, or has a header beyond 64 KiB", FileBytes(x.begin(), x.begin() + 60)},
      {"x_train.npy", "has 3 bytes of values; expected 4, as its header says", FileBytes(x.begin(), x.end() - 1)},
      {"x_train.npy", "has too many values for any memory", npy("|u1", "4, 99999999999999", {})},
      {"x_train.npy", "has a damaged header", npy("|u1", "4, -1", {0, 1, 2, 3})},
      {"x_train.npy", "has a damaged header", npy("|u1", "4, 1), 'more': (1", {0, 1, 2, 3})},
      {"x_train.npy", "has samples of 0; expected 1 to 16,777,216 values", npy("|u1", "4, 0", {})},
      {"x_train.npy", "has samples of 4 axes; expected at most 3", npy("|u1", "4, 1, 1, 1, 1", {0, 1, 2, 3})},
      {"x_train.npy", "value 0 of sample 3 is not finite",
       npy("<f4", "4, 1", floats(std::numeric_limits<float>::infinity()))},
      {"x_train.npy", "has no sample", npy("|u1", "0, 1", {})},
      {"y_train.npy", "has 3 values; expected one for each of the 4 samples of x_train", npy("|u1", "3,", {0, 1, 0})},
      {"y_train.npy", "has 8 values; expected one for each", npy("|u1", "4, 2, 1", {0, 1, 0, 1, 0, 1, 0, 1})},
      {"y_train.npy", "has samples of one class alone", npy("|u1", "4,", {0, 0, 0, 0})},
      {"y_train.npy", "has samples of one class alone", npy("|u1", "4,", {5, 5, 5, 5})},
      {"y_train.npy", "has samples of one class alone", npy("|u1", "4,", {1, 1, 1, 1})},
      {"y_train.npy", "row 1 is not one-hot; expected a number for each sample, or a 1 among zeros",
       npy("|u1", "4, 2", {0, 1, 1, 1, 0, 1, 1, 0})},
      {"y_train.npy", "row 3 is not one-hot", npy("|u1", "4, 2", {0, 1, 1, 0, 0, 1, 0, 0})},
      {"y_train.npy", "row 0 is not one-hot", npy("|u1", "4, 2", {0, 2, 1, 0, 0, 1, 0, 1})},
      {"y_train.npy", "has 2 rows; expected one for each of the 4 samples of x_train",
       npy("|u1", "2, 2", {0, 1, 1, 0})},
      {"y_train.npy", "label 2 is -1; expected whole numbers from 0 or 1 on, or -1 and 1",
       npy("|i1", "4,", {0, 1, 0xff, 2})},
      {"x_train.npy", "has values of type \"<c8\"; expected bool, or integers or floats",
       npy("<c8", "2, 1", FileBytes(16))},
      {"x_train.npy", "has values of type \"|O\"", npy("|O", "2, 1", FileBytes(16))},
      {"x_train.npy", "has values of type \"<f16\"", npy("<f16", "1, 1", FileBytes(16))},
      {"x_train.npy", "has values of type \"|V4\"", npy("|V4", "4, 1", FileBytes(16))},
      {"x_train.npy", "has values of type \"<M8[D]\"", npy("<M8[D]", "2, 1", FileBytes(16))},
      {"x_train.npy", "has values of type \"?x??\"", npy(std::string("\nx\0\xff", 4), "4, 1", FileBytes(16))},
      {"x_train.npy", "has a damaged header", npy("|u1", "4, 1", {0, 1, 2, 3}, "Maybe")},
      {"x_train.npy", "has a damaged header", npy("|u1", "4, 1), } (0", {0, 1, 2, 3})},
      {"y_train.npy", "value 3 is 0.5; expected whole numbers from -1 to 256", npy("<f4", "4,", floats(0.5f))},
      {"y_train.npy", "label 3 is -1; expected whole numbers from 0 or 1 on, or -1 and 1",
       npy("<f4", "4,", floats(-1))},
      {"y_train.npy", "value 3 is nan; expected", npy("<f4", "4,", floats(std::numeric_limits<float>::quiet_NaN()))},
  };
  for (const Row& row : rows) {
    CAPTURE(row.phrase);
    const ScratchFolder folder;
    write_sound(folder);
    REQUIRE(said(folder.path()) == "");
    folder.write(row.file, row.bytes);
    CHECK(said(folder.path()).starts_with(folder.file(row.file) + ": " + row.phrase));
  }
  const ScratchFolder folder;
  write_sound(folder);
  std::filesystem::remove(folder.file("y_train.npy"));
  CHECK(said(folder.path()) == folder.path() + ": has no array y_train; expected y_train.npy");
  write_sound(folder);
  folder.write("x_test.npy", npy("|u1", "1, 2", {1, 2}));
  folder.write("y_test.npy", npy("|u1", "1,", {1}));
  CHECK(said(folder.path()) ==
        folder.file("x_test.npy") + ": has samples of another shape than x_train; expected the same");
  folder.write("x_test.npy", npy("|u1", "1, 1", {1}));
  folder.write("y_test.npy", npy("|u1", "1,", {2}));
  CHECK(said(folder.path()) == folder.file("y_test.npy") + ": label 0 is 2; expected 0 to 1");
}

TEST_CASE("a zip file with any one byte changed or any end cut off is read as it was, or refused in one line") {
  for (const char* name : {"stored", "deflated"}) {
    const std::string text = text_of(written_by_numpy(name));
    const FileBytes sound(text.begin(), text.end());
    const ScratchFolder folder;
    const std::string path = folder.file("x.npz");
    const auto check_bytes = [&](const FileBytes& bytes) {
      folder.write("x.npz", bytes);
      const std::string said = error_text(arrays(path));
      CHECK((said.empty() || said.starts_with(path + ": ")));
      CHECK(said.find('\n') == std::string::npos);
      return said;
    };
    REQUIRE(check_bytes(sound) == "");
    for (std::size_t at = 0; at < sound.size(); ++at) {
      FileBytes bytes = sound;
      bytes[at] ^= 0x41;
      check_bytes(bytes);
      bytes.resize(at);
      CHECK(check_bytes(bytes) != "");
    }
    // A byte of the values, covered by the checksum.
    FileBytes bytes = sound;
    const auto header = std::search(bytes.begin(), bytes.end(), "NUMPY", "NUMPY" + 5);
    if (header != bytes.end()) {
      *(header + 140) ^= 1;
      CHECK(check_bytes(bytes) == path + ": has a damaged member, whose checksum differs; expected a whole zip file");
    }
  }
  const ScratchFolder folder;
  CHECK(error_text(arrays(folder.file("none.npz"))) == folder.file("none.npz") + ": no such file");
}

}  // namespace ddl::data::own_arrays_test
