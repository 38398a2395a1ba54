// JsonReader.cpp - typed fields out of JSON, first error kept.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No exception leaves this file: the parser runs in its non-throwing form and every access
// is checked for its kind first.
#include "rt/schema/JsonReader.h"

#include <limits>

namespace gpusched {

using nlohmann::json;

JsonReader::JsonReader(const json& object, std::string path, Status& firstError)
    : object_(object), path_(std::move(path)), firstError_(firstError) {
  if (!object_.is_object())
    fail(nullptr, "expected an object, got " + std::string(object_.type_name()));
}

std::string JsonReader::pathOf(const char* field) const {
  if (!field)
    return path_.empty() ? "top level" : path_;
  return path_.empty() ? field : path_ + "." + field;
}

void JsonReader::fail(const char* field, const std::string& problem) {
  if (firstError_.ok())
    firstError_ = Status::error(pathOf(field) + ": " + problem);
}

void JsonReader::expected(const char* field, const char* kind, const json& got) {
  std::string shown = got.dump(-1, ' ', false, json::error_handler_t::replace);
  if (shown.size() > 40)
    shown = shown.substr(0, 40) + "...";
  fail(field, std::string("expected ") + kind + ", got " + shown);
}

const json* JsonReader::find(const char* field) const {
  if (!object_.is_object())
    return nullptr;
  json::const_iterator found = object_.find(field);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonReader::has(const char* field) const {
  return find(field) != nullptr;
}

bool JsonReader::readUnsigned(const char* field, uint64_t limit, uint64_t& value) {
  const json* found = find(field);
  if (!found)
    return false;
  bool fits = found->is_number_unsigned() && found->get<uint64_t>() <= limit;
  if (fits)
    value = found->get<uint64_t>();
  else
    expected(field, "an unsigned integer", *found);
  return fits;
}

void JsonReader::map(const char* field, uint64_t& target) {
  readUnsigned(field, std::numeric_limits<uint64_t>::max(), target);
}

void JsonReader::map(const char* field, uint32_t& target) {
  uint64_t value = 0;
  if (readUnsigned(field, std::numeric_limits<uint32_t>::max(), value))
    target = uint32_t(value);
}

void JsonReader::map(const char* field, int& target) {
  uint64_t value = 0;
  if (readUnsigned(field, std::numeric_limits<int>::max(), value))
    target = int(value);
}

void JsonReader::map(const char* field, std::string& target) {
  const json* found = find(field);
  if (found && found->is_string())
    target = found->get<std::string>();
  else if (found)
    expected(field, "a string", *found);
}

void JsonReader::map(const char* field, bool& target) {
  const json* found = find(field);
  if (found && found->is_boolean())
    target = found->get<bool>();
  else if (found)
    expected(field, "true or false", *found);
}

void JsonReader::map(const char* field, double& target) {
  const json* found = find(field);
  if (found && found->is_number())
    target = found->get<double>();
  else if (found)
    expected(field, "a number", *found);
}

const json* JsonReader::findArray(const char* field, const char* kind) {
  const json* found = find(field);
  if (!found || found->is_array())
    return found;
  expected(field, kind, *found);
  return nullptr;
}

void JsonReader::map(const char* field, std::vector<double>& target, double forNull) {
  const json* found = findArray(field, "an array of numbers");
  if (!found)
    return;
  target.clear();
  for (const json& element : *found) {
    if (!element.is_number() && !element.is_null())
      return expected(field, "an array of numbers", element);
    target.push_back(element.is_null() ? forNull : element.get<double>());
  }
}

template <typename Unsigned>
void JsonReader::readList(const char* field, std::vector<Unsigned>& target) {
  const json* found = findArray(field, "an array of unsigned integers");
  if (!found)
    return;
  target.clear();
  for (const json& element : *found) {
    if (!element.is_number_unsigned() ||
        element.get<uint64_t>() > std::numeric_limits<Unsigned>::max())
      return expected(field, "an array of unsigned integers", element);
    target.push_back(element.get<Unsigned>());
  }
}

void JsonReader::map(const char* field, std::vector<uint32_t>& target) {
  readList(field, target);
}

void JsonReader::map(const char* field, std::vector<uint64_t>& target) {
  readList(field, target);
}

void JsonReader::map(const char* field, std::vector<std::string>& target) {
  const json* found = findArray(field, "an array of strings");
  if (!found)
    return;
  target.clear();
  for (const json& element : *found) {
    if (!element.is_string())
      return expected(field, "an array of strings", element);
    target.push_back(element.get<std::string>());
  }
}

void JsonReader::map(const char* field, std::map<std::string, uint32_t>& target) {
  within(field, [&](JsonReader& counts) {
    for (const auto& [key, value] : counts.object_.items())
      counts.map(key.c_str(), target[key]);
  });
}

void JsonReader::map(const char* field, std::map<std::string, double>& target) {
  within(field, [&](JsonReader& members) {
    for (const auto& [key, value] : members.object_.items())
      if (!value.is_null())
        members.map(key.c_str(), target[key]);
  });
}

namespace {

/// Line and column of byte `position` (from 1), both from 1.
std::string lineAndColumn(const std::string& text, size_t position) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i + 1 < position && i < text.size(); ++i) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n';
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

} // namespace

Result<json> parseJson(const std::string& text) {
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_discarded())
    return value;
  // Only the throwing form says where; it is asked once, on the error path.
  try {
    json ignored = json::parse(text);
  } catch (const json::parse_error& error) {
    return Status::error("not JSON: " + lineAndColumn(text, error.byte) +
                         (text.empty() ? " (the file is empty)" : ""));
  }
  return Status::error("not JSON");
}

} // namespace gpusched
