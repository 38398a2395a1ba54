// TensorSparse.cpp - reading the metadata of a sparse matrix.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/TensorSparse.h"

#include <algorithm>

namespace gpusched::cpu {
namespace {

unsigned bitsOfRow(const TensorOp& op) {
  const unsigned each = elementBits(op.a.element);
  return each == 4 ? op.k / 2u : each == 32 ? op.k * 2u : op.k;
}

uint64_t rowMetadata(const TensorOp& op, const uint32_t* metadata, unsigned row) {
  const unsigned quad = row % 8 * 4, upper = row / 8, bits = bitsOfRow(op);
  const bool halves = elementBits(op.a.element) >= 16;
  const auto half = [&](unsigned lane) { return metadata[quad + lane] >> (16 * upper) & 0xffff; };
  if (bits == 16)
    return half(op.selector);
  if (bits == 64)
    return metadata[quad + upper] | uint64_t(metadata[quad + 2 + upper]) << 32;
  if (halves)
    return half(2 * op.selector) | half(2 * op.selector + 1) << 16;
  return metadata[quad + 2 * op.selector + upper];
}

/// The column of the full matrix that holds stored column `at`.
unsigned columnOf(const TensorOp& op, uint64_t bits, unsigned at) {
  switch (elementBits(op.a.element)) {
  case 32:
    return at * 2 + ((bits >> (4 * at) & 15) == 14);
  case 4:
    return at / 4 * 8 + unsigned(bits >> (at / 2 * 2) & 3) * 2 + at % 2;
  default:
    return at / 2 * 4 + unsigned(bits >> (2 * at) & 3);
  }
}

} // namespace

bool hasSparseForm(const TensorOp& op) {
  const unsigned bits = bitsOfRow(op);
  const unsigned selectors = bits == 16 ? 4 : bits == 32 ? 2 : 1;
  const unsigned each = elementBits(op.a.element);
  return op.m == 16 && op.n == 8 && (bits == 16 || bits == 32 || bits == 64) &&
         op.selector < selectors && each >= 4 && each <= 32 && !(bits == 16 && each < 16) &&
         !(bits == 64 && each > 8);
}

void expandSparse(const TensorOp& op, const uint32_t* metadata, const double* stored,
                  double* full) {
  const unsigned columns = op.k / 2u;
  std::fill(full, full + size_t(op.m) * op.k, 0.0);
  for (unsigned row = 0; row < op.m; ++row) {
    const uint64_t bits = rowMetadata(op, metadata, row);
    for (unsigned at = 0; at < columns; ++at)
      full[row * op.k + columnOf(op, bits, at)] = stored[row * columns + at];
  }
}

} // namespace gpusched::cpu
