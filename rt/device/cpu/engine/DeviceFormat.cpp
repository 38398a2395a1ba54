// DeviceFormat.cpp - splits a format into conversions and lets the host's printf do each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %n and * widths are not supported by CUDA; %n prints nothing, * takes an int.
#include "rt/device/cpu/engine/DeviceFormat.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace gpusched::cpu {
namespace {

class Arguments {
public:
  Arguments(const uint8_t* base, const Readable& readable) : base_(base), readable_(readable) {}
  template <class T> T take() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (readable_(base_ + at_, sizeof value))
      std::memcpy(&value, base_ + at_, sizeof value);
    at_ += sizeof(T);
    return value;
  }

private:
  const uint8_t* base_;
  const Readable& readable_;
  size_t at_ = 0;
};

/// Of one conversion; the whole buffer of a device's printf is that large.
constexpr int kMostBytes = 1 << 20;

template <class T> void append(std::string& text, const std::string& conversion, T value) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof buffer, conversion.c_str(), value);
  if (length < 0 || length > kMostBytes)
    return;
  if (static_cast<size_t>(length) < sizeof buffer) {
    text.append(buffer, static_cast<size_t>(length));
    return;
  }
  std::string large(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), conversion.c_str(), value);
  large.pop_back();
  text += large;
}

bool isOneOf(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

/// Reads flags, width, precision and length; `*` is replaced by its argument.
const char* readConversion(const char* at, Arguments& arguments, std::string& conversion,
                           bool& isLong) {
  conversion = "%";
  for (; *at && isOneOf(*at, "-+ #0123456789.*"); ++at) {
    if (*at == '*')
      conversion += std::to_string(arguments.take<int32_t>());
    else
      conversion += *at;
  }
  for (; *at && isOneOf(*at, "hlLqjzt"); ++at)
    if (*at != 'h')
      isLong = true;
  return at;
}

} // namespace

std::string deviceText(const char* text, const Readable& readable) {
  std::string copy;
  for (; readable(text, 1) && *text; ++text)
    copy += *text;
  return copy;
}

std::string formatDevice(const char* format, const uint8_t* packed, uint32_t& count,
                         const Readable& readable) {
  std::string text;
  const std::string copy = deviceText(format, readable);
  Arguments arguments(packed, readable);
  count = 0;
  for (const char* at = copy.c_str(); *at; ++at) {
    if (*at != '%') {
      text += *at;
      continue;
    }
    if (at[1] == '%') {
      text += *at++;
      continue;
    }
    std::string conversion;
    bool isLong = false;
    at = readConversion(at + 1, arguments, conversion, isLong);
    if (!*at)
      break;
    ++count;
    if (isOneOf(*at, "diouxX")) {
      if (isLong)
        append(text, conversion + "ll" + *at, arguments.take<long long>());
      else
        append(text, conversion + *at, arguments.take<int32_t>());
    } else if (*at == 'c') {
      append(text, conversion + *at, arguments.take<int32_t>());
    } else if (isOneOf(*at, "eEfFgGaA")) {
      append(text, conversion + *at, arguments.take<double>());
    } else if (*at == 's') {
      const char* string = arguments.take<const char*>();
      append(text, conversion + *at, string ? deviceText(string, readable).c_str() : "(null)");
    } else if (*at == 'p') {
      append(text, conversion + *at, arguments.take<void*>());
    } else {
      text += conversion + *at;
    }
  }
  return text;
}

} // namespace gpusched::cpu
