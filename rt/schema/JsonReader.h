// JsonReader.h - reads typed fields of a JSON object and remembers the first thing wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/schema. A JsonReader stands on one object and knows its path ("kernels[2].
// static"), so a message can say `kernels[2].static.line: expected an unsigned integer, got
// "x"`. An absent or null field leaves the target at its default; unknown fields are ignored
// (a newer writer may add some); a field of the wrong kind is an error. Not thread-safe.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gpusched {

class JsonReader {
public:
  JsonReader(const nlohmann::json& object, std::string path, Status& firstError);

  void read(const char* field, std::string& target);
  void read(const char* field, bool& target);
  void read(const char* field, int& target);
  void read(const char* field, uint32_t& target);
  void read(const char* field, uint64_t& target);
  void read(const char* field, double& target);
  /// A null element becomes `forNull`.
  void read(const char* field, std::vector<double>& target, double forNull = 0);
  void read(const char* field, std::vector<std::string>& target);
  void read(const char* field, std::map<std::string, uint32_t>& target);
  /// Null members are left out.
  void read(const char* field, std::map<std::string, double>& target);

  /// Calls `each` with a reader on every object of the array `field`.
  void forEach(const char* field, const std::function<void(JsonReader&)>& each);
  /// Calls `use` with a reader on the object `field`, if there is one.
  void within(const char* field, const std::function<void(JsonReader&)>& use);
  /// True when `field` is there and not null.
  bool has(const char* field) const;
  void fail(const char* field, const std::string& problem);

private:
  const nlohmann::json* find(const char* field) const;
  std::string pathOf(const char* field) const;
  void expected(const char* field, const char* kind, const nlohmann::json& got);
  bool readUnsigned(const char* field, uint64_t limit, uint64_t& value);

  const nlohmann::json& object_;
  std::string path_;
  Status& firstError_;
};

/// Parses `text`; on a syntax error the message gives line and column.
Result<nlohmann::json> parseJson(const std::string& text);

} // namespace gpusched
