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
#include <vector>

namespace gpusched {

template <class Value> struct ByKernel {
  Value all = {};
  std::map<std::string, Value, std::less<>> named;

  const Value& of(std::string_view kernel) const {
    const auto found = named.find(nameFor(kernel));
    return found == named.end() ? all : found->second;
  }

  /// Has any kernel a value that is not the one that stands for none?
  bool isGiven() const { return all != Value() || !named.empty(); }

  /// Which of the names stands for the kernel; the kernel's own where none does.
  std::string_view nameFor(std::string_view kernel) const {
    const std::string_view plain = kernel.substr(0, kernel.find('<'));
    return named.count(kernel) || !named.count(plain) ? kernel : plain;
  }
};

struct KernelPart {
  std::string_view kernel; ///< "" = all
  std::string_view value;
};

/// The parts of the text, into which they point; nullopt when malformed, or when a kernel comes
/// twice.
std::optional<std::vector<KernelPart>> partsByKernel(std::string_view text);

/// Each part read by `read(text)`, which gives an optional value.
template <class Read> auto readByKernel(std::string_view text, const Read& read) {
  using Value = typename decltype(read(std::string()))::value_type;
  const std::optional<std::vector<KernelPart>> parts = partsByKernel(text);
  std::optional<ByKernel<Value>> values;
  if (!parts)
    return values;
  values.emplace();
  for (const KernelPart& part : *parts) {
    const auto value = read(std::string(part.value));
    if (!value)
      return std::optional<ByKernel<Value>>();
    (part.kernel.empty() ? values->all : values->named[std::string(part.kernel)]) = *value;
  }
  return values;
}

} // namespace gpusched
