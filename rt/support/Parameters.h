// Parameters.h - thresholds of a policy that a user may set by name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/Result.h"

#include <string>
#include <vector>

namespace gpusched {

/// A threshold that a user may set with GPUSCHED_PARAMETERS=name=value.
struct PolicyParameter {
  const char* name;
  const char* unit;
  double value; // the default until set
  const char* meaning;
  const char* source; // where the default comes from
};

/// Base of what has such parameters. Thread-safety: const but for configure().
class Configurable {
public:
  virtual ~Configurable() = default;
  const std::vector<PolicyParameter>& parameters() const;
  /// "name=value,..." over the defaults. An unknown name or a bad number is an error that
  /// lists the names.
  Status configure(const std::string& text);

protected:
  virtual std::vector<PolicyParameter>* mutableParameters() { return nullptr; }
};

} // namespace gpusched
