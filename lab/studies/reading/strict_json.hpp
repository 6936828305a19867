// Reads the JSON of a study's folder strictly: what is not understood is one line, "FILE: $.path: what is wrong; what
// was expected".
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.hpp"

namespace ddl::studies {

using Json = nlohmann::ordered_json;

// A value and its place in a file. What is wrong with it is an InputError.
class JsonAt {
 public:
  // The whole of a file.
  static JsonAt parsed(const std::string& text, const std::string& file);

  const Json& json() const { return json_; }
  // Another value in the same place.
  JsonAt with(Json json) const { return {std::move(json), file_, path_}; }

  [[noreturn]] void refuse(const std::string& what) const;
  // What `read` returns; what it refuses is said of this place.
  template <class Read>
  auto checked(const Read& read) const {
    try {
      return read();
    } catch (const InputError& error) {
      refuse(error.what());
    }
  }

  // Of an object. All its keys must be among these.
  void expect_keys(const std::vector<std::string>& known) const;
  JsonAt at(const std::string& key) const;
  std::optional<JsonAt> find(const std::string& key) const;
  std::vector<std::pair<std::string, JsonAt>> members() const;

  std::vector<JsonAt> items() const;                           // of a list
  std::vector<JsonAt> items_of(const std::string& key) const;  // of the list under an object's key, if there is one
  std::vector<std::string> texts() const;
  std::string text() const;
  std::string text_or(const std::string& key, const std::string& otherwise) const;  // of an object's key
  double number() const;
  int whole() const;  // zero or more

 private:
  JsonAt(Json json, std::string file, std::string path)
      : json_(std::move(json)), file_(std::move(file)), path_(std::move(path)) {}

  const Json& object() const;

  Json json_;
  std::string file_, path_;
};

}  // namespace ddl::studies
