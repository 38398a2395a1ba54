// JsonWriter.h - writes typed fields of a JSON object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/schema. Has JsonReader's `map` for every kind of field, so that one description
// of a struct serves both directions. Keys come out in the order of the calls: files diff well.
// NaN and infinity become null (nlohmann_json's own rule). Not thread-safe.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace gpusched {

/// A struct that a reader fills and a writer only reads: `void map(auto& json, Field<T> auto& t)`.
template <typename Value, typename Struct>
concept Field = std::same_as<std::remove_const_t<Value>, Struct>;

class JsonWriter {
public:
  template <typename Value> void map(const char* field, const Value& value) {
    object_[field] = value;
  }
  void map(const char* field, const std::vector<double>& values, double /*forNull*/) {
    object_[field] = values;
  }
  template <typename Enum, size_t Count>
  void map(const char* field, Enum value, const char* const (&names)[Count]) {
    object_[field] = names[size_t(value)];
  }
  template <typename Element, typename Each>
  void map(const char* field, const std::vector<Element>& list, Each each) {
    nlohmann::ordered_json& array = object_[field] = nlohmann::ordered_json::array();
    for (const Element& element : list) {
      JsonWriter writer;
      each(writer, element);
      array.push_back(std::move(writer.object_));
    }
  }
  template <typename Use> void within(const char* field, Use use) {
    JsonWriter inner;
    use(inner);
    object_[field] = std::move(inner.object_);
  }
  void mapNull(const char* field) { object_[field] = nullptr; }

  /// A file's text: indented, a newline at the end; bytes that are not UTF-8 are replaced.
  std::string text() const {
    return object_.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

private:
  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

} // namespace gpusched
