#include "tests/fuzz/entries.hpp"

#include <array>
#include <iterator>
#include <sstream>
#include <string>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "sim/external/model.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/run/learning/tensor_file.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/words.hpp"
#include "tests/support/files.hpp"

namespace ddl {
namespace {

namespace fs = std::filesystem;

void check_line(const std::string& line) {
  check(!line.empty(), "an error says something");
  check(scenario::on_one_line(line) == line, "an error is printable");
  check(line.size() < 4000, "an error line has an end");
}

void check_lines(const scenario::ScenarioErrors& errors) {
  check(!errors.lines.empty(), "errors have lines");
  for (const std::string& line : errors.lines) check_line(line);
}

// An accepted scenario is the same after writing and reading.
void check_round_trip(const scenario::Scenario& scenario) {
  const std::string text = scenario::describe(scenario);
  check(scenario::describe(scenario::parse_scenario(systems::built_in(), text, scenario.file)) == text,
        "a description describes itself");
}

void read_scenario_bytes(std::string_view bytes) {
  try {
    check_round_trip(scenario::parse_scenario(systems::built_in(), std::string(bytes), "fuzz.json"));
  } catch (const scenario::ScenarioErrors& errors) {
    check_lines(errors);
  }
}

constexpr const char* base_scenario = R"({"platform": {"workers": 2, "bandwidth": "1Mbps"}, "algorithm": "ako",
  "model": {"layers": ["flatten", {"type": "dense", "units": 10}]}, "stop": {"iterations": 3}})";

// One override a line.
void read_overrides(std::string_view bytes) {
  std::vector<scenario::Override> overrides;
  while (!bytes.empty() && overrides.size() < 16) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    const std::size_t equals = std::min(line.size(), line.find('='));
    overrides.push_back(
        {std::string(line.substr(0, equals)), std::string(line.substr(std::min(line.size(), equals + 1)))});
  }
  try {
    check_round_trip(scenario::parse_scenario(systems::built_in(), base_scenario, "fuzz.json", overrides));
  } catch (const scenario::ScenarioErrors& errors) {
    check_lines(errors);
  }
}

void read_sweep_bytes(std::string_view bytes) {
  try {
    const jobs::Sweep sweep = jobs::parse_sweep(std::string(bytes), "fuzz.json");
    std::size_t points = 1;
    for (const jobs::SweepAxis& axis : sweep.axes) points *= axis.values.size();
    if (points <= 32) jobs::plan_sweep(systems::built_in(), sweep);
  } catch (const scenario::ScenarioErrors& errors) {
    check_lines(errors);
  }
}

void load(const data::DataSpec& spec) {
  try {
    const data::DataSplit data = data::load_data(spec, 1);
    for (const data::Dataset* set : {&data.train, &data.test}) {
      if (set->context > 0) {
        check(set->symbols.size() == set->size() + static_cast<std::size_t>(set->context),
              "a symbol behind each window");
      } else {
        check(set->pixels.size() + set->values.size() == set->size() * set->shape.size(), "values of every sample");
      }
      check(set->mean.size() == static_cast<std::size_t>(set->shape.channels), "a mean of each channel");
      for (const std::uint8_t label : set->labels) check(label < set->classes, "labels of classes");
    }
    if (!data::is_own(spec.source)) return;
    const data::DataShape shape = data::data_shape_in_files(spec);
    check(shape.shape == data.train.shape && shape.classes == data.train.classes, "a shape that is the data's");
    check(shape.train == static_cast<std::int64_t>(data.train.size()), "as many samples as were said");
    check(shape.test == static_cast<std::int64_t>(data.test.size()), "as many samples as were said");
  } catch (const InputError& error) {
    check_line(error.what());
  }
}
void load(const TemporaryFolder& folder, data::DataSource source) {
  data::DataSpec spec;
  spec.source = source;
  spec.path = folder.path().string();
  load(spec);
}

// The first two bytes are the number of labels in the rest; images follow.
void read_idx_bytes(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const std::size_t labels =
      static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) * 256 + static_cast<unsigned char>(bytes[1]);
  const std::string_view rest = bytes.substr(2);
  const std::size_t cut = std::min(rest.size(), labels);
  const TemporaryFolder folder;
  for (const char* set : {"train", "t10k"}) {
    folder.write(std::string(set) + "-labels-idx1-ubyte", rest.substr(0, cut));
    folder.write(std::string(set) + "-images-idx3-ubyte", rest.substr(cut));
  }
  load(folder, data::DataSource::mnist);
}

void read_cifar_bytes(std::string_view bytes) {
  const TemporaryFolder folder;
  folder.write("data_batch_1.bin", bytes);
  folder.write("test_batch.bin", bytes);
  load(folder, data::DataSource::cifar_10);
}

// The first byte says how the table is to be read.
void read_csv_bytes(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<unsigned char>(bytes[0]);
  const TemporaryFolder folder;
  folder.write("x.csv", bytes.substr(1));
  data::DataSpec spec;
  spec.source = data::DataSource::csv;
  spec.path = folder.file("x.csv");
  if (how % 4 < 2) spec.header = how % 4 == 1;
  if ((how & 4) != 0) spec.label = data::Column{"y"};
  if ((how & 8) != 0) spec.column = data::Column{1};
  if ((how & 16) != 0) spec.ignore = {data::Column{2}};
  if ((how & 32) != 0) spec.test_path = spec.path;
  spec.standardize = (how & 64) != 0;
  load(spec);
}

// The first byte decides whether the others are a file .npz or two files .npy, divided by the second byte.
void read_npy_bytes(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const auto how = static_cast<unsigned char>(bytes[0]);
  const std::size_t cut = std::min<std::size_t>(bytes.size() - 2, 2 * static_cast<unsigned char>(bytes[1]));
  const TemporaryFolder folder;
  data::DataSpec spec;
  spec.source = data::DataSource::npy;
  spec.path = how % 2 == 0 ? folder.file("x.npz") : folder.path().string();
  if ((how & 2) != 0) spec.channels = data::Channels::last;
  if ((how & 4) != 0) spec.column = data::Column{"client"};
  if (how % 2 == 0) {
    folder.write("x.npz", bytes.substr(2));
  } else {
    folder.write("y_train.npy", bytes.substr(2, cut));
    folder.write("x_train.npy", bytes.substr(2 + cut));
  }
  load(spec);
}

// The first byte is the number of symbols in a sample.
void read_text_bytes(std::string_view bytes) {
  if (bytes.empty()) return;
  const TemporaryFolder folder;
  folder.write("x.txt", bytes.substr(1));
  data::DataSpec spec;
  spec.source = data::DataSource::text;
  spec.path = folder.file("x.txt");
  spec.context = 1 + static_cast<unsigned char>(bytes[0]) % 32;
  load(spec);
}

// SimGrid's version of the file means the same.
void read_platform_bytes(std::string_view bytes) {
  try {
    const std::string text = platform::read_platform_text(bytes, "platform.xml").text;
    check(platform::read_platform_text(text, "platform.xml").text == text, "a platform describes itself");
  } catch (const InputError& error) {
    check_line(error.what());
  }
}

// The first byte chooses the quantity; the rest is a CSV file.
void read_profile_bytes(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr const char* owner[] = {R"("bandwidth", "link": "w0")", R"("latency", "link": "w0")",
                                   R"("speed", "host": "w0")"};
  const TemporaryFolder folder;
  folder.write("profile.csv", bytes.substr(1));
  const std::string quantity = owner[static_cast<unsigned char>(bytes[0]) % std::size(owner)];
  try {
    check_round_trip(scenario::parse_scenario(systems::built_in(), base_scenario, "fuzz.json",
                                              {{"platform.profiles", R"([{"quantity": )" + quantity + R"(, "file": ")" +
                                                                         folder.file("profile.csv") + "\"}]"}}));
  } catch (const scenario::ScenarioErrors& errors) {
    check_lines(errors);
  }
}

void read_trace_bytes(std::string_view bytes) {
  const TemporaryFolder folder;
  folder.write("trace.csv", bytes);
  try {
    check_round_trip(scenario::parse_scenario(
        systems::built_in(), base_scenario, "fuzz.json",
        {{"faults", R"([{"type": "availability", "file": ")" + folder.file("trace.csv") + "\"}]"}}));
  } catch (const scenario::ScenarioErrors& errors) {
    check_lines(errors);
  }
}

// Overrides of a setting by the content of a file.
void read_beside(const std::string& path, const std::string& before, const std::string& after, std::string_view bytes) {
  const std::string name = "table.csv";
  const TemporaryFolder folder;
  folder.write(name, bytes);
  try {
    check_round_trip(scenario::parse_scenario(systems::built_in(), base_scenario, "fuzz.json",
                                              {{path, before + "\"" + folder.file(name) + "\"" + after}}));
  } catch (const scenario::ScenarioErrors& errors) {
    check_lines(errors);
  }
}
void read_edges_bytes(std::string_view bytes) {
  read_beside("algorithm", R"({"name": "sgp", "topology": {"directed": true, "edges": )", "}}", bytes);
}
void read_matrix_bytes(std::string_view bytes) {
  for (const char* topology : {"regions", "measured"}) {
    read_beside("platform", std::string(R"({"topology": ")") + topology + R"(", "matrix": )", "}", bytes);
  }
}

// A model of 2 x 3 and 3 parameters would ask for this.
void read_safetensors_bytes(std::string_view bytes) {
  const TemporaryFolder folder;
  folder.write("x.safetensors", bytes);
  try {
    run::TensorFile file(folder.file("x.safetensors"));
    for (const std::string& name : file.names()) {
      try {
        const std::size_t rows = name.size() % 2 == 0 ? 2 : 3;
        check(file.read(name, {rows, 3}).size() == 3 * rows, "as many values as asked for");
      } catch (const InputError& error) {
        check_line(error.what());
      }
    }
  } catch (const InputError& error) {
    check_line(error.what());
  }
}

// The first byte decides whether labels are asked for; each line may be any answer.
void read_protocol_bytes(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool labels = static_cast<unsigned char>(bytes[0]) % 2 == 1;
  std::istringstream lines{std::string(bytes.substr(1))};
  const auto read = [](const auto& answer) {
    try {
      answer();
    } catch (const external::WrongAnswer& error) {
      check_line(error.what());
    }
  };
  for (std::string line; std::getline(lines, line);) {
    read([&] {
      const external::Hello hello = external::hello_in(line, labels);
      std::size_t parameters = 0;
      for (const auto& tensor : external::learned_model(hello).tensors) parameters += tensor.count;
      check(parameters == external::learned_model(hello).parameters, "tensors are the model");
      check(hello.labels.size() == (labels ? static_cast<std::size_t>(hello.train) : 0), "a label of each sample");
    });
    read([&] { external::check_vector(line, "initial", 7); });
    read([&] { external::loss_of_gradient(line, 7); });
    read([&] { external::evaluation_in(line); });
  }
}

constexpr std::array entries{
    FuzzEntry{"scenario", read_scenario_bytes}, FuzzEntry{"set", read_overrides},
    FuzzEntry{"sweep", read_sweep_bytes},       FuzzEntry{"idx", read_idx_bytes},
    FuzzEntry{"cifar", read_cifar_bytes},       FuzzEntry{"platform", read_platform_bytes},
    FuzzEntry{"profile", read_profile_bytes},   FuzzEntry{"csv", read_csv_bytes},
    FuzzEntry{"npy", read_npy_bytes},           FuzzEntry{"text", read_text_bytes},
    FuzzEntry{"trace", read_trace_bytes},       FuzzEntry{"edges", read_edges_bytes},
    FuzzEntry{"matrix", read_matrix_bytes},     FuzzEntry{"safetensors", read_safetensors_bytes},
    FuzzEntry{"protocol", read_protocol_bytes},
};

}  // namespace

std::span<const FuzzEntry> fuzz_entries() { return entries; }

const FuzzEntry* fuzz_entry(std::string_view name) {
  for (const FuzzEntry& entry : entries) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace ddl
