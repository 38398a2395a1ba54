// ByteView.h - bounds-checked little-endian reads from bytes that may be anything.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every read of a file format in this folder goes through here, so malformed input gives a
// missing value and never an access outside the bytes. The bytes must outlive the view.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace gpusched::image {

class ByteView {
public:
  ByteView() = default;
  explicit ByteView(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  ByteView(const void* data, std::size_t size) : bytes_(static_cast<const uint8_t*>(data), size) {}

  std::size_t size() const { return bytes_.size(); }
  const uint8_t* data() const { return bytes_.data(); }
  std::span<const uint8_t> span() const { return bytes_; }

  /// The number or structure at `offset`, or nothing when it would end outside.
  template <class T> std::optional<T> read(uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > size() || size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, data() + offset, sizeof(T));
    return value;
  }
  /// The same, 0 instead of nothing: for fields whose presence has been checked.
  template <class T> T readOrZero(uint64_t offset) const { return read<T>(offset).value_or(0); }

  /// `length` bytes from `offset`, or nothing when they end outside.
  std::optional<ByteView> slice(uint64_t offset, uint64_t length) const {
    if (offset > size() || size() - offset < length)
      return std::nullopt;
    return ByteView(bytes_.subspan(offset, length));
  }
  /// The zero-terminated string at `offset`; empty when it does not end inside.
  std::string_view text(uint64_t offset) const {
    if (offset >= size())
      return {};
    const char* begin = reinterpret_cast<const char*>(data()) + offset;
    const void* end = std::memchr(begin, 0, size() - offset);
    return end ? std::string_view(begin, static_cast<const char*>(end) - begin)
               : std::string_view();
  }
  /// All bytes as characters.
  std::string_view characters() const {
    return std::string_view(reinterpret_cast<const char*>(data()), size());
  }

private:
  std::span<const uint8_t> bytes_;
};

} // namespace gpusched::image
