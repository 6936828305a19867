// Relations between keys, as fields() declares them: checks of what is read, and conditions of the JSON Schema.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/field_value.hpp"
#include "sim/scenario/reading/findings.hpp"

namespace ddl::scenario {

// Relations of the keys of one object. Fields are shown to it before they are read, while they have their defaults.
class KeyRelations final : public FieldVisitor {
 public:
  void visit(const char* key, const FieldValue& value, const Rule& rule) override;
  void relation(const char* keys, Relation how, const char* condition) override;

  // Reports what is wrong in an object that has been read. Keys with errors of their own are left alone.
  void check(const nlohmann::ordered_json& object, const Place& place) const;
  // Schemas that hold for such an object.
  nlohmann::ordered_json schemas() const;

 private:
  using Json = nlohmann::ordered_json;
  struct Condition {
    std::vector<std::string> keys;   // one of these is given;
    std::vector<std::string> words;  // or, where there are words: the only one is one of these
  };
  struct Related {
    std::string key;
    Relation how;
    Condition other;
    std::vector<std::string> instead = {};  // keys that serve as well
  };

  Json value_of(const std::string& key, const Json& object) const;
  bool is_given(const std::string& key, const Json& object) const;
  bool holds(const Condition& condition, const Json& object) const;
  std::string problem_of(const Related& related, const Json& object) const;

  std::map<std::string, Json> defaults_;         // words, flags, lists and texts: given where they differ from these
  std::map<std::string, std::string> expected_;  // values of keys that may be left out: "a time such as "20ms""
  std::vector<Related> related_;
  std::string block_;  // "evaluate.", while keys of this block are shown
};

}  // namespace ddl::scenario
