// A user's own tables, and IDX files of any shape.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/data/categories.hpp"
#include "tests/data/sound_files.hpp"
#include "tests/support/dialects.hpp"

namespace ddl::data::own_csv_test {

namespace {

void write_text(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  folder.write(name, FileBytes(text.begin(), text.end()));
}

DataSpec table(const ScratchFolder& folder, const std::string& name = "own.csv") {
  DataSpec spec;
  spec.source = DataSource::csv;
  spec.path = folder.file(name);
  return spec;
}

// Both sets from tables, so that nothing is drawn.
DataSplit loaded(const std::string& text, const std::string& test, DataSpec spec = {}) {
  const ScratchFolder folder;
  write_text(folder, "own.csv", text);
  write_text(folder, "test.csv", test);
  spec.source = DataSource::csv;
  spec.path = folder.file("own.csv");
  spec.test_path = folder.file("test.csv");
  const DataSplit data = load_data(spec, 1);
  const DataShape shape = data_shape_in_files(spec);
  CHECK(shape.shape == data.train.shape);
  CHECK(shape.classes == data.train.classes);
  CHECK(shape.train == data.train.size());
  CHECK(shape.test == data.test.size());
  return data;
}

}  // namespace

TEST_CASE("a table's columns are features but the label's, whose words in order are the classes") {
  const DataSplit data = loaded("length,width,kind\n1.5,-2,rose\r\n+3e1,0.25,aster\n 7 , 8 ,\"rose\"\n\n",
                                "length,width,kind\n1,2,rose\n");
  CHECK(data.train.shape == Shape{2, 1, 1});
  CHECK(data.train.classes == 2);
  CHECK(data.train.values == std::vector<float>{1.5f, -2, 30, 0.25f, 7, 8});
  CHECK(data.train.labels == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(data.test.values == std::vector<float>{1, 2});
  CHECK(data.test.labels == std::vector<std::uint8_t>{1});
  Batch batch;
  gather(data.train, std::vector<std::uint32_t>{1, 0}, batch);
  CHECK(batch.inputs == std::vector<float>{30, 0.25f, 1.5f, -2});
}

TEST_CASE("the label, what to ignore and the column of a partition go by name or by number") {
  DataSpec spec;
  spec.label = Column{"y"};
  spec.ignore = {Column{1}};
  spec.column = Column{"site"};
  spec.partition = PartitionKind::column;
  const std::string text = "id,y,a,site,b\nu1,10,1,s10,2\nu2,9,3,s2,4\nu3,9.0,5,s10,6\nu4,10,7,s1,8\n";
  const DataSplit data = loaded(text, text, spec);
  CHECK(data.train.values == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(data.train.labels == std::vector<std::uint8_t>{1, 0, 0, 1});   // 9 before 10, and 9.0 is 9
  CHECK(data.train.groups == std::vector<std::uint32_t>{2, 1, 2, 0});  // s1, s2, s10
  using Shards = std::vector<std::vector<std::uint32_t>>;
  CHECK(partition(data.train, spec, 3, 1, 1) == Shards{{3}, {1}, {0, 2}});
  CHECK(partition(data.train, spec, 2, 1, 1) == Shards{{0, 2, 3}, {1}});
}

TEST_CASE("a table needs no header, but a number in the first line needs a word about it") {
  const std::string text = "1,2,0\n3,4,1\n";
  const ScratchFolder folder;
  write_text(folder, "own.csv", text);
  DataSpec spec = table(folder);
  CHECK(error_text(spec) == spec.path +
                                ": line 1, column 1: 1 is a number; expected names in the first line, or data.header "
                                "to be false (or true, if it is a name)");
  spec.header = false;
  CHECK(loaded(text, text, spec).train.values == std::vector<float>{1, 2, 3, 4});
  spec.header = true;  // pandas names columns 0, 1, 2
  const std::string numbered = "0,1,2\n1,2,0\n3,4,1\n";
  CHECK(loaded(numbered, numbered, spec).train.values == std::vector<float>{1, 2, 3, 4});
  spec.header.reset();
  spec.label = Column{"2"};  // only a header can have that name
  CHECK(loaded(numbered, numbered, spec).train.values == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("standardised features have mean 0 and deviation 1 over the training samples alone") {
  DataSpec spec;
  spec.standardize = true;
  // Column a: mean 3, squares 4 + 0 + 4, deviation sqrt(8/3). Column b: 1000000 and two more, deviation sqrt(2/3).
  // Column c is constant.
  const DataSplit data =
      loaded("a,b,c,y\n1,999999,7,p\n3,1000000,7,q\n5,1000001,7,q\n", "a,b,c,y\n11,1000002,8,p\n", spec);
  Batch batch;
  gather(data.train, std::vector<std::uint32_t>{0, 1, 2}, batch);
  const double a = 2 / std::sqrt(8.0 / 3), b = 1 / std::sqrt(2.0 / 3);
  const double expected[] = {-a, -b, 0, 0, 0, 0, a, b, 0};
  for (std::size_t i = 0; i < 9; ++i) CHECK(batch.inputs[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  gather(data.test, std::vector<std::uint32_t>{0}, batch);
  CHECK(batch.inputs[0] == doctest::Approx(8 / std::sqrt(8.0 / 3)).epsilon(1e-6));
  CHECK(batch.inputs[1] == doctest::Approx(2 / std::sqrt(2.0 / 3)).epsilon(1e-6));
  CHECK(batch.inputs[2] == 1);
}

TEST_CASE("images are standardised by channel, of bytes too") {
  const ScratchFolder folder;
  write_mnist(folder);
  DataSpec spec = spec_of(folder, DataSource::mnist);
  spec.standardize = true;
  const DataSplit data = load_data(spec, 1);
  Batch batch;
  std::vector<std::uint32_t> all(data.train.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  gather(data.train, all, batch);
  double sum = 0, squares = 0;
  for (const float value : batch.inputs) sum += value, squares += static_cast<double>(value) * value;
  const auto count = static_cast<double>(batch.inputs.size());
  CHECK(std::fabs(sum / count) < 1e-5);
  CHECK(squares / count == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE("each kind of damage to a table is one line with its file, line and column") {
  struct Row {
    std::string text, said;
    std::function<void(DataSpec&)> set = [](DataSpec&) {};
  };
  const auto label = [](Column column) { return [column](DataSpec& spec) { spec.label = column; }; };
  const std::string sound = "a,b,y\n1,2,p\n3,4,q\n5,6,p\n7,8,q\n9,10,q\n";
  const Row rows[] = {
      {sound, ""},
      {"", "is empty; expected a line for each sample"},
      {"\n\r\n", "is empty; expected a line for each sample"},
      {"a,b,y\n", "has no sample; expected lines below the names of its columns"},
      {"a,b,y\n1,2,p\n3,x,q\n", "line 3, column 2 (\"b\"): \"x\" is no number; expected one"},
      {"a,b,y\n1,2,p\n3,,q\n", "line 3, column 2 (\"b\"): is empty; expected a number"},
      {"a,b,y\n1,nan,p\n3,4,q\n", "line 2, column 2 (\"b\"): \"nan\" is no value; expected a number"},
      {"a,b,y\n1,1e300,p\n3,4,q\n", "line 2, column 2 (\"b\"): \"1e300\" is beyond float32; expected"},
      {"a,b,y\n1,0x1p3,p\n3,4,q\n", "line 2, column 2 (\"b\"): \"0x1p3\" is no number; expected one"},
      {"a,b,y\n1,2,p\n3,4,\n", "line 3, column 3 (\"y\"): is empty; expected a word or number"},
      {"a,b,y\n1,2,p\n3,4\n", "line 3: has 2 cells; expected 3, as the first line has"},
      {"a,b,y\n1,2,p,9\n3,4,q\n", "line 2: has 4 cells; expected 3, as the first line has"},
      {"a,b,y\n1,2,\"p\n3,4,q\n", "line 2, column 3: has no closing quote; expected one"},
      {"a,b,y\n1,2,\"p\"q\n3,4,q\n", "line 2, column 3: goes on behind its closing quote; expected a comma there"},
      {"a,b,y\n1,2,p\n3,4,p\n",
       "column 3 (\"y\"), the last one, for data.label names none: has samples of one class alone"},
      {"y\np\nq\n", "has no feature; expected a column beside the label's"},
      {",a,y\n0,1,p\n1,2,q\n", "line 1, column 1: has no name, as a number of the row; expected one, or data.ignore"},
      {sound, "has no column \"z\", which data.label asks for; its columns are \"a\", \"b\", \"y\"",
       label(Column{"z"})},
      {sound, "has 3 columns; data.label asks for number 4", label(Column{4})},
      {sound, "has 3 columns; data.label asks for number 0", label(Column{0})},
      {"a,a,y\n1,2,p\n3,4,q\n", "has two columns \"a\", which data.label asks for", label(Column{"a"})},
      {sound, "column \"y\" has two uses; data.ignore is one",
       [](DataSpec& spec) {
         spec.label = Column{3};
         spec.ignore = {Column{"y"}};
       }},
      {"1,2\n3,4\n", "has no names of columns; data.label asks for \"y\"; expected its number",
       [](DataSpec& spec) {
         spec.header = false;
         spec.label = Column{"y"};
       }},
      {sound, "has 5 samples, of which 5 would be kept for testing; expected others, too",
       [](DataSpec& spec) { spec.held_out = 0.99; }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const ScratchFolder folder;
    write_text(folder, "own.csv", row.text);
    DataSpec spec = table(folder);
    row.set(spec);
    const std::string said = error_text(spec);
    CHECK_MESSAGE(said.starts_with(row.said.empty() ? "" : spec.path + ": " + row.said), said);
    CHECK(said.empty() == row.said.empty());
  }
  std::string many = "a,y\n";
  for (int i = 0; i < 300; ++i) many += "1," + std::to_string(i) + "\n";
  const ScratchFolder folder;
  write_text(folder, "own.csv", many);
  CHECK(error_text(table(folder)) ==
        folder.file("own.csv") +
            ": column 2 (\"y\"), the last one, for data.label names none: has labels of 300 classes; expected at most "
            "256");
}

TEST_CASE("labels that are no classes are refused with their lines, or noted") {
  const auto numbered = [](const std::vector<std::string>& labels) {
    std::string text = "a,y\n";
    for (const std::string& label : labels) text += "1," + label + "\n";
    return text;
  };
  const std::string column = "column 2 (\"y\"): has ";
  const std::string alone = "column 2 (\"y\"), the last one, for data.label names none: has ";
  struct Row {
    std::vector<std::string> labels, notes;
    std::string error = "";
  };
  const Row rows[] = {
      {{"1", "2", "1", "2"}, {}},
      {{"1", "2", "NaN", "1", "nan", "2"},
       {},
       column + "\"NaN\" in 2 lines (4, 6), which is no value; expected a number"},
      {{"0", "1", "?", "0", "1"},
       {},
       column + "\"?\" in 1 line (4), which is no value; expected a number in each line"},
      {{"0", "1", "inf", "0", "1"}, {}, column + "\"inf\" in 1 line (4), which is no value"},
      {{"0", "1", "NA", "NA", "NA", "NA", "NA", "NA", "NA"},
       {},
       column + "\"NA\" in 7 lines (4, 5, 6, 7, 8, 9, ...), which"},
      {{"oak", "elm", "none", "oak", "elm", "none"}, {column + "\"none\" in 2 lines (4, 7), which is taken as a word"}},
      {{"1", "2", "3+", "1", "2", "3+"},
       {column + "numbers and words such as \"3+\" in 2 lines (4, 7), so all are words"}},
      {{"0.5", "1.5", "2", "3"},
       {},
       alone + "real numbers, 4 different ones such as 0.5, which are no classes; expected"},
      {{"0.5", "1", "0.5", "1"}, {alone + "real numbers such as 0.5, and each of the 2 is a class"}},
      {{"a", "b", "c", "a"}, {alone + "3 classes, of which most have one sample"}},
      {{"7", "8", "9"}, {alone + "3 classes, of which most have one sample"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.labels[2]);
    const ScratchFolder folder;
    write_text(folder, "own.csv", numbered(row.labels));
    const DataSpec spec = table(folder);
    const std::string said = error_text(spec);
    CHECK_MESSAGE(said.starts_with(row.error.empty() ? "" : spec.path + ": " + row.error), said);
    CHECK(said.empty() == row.error.empty());
    if (!said.empty()) continue;
    std::vector<std::string> notes;
    for (const std::string& note : row.notes) notes.push_back(spec.path + ": " + note);
    CHECK(data_shape_in_files(spec).notes == notes);
  }
}

TEST_CASE("words that are no value are no place in a partition by a column") {
  const ScratchFolder folder;
  write_text(folder, "own.csv", "client,a,y\n1,1,p\n2,3,q\nNULL,2,p\n2,3,q\n");
  DataSpec spec = table(folder);
  spec.column = Column{"client"};
  CHECK(error_text(spec) ==
        spec.path +
            ": column 1 (\"client\"): has \"NULL\" in 1 line (4), which is no value; expected a number in each line");
}

TEST_CASE("a table is read in every way to write it, and classes are called by their labels") {
  const std::string plain = "a,b,y\n1.5,-2,rose\n3e1,0.25,aster\n7,1e-400,rose\n";
  for (const auto& [what, text] : dialects_of(plain)) {
    CAPTURE(what);
    const DataSplit data = loaded(text, plain);
    CHECK(data.train.values == std::vector<float>{1.5f, -2, 30, 0.25f, 7, 0});
    CHECK(data.train.labels == std::vector<std::uint8_t>{1, 0, 1});
    CHECK(data.train.class_names == std::vector<std::string>{"aster", "rose"});
  }
  CHECK(loaded("a,y\n1,9007199254740993\n1,9007199254740992\n", "a,y\n1,9007199254740993\n").train.labels ==
        std::vector<std::uint8_t>{1, 0});  // though one double is both
  CHECK(loaded("a,y\n1,2.0\n1,1\n1,2\n", "a,y\n1,+1\n").train.class_names == std::vector<std::string>{"1", "2"});
}

TEST_CASE("a table of test samples has the columns and classes of the other one") {
  const ScratchFolder folder;
  write_text(folder, "own.csv", "a,y\n1,p\n2,q\n");
  write_text(folder, "test.csv", "a,y\n1,r\n");
  DataSpec spec = table(folder);
  spec.test_path = folder.file("test.csv");
  CHECK(error_text(spec) == spec.test_path + ": line 2: has the label \"r\", which no training sample has");
  write_text(folder, "test.csv", "b,y\n1,p\n");
  CHECK(error_text(spec) ==
        spec.test_path + ": has other columns than " + spec.path + "; expected the same, in the same order");
  CHECK(data_files(spec) == std::vector<std::string>{spec.path, spec.test_path});
}

TEST_CASE("a compressed table is read, and a byte order mark is none of its name") {
  const ScratchFolder folder;
  const std::string text =
      "\xef\xbb\xbf"
      "a,y\n1,p\n2,q\n3,p\n4,q\n";
  folder.write_compressed("own.csv.gz", FileBytes(text.begin(), text.end()));
  DataSpec spec = table(folder, "own.csv.gz");
  spec.label = Column{"a"};  // found by its name
  CHECK(error_text(spec).find("line 2, column 2 (\"y\"): \"p\" is no number") != std::string::npos);
  spec.label = Column{"y"};
  spec.held_out = 0.25;
  const DataSplit data = load_data(spec, 1);
  CHECK(data.train.size() == 3);
  CHECK(data.test.size() == 1);
}

TEST_CASE("labels of IDX files from 1 on are as many classes as there are, and those of MNIST are ten") {
  const ScratchFolder folder;
  write_mnist(folder);  // labels 0 to 9
  CHECK(data_shape_in_files(spec_of(folder, DataSource::idx)).classes == 10);
  CHECK(data_shape_in_files(spec_of(folder, DataSource::idx)).notes.empty());
  const auto from_1 = [](std::uint32_t count) {
    FileBytes labels = label_file(count);
    for (std::size_t i = 8; i < labels.size(); ++i) ++labels[i];
    return labels;
  };
  folder.write(train_labels, from_1(25));
  CHECK(error_text(spec_of(folder, DataSource::mnist)) ==
        folder.file(train_labels) + ": label 9 is 10; expected 0 to 9");
  CHECK(error_text(spec_of(folder, DataSource::idx)) == folder.file(test_labels) + ": label 0 is 0; expected 1 to 10");
  folder.write(test_labels, from_1(12));
  const DataSplit data = load_data(spec_of(folder, DataSource::idx), 1);
  CHECK(data.train.classes == 10);
  CHECK(data.train.labels[9] == 9);
  CHECK(data.test.labels[0] == 0);
  CHECK(data.train.class_names.front() == "1");
}

TEST_CASE("IDX files of other shapes and classes are those of their headers and labels") {
  const auto idx = [](const std::vector<std::uint32_t>& axes, std::uint8_t step) {
    FileBytes bytes;
    put_number(bytes, 0x800u + static_cast<std::uint32_t>(axes.size()));
    std::uint32_t count = 1;
    for (const std::uint32_t axis : axes) {
      put_number(bytes, axis);
      count *= axis;
    }
    for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(step * i));
    return bytes;
  };
  const ScratchFolder folder;
  FileBytes labels = label_file(6);  // 0 to 5
  labels.back() = 6;
  folder.write(train_images, idx({6, 4, 5}, 1));
  folder.write(train_labels, labels);
  folder.write(test_images, idx({2, 4, 5}, 2));
  folder.write(test_labels, label_file(2));
  const DataSpec spec = spec_of(folder, DataSource::idx);
  const DataSplit data = load_data(spec, 1);
  CHECK(data.train.shape == Shape{1, 4, 5});
  CHECK(data.train.classes == 7);
  CHECK(data.train.pixels[119] == 119);
  CHECK(data.test.pixels[39] == 78);
  CHECK(data.test.classes == 7);
  const DataShape shape = data_shape_in_files(spec);
  CHECK(shape.shape == data.train.shape);
  CHECK(shape.classes == 7);
  CHECK(shape.train == 6);
  CHECK(shape.test == 2);
  Batch batch;
  gather(data.train, std::vector<std::uint32_t>{5}, batch);
  CHECK(batch.inputs[19] == doctest::Approx(119 / 255.0).epsilon(1e-6));

  folder.write(test_images, idx({2, 5, 4}, 2));
  CHECK(error_text(spec) ==
        folder.file(test_images) + ": has samples of another shape than those for training; expected the same");
  folder.write(test_images, idx({2, 4, 5}, 2));
  folder.write(test_labels, labels);
  CHECK(error_text(spec).starts_with(folder.file(test_labels) + ": announces 6 labels; expected 2"));
  folder.write(train_labels, FileBytes{0, 0, 8, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0});
  CHECK(error_text(spec) ==
        folder.file(train_labels) + ": has samples of one class alone; expected at least two classes");

  const ScratchFolder flat;  // values in two axes, images with channels in four
  flat.write("train-images-idx2-ubyte", idx({6, 3}, 1));
  flat.write("t10k-images-idx2-ubyte", idx({2, 3}, 1));
  flat.write(train_labels, label_file(6));
  flat.write(test_labels, label_file(2));
  CHECK(load_data(spec_of(flat, DataSource::idx), 1).train.shape == Shape{3, 1, 1});
  std::filesystem::remove(flat.file("train-images-idx2-ubyte"));
  std::filesystem::remove(flat.file("t10k-images-idx2-ubyte"));
  flat.write("train-images-idx4-ubyte", idx({6, 2, 5, 3}, 1));
  flat.write("t10k-images-idx4-ubyte", idx({2, 2, 5, 3}, 1));
  DataSpec images = spec_of(flat, DataSource::idx);
  images.channels = Channels::last;
  const DataSplit planes = load_data(images, 1);
  CHECK(planes.train.shape == Shape{3, 2, 5});
  CHECK(planes.train.pixels[1] == 3);   // row 0, column 1, channel 0
  CHECK(planes.train.pixels[10] == 1);  // row 0, column 0, channel 1
}

}  // namespace ddl::data::own_csv_test
