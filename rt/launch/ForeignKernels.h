// ForeignKernels.h - kernels of other processes on one device, and what these see of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of what the board says, taken again when its generation has changed, and a note of what we
// wrote there last, so that a launch which changes nothing writes nothing.
//
// Threads: under the device's lock; what touches the board needs a session, too.
#pragma once

#include "rt/launch/RunningSet.h"
#include "rt/sharing/Board.h"

#include <memory>
#include <optional>
#include <vector>

namespace gpusched {

class ForeignKernels {
public:
  /// Null where the device has no name that other processes know.
  static std::unique_ptr<ForeignKernels> of(const gpusched_cudart& runtime, int ordinal);

  /// Does nothing where the generation is that of the last time.
  void read(const Board::Session& session, uint32_t generation);
  bool any() const { return !foreign_.empty(); }
  /// Is one of higher priority?
  bool outrank(int32_t priority) const;
  /// Adds them, in order of firstSequence.
  void addTo(std::vector<RunningKernel>& running) const;
  static void removeFrom(std::vector<RunningKernel>& running);
  /// Takes their numbers out of a list; false where there are none in it.
  bool dropWaits(std::vector<uint64_t>& after) const;
  /// Hands a decision to the owner of the kernel, where it is about one of another process.
  void ask(Board::Session& session, const Decision& decision) const;

  /// Ours are these and, unless null, the launch that arrives. Writes only what is new, and of
  /// unmanaged kernels one, since the others are as good as that for whoever steps back.
  void publish(Board::Session& session, uint32_t seat, const std::vector<RunningEntry>& entries,
               const RunningKernel* arriving);
  bool publishesAny() const { return !published_.empty(); }

private:
  struct Foreign {
    RunningKernel running;
    std::unique_ptr<PolicyKernel> kernel; ///< that `running` points to
    uint32_t seat;
  };
  struct Published {
    RunningKernel running;
    SharedKernel* kernel = nullptr; ///< on the board; null: there was no room
  };
  explicit ForeignKernels(const DeviceUuid& device) : device_(device) {}
  const Foreign* find(uint64_t sequence) const;
  void publishOne(Board::Session& session, uint32_t seat, const RunningKernel& running);

  const DeviceUuid device_;
  std::optional<uint32_t> generation_;
  std::vector<Foreign> foreign_, former_; ///< former_ is scratch of read()
  std::vector<Published> published_;
};

} // namespace gpusched
