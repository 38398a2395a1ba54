// VirtualMemory - ranges are mappings without access, memory is mapped over them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/memory/VirtualMemory.h"

#include "rt/device/cpu/memory/MapPages.h"
#include "rt/device/cpu/memory/ReservedMemory.h"
#include "rt/support/RoundUp.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace gpusched::cpu {

namespace {

void* pointer(uintptr_t address) {
  return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

/// False where anything is.
bool takeAddresses(void* wanted, uint64_t bytes) {
  return mmap(wanted, bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
              0) != MAP_FAILED;
}

int protectionOf(Rights rights) {
  return rights == Rights::None   ? PROT_NONE
         : rights == Rights::Read ? PROT_READ
                                  : PROT_READ | PROT_WRITE;
}

} // namespace

std::shared_ptr<PhysicalMemory> PhysicalMemory::create(DeviceMemory& device, uint64_t bytes) {
  if (!device.charge(bytes))
    return nullptr;
  const int file = memfd_create("gpusched-cpu-device", MFD_CLOEXEC);
  std::shared_ptr<PhysicalMemory> memory(new PhysicalMemory(device, file, bytes));
  return file >= 0 && ftruncate(file, off_t(bytes)) == 0 ? memory : nullptr;
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::import(DeviceMemory& device, int file) {
  struct stat status{};
  if (fstat(file, &status) != 0 || status.st_size <= 0 ||
      uint64_t(status.st_size) % kVirtualGranularity || !device.charge(uint64_t(status.st_size)))
    return nullptr;
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  std::shared_ptr<PhysicalMemory> memory(new PhysicalMemory(device, own, uint64_t(status.st_size)));
  return own >= 0 ? memory : nullptr;
}

PhysicalMemory::~PhysicalMemory() {
  if (file_ >= 0)
    close(file_);
  device_.discharge(bytes_);
}

int PhysicalMemory::share() const {
  return fcntl(file_, F_DUPFD_CLOEXEC, 0);
}

VirtualMemory::~VirtualMemory() {
  for (const auto& [base, range] : ranges_)
    munmap(pointer(base - range.guard), range.bytes + 2 * range.guard);
}

void* VirtualMemory::reserve(uint64_t bytes, uint64_t alignment, void* wanted) {
  std::lock_guard lock(mutex_);
  const uintptr_t place = reinterpret_cast<uintptr_t>(wanted);
  if (wanted && place % alignment == 0 && takeAddresses(wanted, bytes)) {
    ranges_.emplace(place, Range{bytes, 0});
    return wanted;
  }
  for (const uint64_t guard : {kGuardBytes, uint64_t(0)}) {
    const uint64_t all = bytes + 2 * guard + alignment;
    uint8_t* const pages = all < bytes ? nullptr : mapPages(nullptr, all, PROT_NONE);
    if (!pages)
      continue;
    const uintptr_t taken = reinterpret_cast<uintptr_t>(pages);
    const uintptr_t base = roundUp(taken + guard, alignment);
    if (base - guard > taken)
      munmap(pointer(taken), base - guard - taken);
    if (const uintptr_t end = base + bytes + guard; end < taken + all)
      munmap(pointer(end), taken + all - end);
    ranges_.emplace(base, Range{bytes, guard});
    return pointer(base);
  }
  return nullptr;
}

bool VirtualMemory::release(void* base, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(base);
  const auto range = ranges_.find(begin);
  if (range == ranges_.end() || range->second.bytes != bytes || !isFree(begin, bytes))
    return false;
  munmap(pointer(begin - range->second.guard), bytes + 2 * range->second.guard);
  ranges_.erase(range);
  return true;
}

bool VirtualMemory::isFree(uintptr_t begin, uint64_t bytes) const {
  const auto after = mappings_.lower_bound(begin + bytes);
  return after == mappings_.begin() ||
         std::prev(after)->first + std::prev(after)->second.bytes <= begin;
}

bool VirtualMemory::map(void* at, uint64_t bytes, std::shared_ptr<PhysicalMemory> memory) {
  std::lock_guard lock(mutex_);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(at);
  auto range = ranges_.upper_bound(begin);
  if (range == ranges_.begin() || bytes > memory->bytes() || begin % kVirtualGranularity)
    return false;
  --range;
  const uint64_t offset = begin - range->first;
  if (offset > range->second.bytes || range->second.bytes - offset < bytes ||
      !isFree(begin, bytes) ||
      mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file_, 0) == MAP_FAILED)
    return false;
  mappings_.emplace(begin, Mapping{std::move(memory), bytes, Rights::None});
  device_.join(at, bytes);
  return true;
}

/// The mappings that fill these bytes and no others.
std::optional<std::pair<VirtualMemory::Mappings::iterator, VirtualMemory::Mappings::iterator>>
VirtualMemory::whole(const void* base, uint64_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(base);
  uintptr_t covered = begin;
  const auto first = mappings_.find(begin);
  auto next = first;
  while (next != mappings_.end() && next->first == covered && covered - begin < bytes) {
    covered += next->second.bytes;
    ++next;
  }
  return bytes > 0 && covered - begin == bytes ? std::optional(std::pair(first, next))
                                               : std::nullopt;
}

bool VirtualMemory::unmap(void* base, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const auto mapped = whole(base, bytes);
  if (!mapped || !mapPages(static_cast<uint8_t*>(base), bytes, PROT_NONE))
    return false;
  device_.part(base, bytes);
  mappings_.erase(mapped->first, mapped->second);
  return true;
}

bool VirtualMemory::allow(void* base, uint64_t bytes, Rights rights) {
  std::lock_guard lock(mutex_);
  const auto mapped = whole(base, bytes);
  if (!mapped || mprotect(base, bytes, protectionOf(rights)) != 0)
    return false;
  for (auto mapping = mapped->first; mapping != mapped->second; ++mapping)
    mapping->second.rights = rights;
  return true;
}

const VirtualMemory::Mapping* VirtualMemory::find(const void* address) const {
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  const auto after = mappings_.upper_bound(wanted);
  if (after == mappings_.begin())
    return nullptr;
  const auto& [base, mapping] = *std::prev(after);
  return wanted - base < mapping.bytes ? &mapping : nullptr;
}

std::optional<Rights> VirtualMemory::rights(const void* address) const {
  std::lock_guard lock(mutex_);
  const Mapping* const mapping = find(address);
  return mapping ? std::optional(mapping->rights) : std::nullopt;
}

std::shared_ptr<PhysicalMemory> VirtualMemory::at(const void* address) const {
  std::lock_guard lock(mutex_);
  const Mapping* const mapping = find(address);
  return mapping ? mapping->memory : nullptr;
}

} // namespace gpusched::cpu
