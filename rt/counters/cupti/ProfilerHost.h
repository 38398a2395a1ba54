// ProfilerHost.h - CUPTI's offline half: which metrics a chip has, and how many passes they take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needs neither GPU nor driver, so every metric table of ours is checked in the test suite against
// the real library. Configuration images are the same bytes on every run.
//
// A pass count made without a device's availability image is a plan: on the device the count is
// asked again with the image, since other clients may hold counters. Not thread-safe.
#pragma once

#include "rt/counters/cupti/Cupti.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpusched {

enum class ProfilerKind : uint8_t { Range, PmSampling };

class ProfilerHost {
public:
  /// `availability` empty: offline. REQUIRES: it outlives the host object otherwise.
  static Result<ProfilerHost> open(const Cupti& cupti, const std::string& chip, ProfilerKind kind,
                                   const std::vector<uint8_t>& availability = {});
  ~ProfilerHost();
  ProfilerHost(ProfilerHost&&) noexcept;
  ProfilerHost& operator=(ProfilerHost&&) = delete;

  /// A configuration image of these metrics; the error names the ones the chip does not have.
  Result<std::vector<uint8_t>> configure(const std::vector<std::string>& metrics) const;
  /// Passes that such an image takes.
  Result<size_t> passes(const std::vector<uint8_t>& image) const;
  bool knows(const std::string& metric) const;
  /// Values of one range or sample of a decoded counter data image, in the order of `metrics`.
  Result<std::vector<double>> evaluate(const std::vector<uint8_t>& counterData, size_t index,
                                       const std::vector<std::string>& metrics) const;

private:
  struct Implementation;
  explicit ProfilerHost(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// Chips that this CUPTI lists, like "GH100". Listed is not usable: GV11B is and cannot be opened.
std::vector<std::string> supportedChips(const Cupti& cupti);

/// Pointers to the characters of `names`, as CUPTI wants lists of metrics.
std::vector<const char*> pointers(const std::vector<std::string>& names);

} // namespace gpusched
