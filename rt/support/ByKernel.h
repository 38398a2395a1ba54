// ByKernel.h - a setting with one value for all kernels and others for some by name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   8                      all kernels
//   stencil=8;spmv=2       these two
//   4;reduce<double>=8     all but one instantiation
//
// Names are those of traces and profiles; without template arguments one stands for all
// instantiations. They may hold commas, hence the semicolon.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched {

template <class Value> struct ByKernel {
  Value all = {};
  std::map<std::string, Value, std::less<>> named;

  const Value& of(std::string_view kernel) const {
    const auto found = named.find(nameFor(kernel));
    return found == named.end() ? all : found->second;
  }

  /// Which of the names stands for the kernel; the kernel's own where none does.
  std::string_view nameFor(std::string_view kernel) const {
    const std::string_view plain = kernel.substr(0, kernel.find('<'));
    return named.count(kernel) || !named.count(plain) ? kernel : plain;
  }
};

/// The parts as text, values perhaps empty; nullopt when malformed, or when a name comes twice.
std::optional<ByKernel<std::string>> parseByKernel(std::string_view text);

/// Each part read by `read(text)`, which gives an optional value.
template <class Read> auto readByKernel(std::string_view text, const Read& read) {
  using Value = typename decltype(read(std::string()))::value_type;
  std::optional<ByKernel<Value>> result;
  const std::optional<ByKernel<std::string>> parts = parseByKernel(text);
  if (!parts)
    return result;
  ByKernel<Value> values;
  if (!parts->all.empty()) {
    const auto value = read(parts->all);
    if (!value)
      return result;
    values.all = *value;
  }
  for (const auto& [name, part] : parts->named) {
    const auto value = read(part);
    if (!value)
      return result;
    values.named.emplace(name, *value);
  }
  result = std::move(values);
  return result;
}

} // namespace gpusched
