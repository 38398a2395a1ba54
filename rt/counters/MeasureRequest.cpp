// MeasureRequest.cpp - a request as text and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/MeasureRequest.h"

#include <cstdlib>

namespace gpusched {

std::string MeasureRequest::text() const {
  std::string out = source;
  if (intervalNs)
    out += "@" + std::to_string(intervalNs);
  for (size_t i = 0; i < counters.size(); ++i)
    out += (i ? "," : "=") + counters[i];
  return out;
}

Result<MeasureRequest> MeasureRequest::parse(const std::string& text) {
  MeasureRequest request;
  size_t equals = std::min(text.find('='), text.size());
  std::string head = text.substr(0, equals);
  size_t at = std::min(head.find('@'), head.size());
  request.source = head.substr(0, at);
  if (at < head.size())
    request.intervalNs = std::strtoull(head.c_str() + at + 1, nullptr, 10);
  for (size_t start = equals + 1; start < text.size();) {
    size_t end = std::min(text.find(',', start), text.size());
    request.counters.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  bool counted = request.source == "range" || request.source == "pm";
  if (!counted && request.source != "activity" && request.source != "pc")
    return Status::error("'" + text + "' asks for no known source");
  if (counted == request.counters.empty() || (request.source == "pm") != (request.intervalNs > 0))
    return Status::error("'" + text + "' is incomplete; see rt/counters/MeasureRequest.h");
  return request;
}

} // namespace gpusched
