// Copy.cpp - copies and fills of boxes of bytes, in stream order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Copy.h"

#include <cstring>

namespace gpusched::cudart {

/// Where a side of a copy lies.
enum class Place { Pageable, Pinned, Managed, Device, OutOfBounds };

static uint64_t span(const Plane& plane, const BoxExtent& extent) {
  return (extent.depth - 1) * plane.slice + (extent.height - 1) * plane.pitch + extent.width;
}

static Place placeOf(Runtime& runtime, const Plane& plane, const BoxExtent& extent) {
  std::optional<cpu::Allocation> found = runtime.memory().find(plane.base);
  if (!found)
    return Place::Pageable;
  uint64_t offset = uint64_t(static_cast<char*>(plane.base) - static_cast<char*>(found->base));
  if (offset + span(plane, extent) > found->bytes)
    return Place::OutOfBounds;
  if (cpu::isOnDevice(found->kind))
    return Place::Device;
  return found->kind == cpu::MemoryKind::Managed ? Place::Managed : Place::Pinned;
}

static bool isHost(Place place) {
  return place != Place::Device;
}
static bool isDevice(Place place) {
  return place != Place::Pageable;
}

static cudaError_t checkDirection(Place to, Place from, cudaMemcpyKind kind) {
  if (to == Place::OutOfBounds || from == Place::OutOfBounds)
    return cudaErrorInvalidValue;
  bool matches = true;
  switch (kind) {
  case cudaMemcpyHostToHost:
    matches = isHost(to) && isHost(from);
    break;
  case cudaMemcpyHostToDevice:
    matches = isDevice(to) && isHost(from);
    break;
  case cudaMemcpyDeviceToHost:
    matches = isHost(to) && isDevice(from);
    break;
  case cudaMemcpyDeviceToDevice:
    matches = isDevice(to) && isDevice(from);
    break;
  case cudaMemcpyDefault:
    break;
  default:
    return cudaErrorInvalidMemcpyDirection;
  }
  return matches ? cudaSuccess : cudaErrorInvalidValue;
}

static void moveBox(const Plane& to, const Plane& from, const BoxExtent& extent) {
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y)
      std::memmove(static_cast<char*>(to.base) + z * to.slice + y * to.pitch,
                   static_cast<const char*>(from.base) + z * from.slice + y * from.pitch,
                   extent.width);
}

/// Copies the box now into memory that the returned closure owns, and from there later.
static std::function<void()> stagedMove(const Plane& to, const Plane& from,
                                        const BoxExtent& extent) {
  size_t slice = extent.width * extent.height;
  std::shared_ptr<std::vector<char>> staging =
      std::make_shared<std::vector<char>>(slice * extent.depth);
  Plane staged{staging->data(), extent.width, slice};
  moveBox(staged, from, extent);
  return [to, staged, extent, staging] { moveBox(to, staged, extent); };
}

static cudaError_t runBlocking(Runtime& runtime, const StreamRef& stream,
                               std::function<void()> work) {
  if (runtime.streams.spoilCapture(stream))
    return cudaErrorStreamCaptureUnsupported;
  OperationRef operation = makeOperation(Operation::Kind::Inline, std::move(work));
  runtime.streams.append(stream, operation);
  runtime.graph.waitAndRun(operation);
  runtime.printDeviceOutput();
  return runtime.failure.code();
}

std::function<void()> boxMove(const Plane& to, const Plane& from, const BoxExtent& extent) {
  return [to, from, extent] { moveBox(to, from, extent); };
}

cudaError_t copyBox(Runtime& runtime, const StreamRef& stream, const Plane& to, const Plane& from,
                    const BoxExtent& extent, cudaMemcpyKind kind, Blocking blocking) {
  if (extent.empty())
    return cudaSuccess;
  if (!to.base || !from.base)
    return cudaErrorInvalidValue;
  Place target = placeOf(runtime, to, extent), source = placeOf(runtime, from, extent);
  if (cudaError_t error = checkDirection(target, source, kind); error != cudaSuccess)
    return error;
  bool betweenHosts = target == Place::Pageable && source == Place::Pageable;
  bool onDevice = target == Place::Device && source == Place::Device;
  bool captured = blocking == Blocking::No && runtime.streams.capturing(stream);
  bool waits = !captured && (target == Place::Pageable || betweenHosts ||
                             (blocking == Blocking::Yes && !onDevice));
  std::function<void()> work = boxMove(to, from, extent);
  if (waits)
    return runBlocking(runtime, stream, std::move(work));
  if (source == Place::Pageable && !captured)
    work = stagedMove(to, from, extent);
  runtime.streams.append(stream, makeOperation(Operation::Kind::Copy, std::move(work)));
  return cudaSuccess;
}

cudaError_t runFill(Runtime& runtime, const StreamRef& stream, bool onDevice, Blocking blocking,
                    std::function<void()> fill) {
  if (blocking == Blocking::Yes && !onDevice)
    return runBlocking(runtime, stream, std::move(fill));
  runtime.streams.append(stream, makeOperation(Operation::Kind::Fill, std::move(fill)));
  return cudaSuccess;
}

cudaError_t fillBox(Runtime& runtime, const StreamRef& stream, const Plane& to, int value,
                    const BoxExtent& extent, Blocking blocking) {
  if (extent.empty())
    return cudaSuccess;
  if (!to.base)
    return cudaErrorInvalidValue;
  Place target = placeOf(runtime, to, extent);
  if (target == Place::OutOfBounds || target == Place::Pageable)
    return cudaErrorInvalidValue;
  return runFill(runtime, stream, target == Place::Device, blocking, [to, value, extent] {
    for (size_t z = 0; z < extent.depth; ++z)
      for (size_t y = 0; y < extent.height; ++y)
        std::memset(static_cast<char*>(to.base) + z * to.slice + y * to.pitch, value, extent.width);
  });
}

} // namespace gpusched::cudart
