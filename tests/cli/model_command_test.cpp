// Transcripts of `ddlsim model`.
#include <nlohmann/json.hpp>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::model_command_test {

TEST_CASE("model shows every layer, and totals that are the published ones") {
  const Workplace place;
  const Reply answer = place.call("model mlp-3-1-bibd");
  CHECK(answer.code == 0);
  CHECK(answer.err == "");
  for (const char* text : {"mlp-3-1-bibd: 1x28x28 in, 10 classes", "dense1", "448",
                           "weights alone: 13,064, non-zero 728", "operations: 728 a sample"}) {
    CHECK(answer.out.find(text) != std::string::npos);
  }
  CHECK(place.call("model resnet50-random").out.find("operations: 205.03 million") != std::string::npos);
}

TEST_CASE("model's JSON sums up to its totals, and a scenario can hold the model it spells") {
  const Workplace place;
  const auto json = nlohmann::json::parse(place.call("model cnn --data synthetic --mask random --json").out);
  std::size_t parameters = 0, non_zeros = 0, operations = 0, bytes = 0;
  for (const auto& layer : json["layers"]) {
    parameters += layer["parameters"].get<std::size_t>();
    non_zeros += layer["non_zeros"].get<std::size_t>();
    operations += layer["operations"].get<std::size_t>();
    bytes += layer["wire_bytes"].get<std::size_t>();
  }
  CHECK(json["total"]["parameters"] == parameters);
  CHECK(json["total"]["non_zeros"] == non_zeros);
  CHECK(json["total"]["operations"] == operations);
  CHECK(json["total"]["wire_bytes"] == bytes);
  CHECK(bytes == 4 * non_zeros);

  nlohmann::json scenario = nlohmann::json::parse(R"({"platform": {"workers": 1, "bandwidth": "40Mbps"},
      "algorithm": "single", "stop": {"iterations": 1}, "wire": {"model_bytes": "3MB"}})");
  scenario["model"] = json["model"];
  place.write("own.json", scenario.dump());
  const auto again = nlohmann::json::parse(place.call("model own.json --json").out);
  CHECK(again["layers"] == json["layers"]);
  CHECK(again["model"] == json["model"]);
  CHECK(again["model_bytes"] == 3e6);
}

TEST_CASE("a scenario's model can be changed before it is shown") {
  const Workplace place;
  place.write("mlp.json", R"({"platform": {"workers": 1, "bandwidth": "40Mbps"}, "model": "mlp",
                              "algorithm": "single", "stop": {"iterations": 1}})");
  CHECK(place.call("model mlp.json").out.starts_with("mlp: 1x12x12 in"));
  CHECK(place.call("model mlp.json --set model=softmax").out.starts_with("softmax: 1x12x12 in"));
}

TEST_CASE("model refuses what it does not know in one line with exit code 2") {
  const Workplace place;
  struct Refused {
    const char* arguments;
    const char* error;
  };
  for (const Refused& refused : {
           Refused{"", "ddlsim: model: no model named; see ddlsim model --help\n"},
           Refused{"resnet19", "ddlsim: model: \"resnet19\" is unknown; did you mean \"resnet18\"?\n"},
           Refused{"absent.json", "ddlsim: absent.json: no such file; expected a scenario\n"},
           Refused{"good.json", "ddlsim: good.json: $.model: \"none\" has no layers; expected a model\n"},
           Refused{"good.json --data mnist",
                   "ddlsim: model --data: is for named models; expected --set data.source=mnist\n"},
           Refused{"cnn --mask bidb", "ddlsim: model --mask: \"bidb\" is unknown; did you mean \"bibd\"?\n"},
           Refused{"cnn --data mnits", "ddlsim: model --data: \"mnits\" is unknown; did you mean \"mnist\"?\n"},
           Refused{"cnn --set seed=1",
                   "ddlsim: model --set: is for scenarios; expected a scenario file instead of \"cnn\"\n"},
           Refused{"ako-cnn --groups 7",
                   "ddlsim: model: ako-cnn, groups 7: 32 channels do not fall into 7 groups of one size\n"},
           Refused{"vgg19 --data mnist",
                   "ddlsim: model: vgg19: a window of 2x2 does not fit into an image of 512x1x1: pooling would leave "
                   "nothing\n"},
       }) {
    const std::string arguments = refused.arguments;
    CAPTURE(arguments);
    const Reply answer = place.call("model " + arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    CHECK(answer.err == refused.error);
  }
}

}  // namespace ddl::cli::model_command_test
