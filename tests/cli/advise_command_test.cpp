// ddlsim tune and ddlsim advise as they are called.
#include <nlohmann/json.hpp>

#include "tests/cli/workplace.hpp"

namespace ddl::advise_command_test {

using cli::interrupted_once;
using cli::Reply;
using cli::text_of;
using cli::Workplace;

namespace fs = std::filesystem;

namespace {

// Two workers whose network is too slow to be of use.
void write_learner(const Workplace& place) {
  place.write("learner.json", R"({ "platform": { "workers": 2, "bandwidth": "1Mbps" }, "model": "softmax",
      "data": { "train": 400, "test": 100 }, "wire": { "model_bytes": "10MB" },
      "training": { "batch_size": 20, "optimizer": { "type": "sgd", "learning_rate": 0.1 } },
      "compute": { "seconds_per_batch": "100ms", "jitter": 0 }, "algorithm": "gossip",
      "stop": { "time": "2s" }, "evaluate": { "every": "200ms" } })");
}

const std::string question = "advise learner.json --seeds 1..3 --systems gossip,ring_allreduce";

}  // namespace

TEST_CASE("advise prints one page of 80 columns, and leaves it with what can be run") {
  const Workplace place;
  write_learner(place);
  const Reply reply = place.call(question + " -o race.html");
  CHECK(reply.code == 0);
  CHECK(reply.out.find("Use single, one worker alone with all the data") != std::string::npos);
  CHECK(reply.out.find("ring_allreduce: can take at most 0.025 gradients/s in all") != std::string::npos);
  std::istringstream lines(reply.out);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  const std::string folder = "results/advise/learner/";
  CHECK(text_of(place.at(folder + "advice.md")).starts_with("# Which system suits learner?"));
  // The page opens with the same answer.
  const std::string advice = text_of(place.at(folder + "advice.md"));
  const std::size_t bold = advice.find("**"), end = advice.find("**", bold + 2);
  REQUIRE(end != std::string::npos);
  const std::string sure = advice.substr(end + 2, advice.find('\n', end) - end - 2);
  CHECK(
      text_of(place.at("race.html")).find("\"answer\":{\"text\":\"" + advice.substr(bold + 2, end - bold - 2) + sure) !=
      std::string::npos);
  CHECK(place.call("check " + folder + "recommended.json").code == 0);
  const auto json = nlohmann::json::parse(place.call(question + " --json").out);
  CHECK(json["recommended"] == "single");
  CHECK(json == nlohmann::json::parse(text_of(place.at(folder + "advice.json"))));
}

TEST_CASE(
    "Ctrl-C leaves the page of what was done, and the same command comes to the page of a call that was not ended") {
  const Workplace place, other;
  write_learner(place);
  write_learner(other);
  const Reply ended =
      place.shell(interrupted_once("results/advise/learner/tuning/*/1000001/run.json", question + " --jobs 1"));
  CHECK(ended.code == 130);
  CHECK(ended.err.find("the same command goes on from there") != std::string::npos);
  CHECK(text_of(place.at("results/advise/learner/advice.md")).find("## Cut off") != std::string::npos);
  CHECK(place.call(question).code == 0);
  CHECK(other.call(question).code == 0);
  for (const char* file : {"advice.md", "advice.json", "recommended.json"}) {
    const std::string name = std::string("results/advise/learner/") + file;
    CHECK(text_of(place.at(name)) == text_of(other.at(name)));
  }
}

TEST_CASE("tune writes a table of what was tried and a scenario with what was best") {
  const Workplace place;
  write_learner(place);
  const Reply reply = place.call("tune learner.json --set algorithm=single --seeds 2 --over training.batch_size=1,40");
  CHECK(reply.code == 0);
  CHECK(reply.out.find("batch_size 40") != std::string::npos);
  const std::string folder = "results/tune/learner_single/";
  CHECK(text_of(place.at(folder + "tried.csv")).find("\n1,1000001,") != std::string::npos);
  const Reply described = place.call("describe " + folder + "learner_single_tuned.json");
  CHECK(described.out.find("\"batch_size\": 40") != std::string::npos);
}

}  // namespace ddl::advise_command_test
