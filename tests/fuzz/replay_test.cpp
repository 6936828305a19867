// A bounded part of fuzzing, without a fuzzer: all kept inputs, and as many mutations of them as take a few seconds; or
// as many as DDLSIM_MUTATIONS says, other ones for each number.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/fuzz/entries.hpp"

namespace ddl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 20000;
// JSON values that may be too large or empty.
constexpr const char* values[] = {"0",   "-1",        "1e18",   "1e308",      "1e-300",      "2147483648",
                                  "0.5", "\"1e30B\"", "\"0s\"", "\"1e-30s\"", "\"1e30bps\"", "[]",
                                  "{}",  "null",      "true",   "\"\"",       "[1, 2]"};

std::vector<std::string> inputs_of(const FuzzEntry& entry) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(fs::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/corpus" / entry.name)) {
    files.push_back(file.path());
  }
  std::ranges::sort(files);
  std::vector<std::string> inputs;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// The words of words.dict, which libFuzzer inserts, too.
std::vector<std::string> words() {
  std::ifstream file(fs::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/words.dict");
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('"')) continue;
    std::string& word = words.emplace_back();
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] == '\\' && line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') ++i;
        word += line[i];
      }
    }
  }
  return words;
}

// A number or a text in quotes that starts at or after `from`: its place and length, none at the end.
std::pair<std::size_t, std::size_t> value_in(const std::string& text, std::size_t from) {
  const std::string digits = "-0123456789.eE";
  const std::size_t start = text.find_first_of("\"0123456789-", from);
  if (start == std::string::npos) return {text.size(), 0};
  const std::size_t end = text[start] == '"' ? text.find('"', start + 1) : text.find_first_not_of(digits, start) - 1;
  return {start, std::min(end, text.size() - 1) + 1 - start};
}

std::string mutated(std::string text, const std::vector<std::string>& all, const std::vector<std::string>& words,
                    Stream& random) {
  for (std::uint64_t change = 0, changes = 1 + random.below(4); change < changes; ++change) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = random.below(std::min<std::size_t>(text.size() - at, 40) + 1);
    const std::string& other = all[random.below(all.size())];
    switch (random.below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.replace(at, length, words[random.below(words.size())]);
        break;
      case 4:
        text = text.substr(0, at) + other.substr(random.below(other.size() + 1));
        break;
      case 5:
      case 6:
      case 7: {  // leaves JSON's structure as it is
        const auto [start, count] = value_in(text, at);
        const auto [from, copied] = value_in(other, random.below(other.size() + 1));
        text.replace(
            start, count,
            random.below(3) == 0 ? std::string(values[random.below(std::size(values))]) : other.substr(from, copied));
        break;
      }
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
    }
  }
  return text.substr(0, longest);
}

// Files are slower than texts.
void replay(const char* name, int mutations = 4000) {
  const FuzzEntry* entry = fuzz_entry(name);
  REQUIRE(entry != nullptr);
  const std::vector<std::string> inputs = inputs_of(*entry);
  REQUIRE_FALSE(inputs.empty());
  for (const std::string& input : inputs) {
    CAPTURE(input);
    CHECK_NOTHROW(entry->read(input));
  }
  if (const char* more = std::getenv("DDLSIM_MUTATIONS")) mutations = std::atoi(more);
  Stream random = stream(static_cast<std::uint64_t>(mutations), name, "mutations");
  const std::vector<std::string> known = words();
  REQUIRE_FALSE(known.empty());
  for (int i = 0; i < mutations; ++i) {
    const std::string input = mutated(inputs[random.below(inputs.size())], inputs, known, random);
    CAPTURE(input);
    CHECK_NOTHROW(entry->read(input));
  }
}

TEST_CASE("the scenario reader takes or refuses any bytes") { replay("scenario"); }
TEST_CASE("--set takes or refuses any bytes") { replay("set"); }
TEST_CASE("the sweep reader takes or refuses any bytes") { replay("sweep"); }
TEST_CASE("the IDX reader takes or refuses any bytes") { replay("idx", 500); }
TEST_CASE("the CIFAR reader takes or refuses any bytes") { replay("cifar", 500); }
TEST_CASE("the reader of tables takes or refuses any bytes") { replay("csv", 500); }
TEST_CASE("the reader of arrays takes or refuses any bytes") { replay("npy", 500); }
TEST_CASE("the reader of texts takes or refuses any bytes") { replay("text", 500); }
TEST_CASE("the reader of traces takes or refuses any bytes") { replay("trace", 500); }
TEST_CASE("the check of platform files takes or refuses any bytes") { replay("platform", 500); }
TEST_CASE("the reader of profiles takes or refuses any bytes") { replay("profile", 500); }

TEST_CASE("the reader of graphs takes or refuses any bytes") { replay("edges", 500); }
TEST_CASE("the reader of matrices takes or refuses any bytes") { replay("matrix", 500); }
TEST_CASE("the reader of weights takes or refuses any bytes") { replay("safetensors", 500); }
TEST_CASE("any bytes that programs say are taken or refused") { replay("protocol"); }

TEST_CASE("every fuzz target is replayed here") {
  std::set<std::string> names;
  for (const auto& entry : fuzz_entries()) names.insert(entry.name);
  CHECK(names == std::set<std::string>{"cifar", "csv", "edges", "idx", "matrix", "npy", "platform", "profile",
                                       "protocol", "safetensors", "scenario", "set", "sweep", "text", "trace"});
}

}  // namespace
}  // namespace ddl
