#include "sim/cli/templates/iperf3.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/check.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

using Parsed = nlohmann::json;

// Where nothing was measured inside a site.
constexpr double assumed_bps = 10e9, assumed_rtt_s = 0.0001;

constexpr double most_apart = 1.5;  // tests of one direction that differ by more are told

struct Mean {
  double sum = 0, count = 0, least = 0, most = 0;
  void add(double value) {
    least = count > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
    sum += value, ++count;
  }
  double value() const { return sum / count; }
};

// One test, or several alike.
struct Iperf3Test {
  Mean bps, rtt_s;   // the second: none
  std::string file;  // the first of them
};
using Names = std::pair<std::string, std::string>;
using Iperf3Tests = std::map<std::pair<Names, int>, Iperf3Test>;  // from and to, streams

template <class T>
T value_at(const Parsed& result, const char* pointer) {
  try {
    return result.at(Parsed::json_pointer(pointer)).get<T>();
  } catch (const Parsed::exception&) {
    throw InputError(fmt::format("has no {}; expected what iperf3 -J prints", scenario::in_quotes(pointer + 1)));
  }
}

// Seconds; the sender knows it, in microseconds. Of a test backwards that is the other end.
Mean round_trip(const Parsed& result) {
  Mean mean;
  for (const char* at : {"/end/streams", "/server_output_json/end/streams"}) {
    const Parsed::json_pointer streams(at);
    if (mean.count > 0 || !result.contains(streams) || !result[streams].is_array()) continue;
    for (const Parsed& stream : result[streams]) {
      const Parsed::json_pointer rtt("/sender/mean_rtt");
      const double microseconds = stream.contains(rtt) && stream[rtt].is_number() ? stream[rtt].get<double>() : 0;
      if (microseconds > 0) mean.add(microseconds / 1e6);
    }
  }
  return mean;
}

class Iperf3Files {
 public:
  explicit Iperf3Files(const std::vector<std::string>& named) {
    for (const std::string& site : named) {
      const std::size_t end = site.find('=');
      if (end == std::string::npos || end == 0 || end + 1 == site.size()) {
        throw InputError("new: --site: " + scenario::in_quotes(site) + " is no site; expected NAME=ADDRESS,ADDRESS");
      }
      std::istringstream addresses(site.substr(end + 1));
      for (std::string address; std::getline(addresses, address, ',');) site_of_[address] = site.substr(0, end);
    }
  }

  void add(const std::string& file) {
    const std::string text = scenario::text_of_file(file, {"what iperf3 -J prints", 256 << 20, true});
    const Parsed result = Parsed::parse(text, nullptr, false);
    if (!result.is_object()) throw InputError("is no JSON object; expected what iperf3 -J prints");
    if (result.contains("error")) {
      throw InputError("has a test that failed: " + scenario::in_quotes(value_at<std::string>(result, "/error")) +
                       "; expected one that ended");
    }
    const auto protocol = value_at<std::string>(result, "/start/test_start/protocol");
    if (protocol != "TCP") throw InputError("has a test of " + protocol + "; expected one of TCP");
    if (result.contains(Parsed::json_pointer("/end/sum_received_bidir_reverse")) ||
        result.value(Parsed::json_pointer("/start/test_start/bidir"), 0) != 0) {
      throw InputError("has a test of both directions at once; expected one without --bidir");
    }
    const int streams = value_at<int>(result, "/start/test_start/num_streams");
    const auto bps = value_at<double>(result, "/end/sum_received/bits_per_second");
    if (streams < 1 || !(bps > 0)) throw InputError("has a test that carried nothing; expected one that did");
    Names ends = {name_of(value_at<std::string>(result, "/start/connected/0/local_host")),
                  name_of(value_at<std::string>(result, "/start/connected/0/remote_host"))};
    // The client sends, unless the test is backwards; a file may be the server's.
    const bool is_servers = result["start"].contains("accepted_connection");
    if (is_servers != (value_at<int>(result, "/start/test_start/reverse") != 0)) std::swap(ends.first, ends.second);
    Iperf3Test& test = tests_[{ends, streams}];
    if (test.file.empty()) test.file = file;
    test.bps.add(bps);
    if (const Mean trip = round_trip(result); trip.count > 0) test.rtt_s.add(trip.value());
    for (const std::string& name : {ends.first, ends.second}) {
      if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    }
  }

  Iperf3Matrix matrix() const {
    Iperf3Matrix matrix;
    std::string lines = "from,to,rate_mbps,rtt_ms,streams\n";
    const auto line = [&](const Names& ends, double bps, double rtt_s, int streams) {
      lines += fmt::format("{},{},{:.6g},{:.6g},{}\n", ends.first, ends.second, bps / 1e6, rtt_s * 1e3, streams);
    };
    double least_s = assumed_rtt_s, most_bps = assumed_bps;
    for (const auto& [what, test] : tests_) {
      const double rtt_s = round_trip_of(what.first, test);
      line(what.first, test.bps.value(), rtt_s, what.second);
      least_s = std::min(least_s, rtt_s);
      most_bps = std::max(most_bps, test.bps.value());
      const auto note_apart = [&, &ends = what.first](const Mean& mean, const char* measured, double unit,
                                                      const char* name) {
        if (mean.most <= most_apart * mean.least) return;
        matrix.notes.push_back(fmt::format("{} tests from {} to {} {} {:.6g} to {:.6g} {}: their mean is taken",
                                           mean.count, scenario::in_quotes(ends.first),
                                           scenario::in_quotes(ends.second), measured, mean.least / unit,
                                           mean.most / unit, name));
      };
      note_apart(test.bps, "gave", 1e6, "Mbit/s");
      note_apart(test.rtt_s, "had round trips of", 1e-3, "ms");
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      for (std::size_t j = i; j < names_.size(); ++j) {
        if (knows(names_[i], names_[j])) continue;
        if (i != j) {
          throw InputError(
              fmt::format("new: no file has a test between {} and {}; expected one of each pair of sites, "
                          "or --site NAME=ADDRESS,ADDRESS for hosts of one site",
                          scenario::in_quotes(names_[i]), scenario::in_quotes(names_[j])));
        }
        line({names_[i], names_[i]}, most_bps, least_s, 1);
        matrix.notes.push_back(fmt::format("nothing was measured inside {}: {:.6g} Mbit/s and {:.6g} ms are assumed",
                                           scenario::in_quotes(names_[i]), most_bps / 1e6, least_s * 1e3));
      }
    }
    matrix.text = "# Measured by iperf3\n";
    for (const std::string& what : matrix.notes) matrix.text += "# " + what + "\n";
    matrix.text += lines;
    return matrix;
  }

 private:
  // Sites have no colons, which addresses of IPv6 have.
  std::string name_of(std::string address) const {
    const std::string mapped = "::ffff:";
    if (address.starts_with(mapped)) address.erase(0, mapped.size());
    const auto known = site_of_.find(address);
    if (known != site_of_.end()) return known->second;
    std::ranges::replace(address, ':', '-');
    return address;
  }

  bool knows(const std::string& one, const std::string& other) const {
    return std::ranges::any_of(tests_, [&](const auto& test) {
      const Names& ends = test.first.first;
      return ends == Names(one, other) || ends == Names(other, one);
    });
  }

  double round_trip_of(const Names& ends, const Iperf3Test& test) const {
    if (test.rtt_s.count > 0) return test.rtt_s.value();
    Mean of_pair;
    for (const auto& [what, other] : tests_) {
      const bool is_pair = what.first == ends || what.first == Names(ends.second, ends.first);
      if (is_pair && other.rtt_s.count > 0) of_pair.add(other.rtt_s.value());
    }
    if (of_pair.count > 0) return of_pair.value();
    throw InputError("new: " + test.file +
                     ": has no round trip (\"mean_rtt\"), which the sender measures; expected a test with "
                     "--get-server-output, or another one from the other end");
  }

  std::map<std::string, std::string> site_of_;  // by address
  std::vector<std::string> names_;              // sites, in the order of the files
  Iperf3Tests tests_;
};

}  // namespace

Iperf3Matrix matrix_of_iperf3(const std::vector<std::string>& files, const std::vector<std::string>& named) {
  Iperf3Files reader(named);
  for (const std::string& file : files) {
    try {
      reader.add(file);
    } catch (const InputError& error) {
      throw InputError("new: " + file + ": " + error.what());
    }
  }
  return reader.matrix();
}

}  // namespace ddl::cli
