// Copy.h - copies and fills of boxes of bytes, in stream order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every cudaMemcpy* and cudaMemset* is a box: rows of `width` bytes, `height` of them to a slice,
// `depth` slices. What blocks the caller is as CUDA documents it:
//
//   pageable host -> device, async   staged: the caller may reuse its memory at once
//   device -> pageable host, async   blocks: the data is there when the call returns
//   device -> device, fills of it    never block, even in the calls without "Async"
//   everything else, blocking calls  block, also fills of pinned and managed memory
//
// A captured copy reads and writes the caller's memory when its graph runs.
#pragma once

#include "rt/device/cpu/cudart/Runtime.h"

namespace gpusched::cudart {

/// One side of a copy, bytes.
struct Plane {
  void* base = nullptr;
  size_t pitch = 0, slice = 0; // distance of rows and of slices; unused when there is only one
};

struct BoxExtent {
  size_t width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

enum class Blocking : bool { No, Yes };

/// The copy itself, unchecked, to run later.
std::function<void()> boxMove(const Plane& to, const Plane& from, const BoxExtent& extent);

cudaError_t copyBox(Runtime& runtime, const StreamRef& stream, const Plane& to, const Plane& from,
                    const BoxExtent& extent, cudaMemcpyKind kind, Blocking blocking);

/// Bytes all take the low 8 bits of `value`. `to` must be device, managed or pinned memory.
cudaError_t fillBox(Runtime& runtime, const StreamRef& stream, const Plane& to, int value,
                    const BoxExtent& extent, Blocking blocking);

/// Runs the fill of memory of the device, or else of pinned or managed memory, in stream order.
cudaError_t runFill(Runtime& runtime, const StreamRef& stream, bool onDevice, Blocking blocking,
                    std::function<void()> fill);

} // namespace gpusched::cudart
