// A published study: which runs stand for which of its figures, and what it claims of them. It is read from a folder
// (reading/read_study.hpp); README.md says how to add one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/reading/finished_run.hpp"

namespace ddl::studies {

// One place of one table: a row's labels and a column's.
struct TablePosition {
  std::string table;
  std::vector<std::string> row;
  std::string column;
  auto operator<=>(const TablePosition&) const = default;
};

// Of what was published: the least and the most of several runs.
struct Range {
  double least = 0, most = 0;
};

struct TableLayout {
  std::string name;                     // results/tables/<study>_<name>.csv
  std::string title;                    // with the unit
  std::vector<std::string> row;         // headers of the row labels
  std::string column;                   // header of the column labels
  int decimals = 1;                     // shown in text; the CSV has all
  std::string reference = "published";  // what the figures are that simulated ones are compared with
  bool on_page = false;                 // or in its CSV alone
  double half_width_of_one = 0;         // at least, of the interval of a figure that one run gave
};

// What came out of a study: a value per place, mean over the seeds if all of them gave one.
class Outcome {
 public:
  struct Value {
    TablePosition place;
    std::optional<double> published, simulated;
    std::optional<double> half_width = std::nullopt;  // of the simulated mean's 95 % interval; none of one run
    std::optional<Range> range = std::nullopt;        // published
    bool open = false;                                // not all of its runs are finished, and it has no figure
  };
  // How the messages of so many runs were carried, in the words of FinishedRun::network but for the reason.
  struct Network {
    std::string text;
    std::size_t runs = 0;
  };
  // Thrown when a figure is asked for that is open.
  struct Unfinished {};
  // `open`: cells whose runs are not all finished, by name.
  explicit Outcome(std::vector<Value> values, std::vector<Network> networks = {}, std::vector<std::string> open = {});
  // In the study's order.
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Network>& networks() const { return networks_; }
  const std::vector<std::string>& open() const { return open_; }
  // Throws Unfinished.
  const Value& at(const TablePosition& place) const;
  // Simulated; not a number, which no comparison accepts, where there is none.
  double number(const TablePosition& place) const {
    return at(place).simulated.value_or(std::numeric_limits<double>::quiet_NaN());
  }

 private:
  std::vector<Value> values_;
  std::map<TablePosition, std::size_t> index_;  // into the values
  std::vector<Network> networks_;
  std::vector<std::string> open_;
};

// How a figure is read off a finished run; nothing where the run has none (a target not reached).
using Reading = std::function<std::optional<double>(const results::FinishedRun&)>;

struct Figure : Outcome::Value {
  Reading read;
};

// One scenario, run once per seed of the study and draw of the network, and what is read off it.
struct Cell {
  std::string name;      // unique in the study; the scenario's name
  std::string scenario;  // JSON text without name, seed and, with several draws, the draw
  std::vector<Figure> figures;
  std::vector<std::uint64_t> seeds = {};  // none: the study's
  double cost = 1;                        // what a run may take, in any one unit: the cheapest run first
  int draws = 1;                          // of the network, for each seed, whose figure is the mean over them
};

enum class Finding {
  holds,
  fails,
  not_decidable,  // our interval has both answers, and the published margin is smaller than half of it
  not_judged
};

struct Verdict {
  Finding finding = Finding::not_judged;
  std::string numbers;      // what it was decided by
  bool unfinished = false;  // not judged, because runs are not finished
  bool holds() const { return finding == Finding::holds; }
};

// What is judged of an outcome. The three kinds are counted apart.
struct Claim {
  enum Kind {
    published,  // what the source says, in its words; none is left out
    check,      // what we ask beyond that
    input       // a figure that a setting was chosen for: it can be met or missed, and confirms nothing
  } kind;
  std::string name;  // by which a cause names it
  std::string text;
  std::function<Verdict(const Outcome&)> judge;  // none: not judged in this size, for a cause that names the claim
  std::string accepted;                          // the threshold and its reason, laid down before the study runs
};

// What is known of the reason why claims do not hold.
struct Cause {
  std::vector<std::string> claims;  // names
  std::string text;
};

struct Note {
  enum Kind { modelled, calibrated, assumed } kind;
  std::string text;
};

// A SimGrid platform that scenarios of the study name by `file`.
struct PlatformFile {
  std::string file, text;
};

struct Study {
  std::string name;
  std::string title;
  std::string source;  // the publication
  std::string size;    // what trains on what, and what is smaller than published; may be empty
  std::vector<std::uint64_t> seeds = {1};
  std::vector<TableLayout> tables;
  std::vector<Outcome::Value> derived;  // figures that need no run
  std::vector<Cell> cells;
  std::vector<Claim> claims;
  std::vector<Cause> causes;
  std::vector<Note> notes;
  std::vector<PlatformFile> platforms;

  // All figures as they are before any run, in order.
  std::vector<Outcome::Value> places() const;
};

// By claim. What rests on runs that are not finished is not judged.
std::vector<Verdict> judge(const Study& study, const Outcome& outcome);

// How large a study is: small networks on generated data, or, full, the publication's networks on CIFAR-10 in `data`.
// What `data` changes in a study that is not full, DataUse says.
struct Scale {
  bool full = false;
  std::string data;
};

// What the folder `data` holds, and when it is read.
enum class DataUse {
  none,        // never; nor has the study another size
  full_alone,  // CIFAR-10's files, for --full alone
  in_between,  // the same; given without --full, it makes a size between: small networks on CIFAR-10
  with_mnist   // the folders mnist/ and cifar-10/; without any, what would need them is left out
};

}  // namespace ddl::studies
