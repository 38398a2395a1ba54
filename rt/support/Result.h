// Result.h - success, or an error a person can act on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime throws nothing across an intercepted CUDA call, so everything in
// rt/ that can fail returns Status (no value) or Result<T>. A message says what
// failed, on what, the likely cause and the next step. Both types are values:
// no locks, safe to move between threads.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace gpusched {

/// Success, or one message. Default-constructed = success.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status error(std::string message) { return Status(std::move(message)); }

  bool ok() const { return !message_.has_value(); }
  explicit operator bool() const { return ok(); }
  /// The message; empty on success.
  const std::string& message() const {
    static const std::string kNone;
    return message_ ? *message_ : kNone;
  }

private:
  explicit Status(std::string message) : message_(std::move(message)) {}
  std::optional<std::string> message_;
};

/// A T, or the Status that says why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status error) : status_(std::move(error)) { assert(!status_.ok()); }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }
  const std::string& message() const { return status_.message(); }

  /// REQUIRES: ok().
  T& operator*() {
    assert(ok());
    return *value_;
  }
  const T& operator*() const {
    assert(ok());
    return *value_;
  }
  T* operator->() {
    assert(ok());
    return &*value_;
  }
  const T* operator->() const {
    assert(ok());
    return &*value_;
  }

private:
  Status status_;
  std::optional<T> value_;
};

} // namespace gpusched
