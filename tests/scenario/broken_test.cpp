#include <doctest/doctest.h>

#include <map>
#include <set>

#include "core/systems/table.hpp"
#include "tests/scenario/texts.hpp"

namespace ddl::scenario {
namespace {

// A scenario with one thing wrong: the JSON path that must be named, and a phrase of the line.
struct Broken {
  const char* text;
  const char* path;
  const char* phrase;
};

// Parts that are right, around the one that is not.
#define NET "\"platform\": {\"workers\": 4, \"servers\": 1, \"bandwidth\": \"40Mbps\"}"
#define AKO "\"algorithm\": \"ako\""
#define END "\"stop\": {\"iterations\": 10}"
#define REST NET ", " AKO ", " END

constexpr Broken kBroken[] = {
    // JSON
    {"[]", "$", "a list is not an object; expected a scenario in braces"},
    {"3", "$", "3 is not an object"},
    {"nul", "$", "line 1, column 3: \"nul\" is not JSON; expected JSON"},
    {"{" REST ",}", "$.stop", "unexpected '}'; expected a key in double quotes"},
    {"{" REST "} x", "$", "\"x\" is not JSON; expected nothing after its end"},
    {"{" REST "} {}", "$", "unexpected '{'; expected nothing after its end"},
    {"{'name': 1}", "$", "\"'\" is not JSON; expected a key in double quotes"},
    {"{" REST ", \"seed\": tru}", "$.seed", "\"tru\" is not JSON; expected JSON"},
    {"{" REST ", \"seed\": 1 \"name\": 2}", "$.seed", "unexpected text in quotes; expected ',' or '}'"},
    {"{" REST ", \"seed\": 01}", "$.seed", "unexpected number; expected ',' or '}'"},
    {"{" REST ", \"name\": \"a\nb\"}", "$.name", "a string goes on beyond the end of its line; expected its closing"},
    {"{" REST ", \"name\": \"a", "$.name", "the text ends in a string; expected its closing quote"},
    {"{" REST ", \"name\": \"\\q\"}", "$.name",
     "a backslash in a string stands before what it cannot; expected one of"},
    {"{" REST, "$.stop", "the text ends too early; expected ',' or '}'"},
    // Other files
    {"\n<?xml version='1.0'?><platform/>", "$", "is XML; expected JSON: a platform is named by a scenario's platform."},
    {"{\"schema_version\": 1, \"digest\": \"1\", \"scenario\": {" REST "}}", "$.scenario", "is a result's; expected a"},
    {"{" REST ", \"seed\": 1, \"seed\": 2}", "$.seed", "is given twice; expected each key once"},
    {"{" REST ", \"data\": {\"train\": 10, \"train\": 10}}", "$.data.train", "is given twice"},
    {"{" REST ", \"seed\": 1e999}", "$.seed", "number overflow"},
    {"{" REST ", \"name\": \"\xff\"}", "$.name", "ill-formed UTF-8"},
    {"{\"base\": \"x.json\", \"vary\": {\"seed\": [1]}}", "$.base", "is a sweep's; expected a scenario"},
    // Keys
    {"{" REST ", \"trainning\": {}}", "$.trainning", "is an unknown key; did you mean \"training\"?"},
    {"{" REST ", \"xyzzy\": 1}", "$.xyzzy", "is an unknown key; known keys are $schema, name, description, seed"},
    {"{" REST ", \"we ird\": 1}", "$[\"we ird\"]", "is an unknown key"},
    {"{" REST ", \"compute\": {\"jiter\": 0}}", "$.compute.jiter", "did you mean \"jitter\"?"},
    {"{" NET ", \"algoritm\": \"ako\", " END "}", "$.algoritm", "did you mean \"algorithm\"?"},
    {"{\"platform\": {\"workers\": 2, \"bandwith\": \"1Mbps\"}, " AKO ", " END "}", "$.platform.bandwith",
     "did you mean \"bandwidth\"?"},
    {"{" NET ", " END "}", "$.algorithm", "is missing; expected one of single, alone, ps_async"},
    {"{" AKO ", " END "}", "$.platform", "is missing; expected {\"topology\""},
    {"{" NET ", " AKO "}", "$.stop", "has no condition; expected at least one of time, iterations"},
    {"{" NET ", " AKO ", \"stop\": {}}", "$.stop", "has no condition"},
    // What is expected
    {"{" REST ", \"expect\": {}}", "$.expect", "an object is not a list"},
    {"{" REST ", \"expect\": [{}]}", "$.expect[0]",
     "has none of accuracy, loss, time, bytes and better_than; expected exactly"},
    {"{" REST ", \"expect\": [{\"accuracy\": [0, 1], \"bytes\": [\"1B\", \"2B\"]}]}", "$.expect[0]", "has several of"},
    {"{" REST ", \"expect\": [{\"acuracy\": [0, 1]}]}", "$.expect[0].acuracy", "did you mean \"accuracy\"?"},
    {"{" REST ", \"expect\": [{\"accuracy\": [0.5]}]}", "$.expect[0].accuracy", "has 1 value; expected two, the least"},
    {"{" REST ", \"expect\": [{\"accuracy\": [0.9, 0.8]}]}", "$.expect[0].accuracy",
     "is empty; expected the least before"},
    {"{" REST ", \"expect\": [{\"accuracy\": [0, 1.5]}]}", "$.expect[0].accuracy[1]", "1.5 is too large"},
    {"{" REST ", \"expect\": [{\"time\": [1, \"2s\"]}]}", "$.expect[0].time[0]", "1 has no unit"},
    {"{" REST ", \"expect\": [{\"time\": [\"1s\", \"2s\"], \"at\": \"1s\"}]}", "$.expect[0].at",
     "is for accuracy, loss and"},
    {"{" REST ", \"expect\": [{\"time\": [\"1s\", \"2s\"], \"over\": 3}]}", "$.expect[0].over",
     "is for accuracy, loss and"},
    {"{" REST ", \"expect\": [{\"accuracy\": [0, 1], \"target\": 0.5}]}", "$.expect[0].target",
     "is for time and bytes"},
    {"{" REST ", \"expect\": [{\"accuracy\": [0, 1], \"by\": 0.5}]}", "$.expect[0].by", "is for better_than"},
    // Types and ranges
    {"{" REST ", \"seed\": -1}", "$.seed", "-1 is too small; expected a whole number from 0"},
    {"{" REST ", \"seed\": 1.5}", "$.seed", "1.5 is not a whole number"},
    {"{" REST ", \"seed\": 1e300}", "$.seed", "is too large"},
    {"{" REST ", \"seed\": \"7\"}", "$.seed", "\"7\" is not a whole number"},
    {"{" REST ", \"seed\": null}", "$.seed", "null is not a whole number"},
    {"{" REST ", \"training\": {\"batch_size\": 0}}", "$.training.batch_size",
     "0 is too small; expected a whole number from 1 to 1000000"},
    {"{" REST ", \"training\": {\"batch_size\": 99999999999}}", "$.training.batch_size", "is too large"},
    {"{" REST ", \"training\": {\"batch_size\": 2.5}}", "$.training.batch_size", "2.5 is not a whole number"},
    {"{" REST ", \"training\": []}", "$.training", "a list is not an object"},
    {"{" REST ", \"compute\": {\"jitter\": 4}}", "$.compute.jitter", "4 is too large; expected a number from 0 to 3"},
    {"{" REST ", \"compute\": {\"jitter\": \"0.1\"}}", "$.compute.jitter", "\"0.1\" is not a number"},
    {"{" REST ", \"record\": {\"weights\": 1}}", "$.record.weights", "1 is neither true nor false"},
    {"{" REST ", \"description\": 5}", "$.description", "5 is not text"},
    {"{" REST ", \"data\": {\"train\": 1e12}}", "$.data.train",
     "is too large; expected a whole number from 1 to 10000000"},
    {"{" REST ", \"data\": {\"alpha\": 0}}", "$.data.alpha", "0 is too small; expected a number above 0"},
    {"{" REST ", \"evaluate\": {\"target_accuracy\": [0.5, 1.5]}}", "$.evaluate.target_accuracy[1]",
     "expected a number above 0 and at most 1"},
    {"{" REST ", \"evaluate\": {\"target_accuracy\": 0.5}}", "$.evaluate.target_accuracy", "0.5 is not a list"},
    {"{" REST ", \"evaluate\": {\"target_accuracy\": [0.5, 0.5]}}", "$.evaluate.target_accuracy[1]",
     "repeats an earlier target"},
    // Units
    {"{\"platform\": {\"bandwidth\": 40}, " AKO ", " END "}", "$.platform.bandwidth",
     "40 has no unit; write for example \"40Mbps\""},
    {"{\"platform\": {\"bandwidth\": \"20ms\"}, " AKO ", " END "}", "$.platform.bandwidth",
     "\"20ms\" is a time; expected a bandwidth"},
    {"{\"platform\": {\"bandwidth\": \"0bps\"}, " AKO ", " END "}", "$.platform.bandwidth",
     "\"0bps\" is too small; expected a bandwidth above 0"},
    {"{\"platform\": {\"bandwidth\": \"-1bps\"}, " AKO ", " END "}", "$.platform.bandwidth", "\"-1bps\" is negative"},
    {"{\"platform\": {\"bandwidth\": []}, " AKO ", " END "}", "$.platform.bandwidth", "is an empty list"},
    {"{\"platform\": {\"bandwidth\": [\"1Mbps\", 2]}, " AKO ", " END "}", "$.platform.bandwidth[1]", "2 has no unit"},
    {"{\"platform\": {\"bandwidth\": \"1Mbps\", \"latency\": \"-1ms\"}, " AKO ", " END "}", "$.platform.latency",
     "\"-1ms\" is negative; expected a time of at least 0"},
    {"{" REST ", \"wire\": {\"header_bytes\": 64}}", "$.wire.header_bytes",
     "64 has no unit; write for example \"64MB\""},
    {"{" REST ", \"wire\": {\"model_bytes\": true}}", "$.wire.model_bytes",
     "true is not a size; expected a size above 0 such as \"17MB\""},
    {"{" NET ", " AKO ", \"stop\": {\"time\": 300}}", "$.stop.time", "300 has no unit; write for example \"300s\""},
    // Platform
    {"{\"platform\": {\"workers\": 4}, " AKO ", " END "}", "$.platform.bandwidth", "is missing; expected a bandwidth"},
    {"{\"platform\": {\"topology\": \"two_sites\"}, " AKO ", " END "}", "$.platform.bandwidth", "is missing"},
    {"{\"platform\": {\"topology\": \"two_sites\", \"bandwidth\": []}, " AKO ", " END "}", "$.platform.bandwidth",
     "is an empty list"},
    {"{\"platform\": {\"workers\": 0, \"bandwidth\": \"1bps\"}, " AKO ", " END "}", "$.platform.workers",
     "0 is too small"},
    {"{\"platform\": {\"workers\": [\"a\"], \"bandwidth\": \"1bps\"}, " AKO ", " END "}", "$.platform.workers",
     "a list is not a whole number"},
    {"{\"platform\": {\"topology\": \"stra\", \"bandwidth\": \"1bps\"}, " AKO ", " END "}", "$.platform.topology",
     "\"stra\" is unknown; did you mean \"star\"?"},
    {"{\"platform\": {\"topology\": \"hypercube\", \"bandwidth\": \"1bps\"}, " AKO ", " END "}", "$.platform.topology",
     "expected one of star, mesh, ring, two_sites"},
    {"{\"platform\": {\"topology\": \"mesh\", \"workers\": 5000, \"bandwidth\": \"1bps\"}, " AKO ", " END "}",
     "$.platform.workers", "too many for a mesh"},
    {"{\"platform\": {\"file\": \"absent.xml\"}, " AKO ", " END "}", "$.platform.file",
     "\"absent.xml\" does not exist"},
    {"{\"platform\": {\"file\": \"/\"}, " AKO ", " END "}", "$.platform.file", "is a folder"},
    {"{\"platform\": {\"file\": \"/dev/null\", \"bandwidth\": \"1bps\"}, " AKO ", " END "}", "$.platform.bandwidth",
     "cannot be set beside platform.file; expected \"bandwidth_factor\", which scales its links"},
    {"{\"platform\": {\"file\": \"/dev/null\", \"workers\": [\"a\", \"a\"]}, " AKO ", " END "}",
     "$.platform.workers[1]", "\"a\" is named before"},
    {"{\"platform\": {\"file\": \"/dev/null\", \"workers\": [\"a\"], \"servers\": [\"a\"]}, " AKO ", " END "}",
     "$.platform.servers[0]", "\"a\" is named before"},
    {"{\"platform\": {\"file\": \"/dev/null\", \"workers\": [\"\"]}, " AKO ", " END "}", "$.platform.workers[0]",
     "is empty; expected a host's name"},
    {"{\"platform\": {\"file\": \"/dev/null\", \"workers\": []}, " AKO ", " END "}", "$.platform.workers",
     "is an empty list"},
    {"{\"platform\": {\"file\": \"/dev/null\", \"workers\": \"a\"}, " AKO ", " END "}", "$.platform.workers",
     "expected a list of host names, or how many"},
    {"{" REST ", \"compute\": {\"slowdown\": {\"w4\": 2}}}", "$.compute.slowdown.w4",
     "is no host of this platform; expected one of w0, w1, w2, w3, ps0"},
    {"{" REST ", \"compute\": {\"slowdown\": {\"w3\": 0}}}", "$.compute.slowdown.w3", "0 is too small"},
    // Algorithms
    {"{" NET ", \"algorithm\": \"akko\", " END "}", "$.algorithm", "\"akko\" is unknown; did you mean \"ako\"?"},
    {"{" NET ", \"algorithm\": {\"name\": \"magic\"}, " END "}", "$.algorithm.name",
     "\"magic\" is unknown; expected one of single"},
    {"{" NET ", \"algorithm\": {}, " END "}", "$.algorithm.name", "is missing; expected one of single"},
    {"{" NET ", \"algorithm\": 3, " END "}", "$.algorithm", "3 is not an object; expected an object with \"name\""},
    {"{" NET ", \"algorithm\": {\"name\": 3}, " END "}", "$.algorithm.name", "3 is not a word"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"partitions\": 0}, " END "}", "$.algorithm.partitions",
     "0 is too small"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"partitions\": [1, 2]}, " END "}", "$.algorithm.partitions",
     "2 counts for 4 workers"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"partitions\": []}, " END "}", "$.algorithm.partitions",
     "is an empty list"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"partitions\": \"many\"}, " END "}", "$.algorithm.partitions",
     "\"many\" is no count"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"schedule\": \"rotat\"}, " END "}", "$.algorithm.schedule",
     "did you mean \"rotate\"?"},
    {"{\"platform\": {\"bandwidth\": \"1bps\"}, \"algorithm\": \"ps_sync\", " END "}", "$.algorithm.name",
     "needs a server"},
    {"{" NET
     ", \"algorithm\": {\"name\": \"ako\", \"apply\": \"on_arrival\"}, \"training\": {\"optimizer\": \"adam\"}, " END
     "}",
     "$.algorithm.apply", "needs plain sgd"},
    {"{" NET ", \"algorithm\": {\"name\": \"d_psgd\", \"degree\": 2}, " END "}", "$.algorithm.degree",
     "\"ring\" has a degree of its own"},
    {"{" NET ", \"algorithm\": {\"name\": \"sgp\", \"topology\": \"random_regular\"}, " END "}", "$.algorithm.degree",
     "is missing"},
    {"{" NET ", \"algorithm\": {\"name\": \"d_psgd\", \"topology\": \"random_regular\", \"degree\": 4}, " END "}",
     "$.algorithm.degree", "4 neighbours for each of 4 workers; expected at most 3"},
    {"{" NET ", \"algorithm\": {\"name\": \"d_psgd\", \"overlap\": true, \"combine\": \"after\"}, " END "}",
     "$.algorithm.overlap", "expected false, or combine \"before\""},
    {"{" NET ", \"algorithm\": {\"name\": \"ad_psgd\", \"gossip_rate\": \"often\"}, " END "}",
     "$.algorithm.gossip_rate", "\"often\" is no rate"},
    {"{" NET ", \"algorithm\": {\"name\": \"ad_psgd\", \"gossip_rate\": 0}, " END "}", "$.algorithm.gossip_rate",
     "0 is too small"},
    {"{" NET ", \"algorithm\": {\"name\": \"choco\", \"topology\": \"exponential\"}, " END "}", "$.algorithm.topology",
     "\"exponential\" is directed or changes"},
    {"{" NET ", \"algorithm\": {\"name\": \"choco\", \"codec\": {\"type\": \"none\", \"fraction\": 0.1}}, " END "}",
     "$.algorithm.codec.fraction", "is an unknown key"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"codec\": \"topk\"}, " END "}", "$.algorithm.codec",
     "\"topk\" is unknown; did you mean \"top_k\"?"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"codec\": {\"type\": \"qsgd\", \"bits\": 1}}, " END "}",
     "$.algorithm.codec.bits", "1 is too small"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"codec\": \"mean_threshold\", \"partitions\": \"auto\"}, " END "}",
     "$.algorithm.partitions", "expected a count"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"tf_ako\": {\"publish\": \"blocking\"}, \"queue_depth\": 2}, " END
     "}",
     "$.algorithm.tf_ako.publish", "leaves nothing waiting"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"tf_ako\": {\"clock\": \"ping_pong\"}}, " END "}",
     "$.algorithm.tf_ako.clock", "expected \"staleness_bound\""},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"publish\": \"blocking\"}, " END "}", "$.algorithm.publish",
     "is an unknown key; expected it in a block, \"tf_ako\": {\"publish\": ...}"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"receive_threads\": 2}, " END "}", "$.algorithm.receive_threads",
     "is an unknown key; expected it in a block, \"tf_ako\": {\"receive_threads\": ...}"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"receive_time\": \"5ms\"}, " END "}", "$.algorithm.receive_time",
     "is an unknown key; expected it in a block, \"tf_ako\": {\"receive_time\": ...}"},
    {"{" NET ", \"algorithm\": {\"name\": \"ako\", \"clock\": \"ping_pong\"}, " END "}", "$.algorithm.clock",
     "is an unknown key; expected it in a block, \"tf_ako\": {\"clock\": ...}"},
    {"{" NET ", \"algorithm\": {\"name\": \"gossip\", \"error_feedback\": true}, " END "}",
     "$.algorithm.error_feedback", "nothing is dropped without a threshold"},
    {"{" REST ", \"compute\": {\"slowdown\": {\"w3\": \"x\"}}}", "$.compute.slowdown.w3", "is not a number"},
    // Training
    {"{" REST ", \"training\": {\"optimizer\": \"adma\"}}", "$.training.optimizer", "did you mean \"adam\"?"},
    {"{" REST ", \"training\": {\"optimizer\": {\"type\": \"sgd\", \"momentum\": 0.9}}}",
     "$.training.optimizer.momentum", "is an unknown key; known keys are type, learning_rate"},
    {"{" REST ", \"training\": {\"optimizer\": {\"learning_rate\": 0}}}", "$.training.optimizer.learning_rate",
     "0 is too small; expected a number above 0"},
    {"{" REST ", \"training\": {\"optimizer\": {\"schedule\": {\"type\": \"steps\", \"at\": [-1]}}}}",
     "$.training.optimizer.schedule.at[0]", "-1 is too small"},
    // Model and data
    {"{" REST ", \"model\": \"cn\"}", "$.model", "\"cn\" is unknown; did you mean \"cnn\"?"},
    {"{" REST ", \"model\": \"layers\"}", "$.model", "\"layers\" is unknown; expected one of softmax"},
    {"{" REST ", \"model\": 3}", "$.model", "expected a model's name or {\"layers\": [...]}"},
    {"{" REST ", \"model\": {}}", "$.model.layers", "has no layer"},
    {"{" REST ", \"model\": {\"layers\": []}}", "$.model.layers", "has no layer"},
    {"{" REST ", \"model\": {\"layers\": [\"dense\"]}}", "$.model.layers[0].units",
     "is missing; expected a whole number from 1 to 1000000"},
    {"{" REST ", \"model\": {\"layers\": [{\"units\": 3}]}}", "$.model.layers[0].type",
     "is missing; expected one of dense"},
    {"{" REST ", \"model\": {\"layers\": [{\"type\": \"dens\", \"units\": 3}]}}", "$.model.layers[0].type",
     "did you mean \"dense\"?"},
    {"{" REST ", \"model\": {\"layers\": [\"flatten\", {\"type\": \"dense\", \"units\": 3}]}}", "$.model.layers[1]",
     "10"},
    {"{\"platform\": {\"workers\": 1000, \"bandwidth\": \"1bps\"}, " AKO ", " END
     ", \"model\": {\"layers\": [\"flatten\", {\"type\": \"dense\", \"units\": 100000}, {\"type\": \"dense\", "
     "\"units\": "
     "10}]}}",
     "$.model", "GiB of memory; expected at most 64 GiB"},
    {"{" REST ", \"data\": {\"source\": \"mnist\"}}", "$.data.path",
     "is missing; expected the folder of the \"mnist\" files"},
    {"{" REST ", \"data\": {\"source\": \"mnist\", \"path\": \"absent\"}}", "$.data.path", "\"absent\" does not exist"},
    {"{" REST ", \"data\": {\"source\": \"mnist\", \"path\": \"/dev/null\"}}", "$.data.path", "is not a folder"},
    {"{" REST ", \"data\": {\"source\": \"minst\"}}", "$.data.source", "did you mean \"mnist\"?"},
    {"{" REST ", \"data\": {\"train\": 3}}", "$.data.train", "3 training samples for 4 workers"},
    {"{\"platform\": {\"workers\": 9000, \"bandwidth\": \"1bps\"}, " AKO ", " END "}", "$.data.train",
     "8,000 training samples for 9,000 workers"},
    {"{" REST ", \"data\": {\"train\": 100, \"partition\": \"dealt\"}, \"training\": {\"batch_size\": 32}}",
     "$.data.partition", "\"dealt\" has 3 minibatches of 32 samples for 4 workers; expected at least one for each"},
    {"{" REST ", \"model\": {\"layers\": [\"flatten\", {\"type\": \"dense\", \"units\": 16}, \"batch_norm\", "
     "{\"type\": \"dense\", \"units\": 10}]}, \"training\": {\"batch_size\": 1}}",
     "$.training.batch_size",
     "1, but \"batch_norm1\" cannot learn from one value per channel; expected at least 2, or batch normalisation over "
     "several pixels"},
    {"{" REST ", \"model\": {\"layers\": [{\"type\": \"residual\", \"filters\": 10, \"stride\": 12}, \"flatten\", "
     "{\"type\": \"dense\", \"units\": 10}]}, \"training\": {\"batch_size\": 1}}",
     "$.training.batch_size", "1, but \"residual1.batch_norm1\" cannot learn"},
    // Sizes
    {"{" NET ", " AKO ", \"stop\": {\"iterations\": 1000000000}}", "$.stop", "4 workers x 1e+09 steps make a run"},
    {"{\"platform\": {\"workers\": 100000, \"bandwidth\": \"1bps\"}, \"algorithm\": {\"name\": \"ako\", \"overflow\": "
     "\"block\"}, " END ", \"data\": {\"train\": 100000}}",
     "$.platform.workers", "100,000 hosts that all talk to all make a run"},
    {"{" REST ", \"model\": {\"layers\": [\"flatten\", {\"type\": \"dense\", \"units\": 1000000}, {\"type\": "
     "\"dense\", \"units\": 2000}, {\"type\": \"dense\", \"units\": 10}]}}",
     "$.model", "GiB of memory; expected at most 64 GiB, or the model \"none\""},
    {"{" REST ", \"model\": {\"layers\": [\"flatten\", {\"type\": \"dense\", \"units\": 1000000}, {\"type\": "
     "\"dense\", \"units\": 10}]}, \"data\": {\"train\": 1000000}, \"training\": {\"batch_size\": 1000000}}",
     "$.training.batch_size", "GiB of memory; expected at most 64 GiB"},
    {"{" REST ", \"wire\": {\"model_bytes\": \"1e30B\"}}", "$.wire.model_bytes", "are too many; expected at most"},
    {"{" REST ", \"wire\": {\"header_bytes\": \"1e20B\"}}", "$.wire.header_bytes", "are too many; expected at most"},
    {"{" NET ", " AKO ", \"stop\": {\"iterations\": 1000000}, \"evaluate\": {\"every_iterations\": 1}}",
     "$.evaluate.every_iterations", "asks for 1000000 evaluations"},
    // Stop, evaluation, timing only
    {"{" NET ", " AKO ", \"stop\": {\"accuracy\": 80}}", "$.stop.accuracy",
     "80 is too large; expected a number above 0 and at most 1"},
    {"{" NET ", " AKO ", \"stop\": {\"time\": \"0s\"}}", "$.stop.time", "\"0s\" is too small"},
    {"{" REST ", \"evaluate\": {\"every\": \"1s\", \"every_iterations\": 5}}", "$.evaluate.every_iterations",
     "is given beside \"every\""},
    {"{" REST ", \"evaluate\": {\"samples\": 1001}}", "$.evaluate.samples",
     "1001 is too large; expected at most the 1000 test samples"},
    {"{" NET ", " AKO ", \"stop\": {\"time\": \"300s\"}, \"evaluate\": {\"every\": \"1us\"}}", "$.evaluate.every",
     "asks for 300000000 evaluations"},
    {"{" REST ", \"model\": \"none\", \"wire\": {\"model_bytes\": \"1MB\"}}", "$.compute.seconds_per_batch",
     "is missing; with model \"none\""},
    {"{" REST ", \"model\": \"none\", \"compute\": {\"seconds_per_batch\": \"1s\"}}", "$.wire.model_bytes",
     "is missing; with model \"none\""},
#define NONE "\"model\": \"none\", \"wire\": {\"model_bytes\": \"1MB\"}, \"compute\": {\"seconds_per_batch\": \"1s\"}"
    {"{" NET ", " AKO ", " NONE ", \"stop\": {\"accuracy\": 0.5}}", "$.stop.accuracy", "model \"none\" learns nothing"},
    {"{" REST ", " NONE ", \"evaluate\": {\"every\": \"1s\"}}", "$.evaluate.every", "model \"none\" learns nothing"},
    {"{" REST ", " NONE ", \"evaluate\": {\"target_accuracy\": [0.5]}}", "$.evaluate.target_accuracy",
     "model \"none\" learns nothing"},
    {"{" NET ", " AKO ", " NONE ", \"stop\": {\"loss\": 1}}", "$.stop.loss", "model \"none\" learns nothing"},
    {"{" REST ", " NONE ", \"evaluate\": {\"metric\": \"loss\"}}", "$.evaluate.metric",
     "model \"none\" learns nothing"},
    {"{" REST ", " NONE ", \"record\": {\"weights\": true}}", "$.record.weights", "has no weights"},
    // Names
    {"{" REST ", \"name\": \"a/b\"}", "$.name", "holds a slash"},
    {"{" REST ", \"name\": \"..\"}", "$.name", "starts with a dot"},
    {"{" REST ", \"name\": \"a\\nb\"}", "$.name", "holds control characters"},
    {"{" REST ", \"name\": "
     "\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x\"}",
     "$.name", "has 101 bytes; expected at most 100"},
};

TEST_CASE("every broken scenario gives one line with its path, what is wrong and what was expected") {
  for (const Broken& broken : kBroken) {
    const std::string text = broken.text;
    CAPTURE(text);
    const std::vector<std::string> lines = errors_of(text);
    for (std::size_t i = 1; i < lines.size(); ++i) CHECK(lines[i] == "");
    CHECK_FALSE(lines.empty());
    if (lines.empty()) continue;
    const std::string start = std::string("s.json: ") + broken.path + ": ";
    CHECK_MESSAGE(lines[0].starts_with(start), lines[0]);
    CHECK_MESSAGE(lines[0].find(broken.phrase, start.size()) != std::string::npos, lines[0]);
    const bool says_more =
        lines[0].find("expected") != std::string::npos || lines[0].find("did you mean") != std::string::npos ||
        lines[0].find("write for example") != std::string::npos ||
        lines[0].find("known keys are") != std::string::npos || std::string(broken.path).starts_with("$.algorithm") ||
        std::string(broken.path).starts_with("$.model.layers");
    CHECK_MESSAGE(says_more, lines[0]);
  }
}

TEST_CASE("a key of a system that is gone gives one line with the key to use instead") {
  struct Keys final : FieldVisitor {
    void visit(const char* key, const FieldValue&, const Rule&) override { known.insert(key); }
    void former(const char* key, const char* instead, const std::vector<std::string>&) override {
      former_keys[key] = instead;
    }
    std::set<std::string> known;
    std::map<std::string, std::string> former_keys;
  };
  int checked = 0;
  for (const auto& system : systems::built_in()) {
    Keys keys;
    system->clone()->visit_fields(keys);
    for (const auto& [key, instead] : keys.former_keys) {
      CAPTURE(key);
      CHECK_FALSE(keys.known.contains(key));
      // What it names first is a key here, or in its place.
      const std::size_t from = instead.find('"') + 1;
      const std::string named = instead.substr(from, instead.find('"', from) - from);
      CHECK((keys.known.contains(named) || errors_of("{" REST ", \"" + named + "\": []}").empty()));
      const std::string name = system->facts().name;
      const auto lines =
          errors_of("{" NET ", \"algorithm\": {\"name\": \"" + name + "\", \"" + key + "\": 1}, " END "}");
      REQUIRE(lines.size() == 1);
      CHECK(lines[0] == "s.json: $.algorithm." + key + ": is no longer a key; expected " + instead);
      ++checked;
    }
  }
  CHECK(checked >= 5);
}

TEST_CASE("a network key that is gone is passed over where it says what the model does, and refused elsewhere") {
  const auto with = [](const std::string& network) {
    return "{\"platform\": {\"workers\": 4, \"bandwidth\": \"40Mbps\", \"network\": {" + network +
           "}}, " AKO ", " END "}";
  };
  for (const char* idle :
       {R"("model": "TCP", "sharing": "tcp")", R"("model": "TCP", "sharing": "auto")", R"("sharing": "auto")",
        R"("model": "CM02", "sharing": "fair")", R"("model": "CM02", "crosstraffic": false)",
        R"("model": "packets", "crosstraffic": true)", R"("crosstraffic": true)", R"("solver": "auto")"}) {
    CAPTURE(idle);
    const Scenario scenario = parse_scenario(systems::built_in(), with(idle), "s.json");
    REQUIRE(scenario.notes.size() == 1);
    CHECK(scenario.notes[0].starts_with("s.json: $.platform.network."));
    CHECK(scenario.notes[0].ends_with(": is no longer a key; what it says holds anyway, so delete it"));
    for (const char* key : {"sharing", "crosstraffic", "solver"}) {
      CHECK(describe(scenario).find(key) == std::string::npos);
    }
  }
  for (const auto& [key, network] :
       std::vector<std::pair<std::string, std::string>>{{"sharing", R"("model": "TCP", "sharing": "fair")"},
                                                        {"sharing", R"("sharing": "tcp")"},
                                                        {"sharing", R"("model": "CM02", "sharing": "tcp")"},
                                                        {"sharing", R"("model": "packets", "sharing": "fair")"},
                                                        {"crosstraffic", R"("model": "CM02", "crosstraffic": true)"},
                                                        {"crosstraffic", R"("crosstraffic": false)"},
                                                        {"solver", R"("solver": "accelerator")"},
                                                        {"solver", R"("model": "CM02", "solver": "simgrid")"}}) {
    CAPTURE(network);
    const std::vector<std::string> lines = errors_of(with(network));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("s.json: $.platform.network." + key + ": is no longer a key; expected \"model\""));
  }
  CHECK(errors_of(with(R"("model": "LV08")"))[0].find(R"("LV08" is unknown; expected one of)") != std::string::npos);
}

TEST_CASE("the scenario around the broken parts is right") {
  CHECK(errors_of("{" REST "}") == std::vector<std::string>{});
  CHECK(errors_of("{" REST ", " NONE "}") == std::vector<std::string>{});
}

}  // namespace
}  // namespace ddl::scenario
