// JsonReader.h - reads typed fields of a JSON object and remembers the first thing wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/schema. The half of a format's description that reads; JsonWriter.h is the other:
// one function template `map(json, value)` per struct serves both, so a field is named once (as
// with LLVM's yaml::IO). A JsonReader stands on one object and knows its path ("kernels[2].
// static"), so a message can say `kernels[2].static.line: expected an unsigned integer, got
// "x"`. An absent or null field leaves the target at its default; unknown fields are ignored
// (a newer writer may add some); a field of the wrong kind is an error. Not thread-safe.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gpusched {

class JsonReader {
public:
  JsonReader(const nlohmann::json& object, std::string path, Status& firstError);

  void map(const char* field, std::string& target);
  void map(const char* field, bool& target);
  void map(const char* field, int& target);
  void map(const char* field, uint32_t& target);
  void map(const char* field, uint64_t& target);
  void map(const char* field, double& target);
  /// A null element becomes `forNull`.
  void map(const char* field, std::vector<double>& target, double forNull = 0);
  void map(const char* field, std::vector<uint32_t>& target);
  void map(const char* field, std::vector<uint64_t>& target);
  void map(const char* field, std::vector<std::string>& target);
  void map(const char* field, std::map<std::string, uint32_t>& target);
  /// Null members are left out.
  void map(const char* field, std::map<std::string, double>& target);
  /// `value` is the place of the text among `names`.
  template <typename Enum, size_t Count>
  void map(const char* field, Enum& value, const char* const (&names)[Count]);
  /// Appends one element for every object of the array `field`; each(reader, element) fills it.
  template <typename Element, typename Each>
  void map(const char* field, std::vector<Element>& list, Each each);

  /// Calls `use` with a reader on the object `field`, if there is one.
  template <typename Use> void within(const char* field, Use use);
  /// True when `field` is there and not null.
  bool has(const char* field) const;
  void fail(const char* field, const std::string& problem);

private:
  const nlohmann::json* find(const char* field) const;
  std::string pathOf(const char* field) const;
  void expected(const char* field, const char* kind, const nlohmann::json& got);
  bool readUnsigned(const char* field, uint64_t limit, uint64_t& value);
  template <typename Unsigned> void readList(const char* field, std::vector<Unsigned>& target);
  const nlohmann::json* findArray(const char* field, const char* kind);

  const nlohmann::json& object_;
  std::string path_;
  Status& firstError_;
};

template <typename Enum, size_t Count>
void JsonReader::map(const char* field, Enum& value, const char* const (&names)[Count]) {
  std::string text = names[size_t(value)], known;
  map(field, text);
  for (size_t i = 0; i < Count; ++i) {
    if (text == names[i]) {
      value = Enum(i);
      return;
    }
    known += (i == 0 ? "" : i + 1 == Count ? " or " : ", ") + std::string(names[i]);
  }
  fail(field, "expected " + known + ", got \"" + text + "\"");
}

template <typename Element, typename Each>
void JsonReader::map(const char* field, std::vector<Element>& list, Each each) {
  const nlohmann::json* found = findArray(field, "an array");
  for (size_t i = 0; found && i < found->size(); ++i) {
    JsonReader element((*found)[i], pathOf(field) + "[" + std::to_string(i) + "]", firstError_);
    each(element, list.emplace_back());
  }
}

template <typename Use> void JsonReader::within(const char* field, Use use) {
  if (const nlohmann::json* found = find(field)) {
    JsonReader inner(*found, pathOf(field), firstError_);
    use(inner);
  }
}

/// Parses `text`; on a syntax error the message gives line and column.
Result<nlohmann::json> parseJson(const std::string& text);

} // namespace gpusched
