// Persist - add a twin of a kernel whose physical blocks run logical blocks in a loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After outline:  __global__ void k__gs(const ::gpusched_params gpusched_launch, const float* a,
// int n) {
//                   ::gpusched::Worker gpusched_worker(gpusched_launch);
//                   if (::gpusched::never()) goto gpusched_after;
//                   if (gpusched_worker.more()) do {
//                     gpusched_worker.begin();
//                     k__gs_body(gpusched_worker.block(), gpusched_worker.grid(), a, n);
//                   gpusched_after:
//                     gpusched_worker.advance();
//                   } while (gpusched_worker.more());
//                   gpusched_worker.end(); }
//
// The goto is never taken, which nvcc's optimiser cannot tell and ptxas can: with two ways into it
// the loop is none to the former, so it compiles the body as the kernel's.
// Sound because: blocks of one grid are independent; the worker hands out every logical index of
// the grid once, in increasing order, and its barrier keeps two bodies' shared memory apart; the
// body's parameters are fresh copies in each iteration, but for classes that it only reads.
// Attributes and launch bounds are the kernel's, so a launch that fits the kernel's block fits the
// twin's. Where threads leave before barriers of others, drain() replaces advance(), see
// Persistent.cuh; where lanes leave before warp primitives of others, LaneDrain::leave() comes
// first; both have another form in kernels that ask their barriers questions, see
// CountingDrain.cuh. Copies that the body has not waited for are waited for, and mbarriers that it
// left alive are ended, see Mbarriers.cuh. Where no block can be waiting for another one the worker
// is a BatchWorker, which claims several indices at once, and without a loop anywhere an
// AheadWorker, which claims them early. A kernel that copies into dynamic shared memory in bulk, or
// whose static memory leaves no room, has the worker's words behind its dynamic memory, see
// WorkerMemory.cuh. Behind a definition that only nvcc's host pass sees, the twin's body is
// GPUSCHED_HOST_PASS_ONLY: nothing there, an error if a device pass should see it after all.
// Where PTX can say all that (analysis/Forms.h) the kernel stays as it is, and its twin is a shell,
// a call of ::gpusched::splicedLoop: gpusched-cicc puts that function's PTX there, and in it the
// PTX that nvcc has made of the kernel, see SplicedLoop.cuh. Changes launch ABI: one more parameter
// in front.
#include "passes/KernelPrinter.h"
#include "passes/Pass.h"

namespace gpusched::passes {

namespace {

/// What follows a body, in the order that it happens in.
std::string afterBody(const KernelFacts& facts) {
  const std::string counting = facts.countingDrain() ? "Counting" : "";
  std::string calls;
  if (facts.asyncCopies)
    calls +=
        std::string("::gpusched::settleCopies<") + (facts.bulkCopies ? "true" : "false") + ">(), ";
  if (facts.laneDrain)
    calls += "gpusched_lanes.leave" + counting + "(), ";
  calls += "gpusched_worker." + (facts.drainBarrier ? "drain" + counting : "advance") + "()";
  return calls + (facts.mbarriers ? ", gpusched_mbarriers.retire()" : "");
}

std::string callOfBody(const PassInput& input) {
  const KernelFacts& facts = input.kernel.record.facts;
  return callBody(input, {"gpusched_worker.block()", "gpusched_worker.grid()", true,
                          facts.laneDrain, facts.anyMaskDrain, facts.countingDrain(), false,
                          facts.mbarriers ? "gpusched_mbarriers.table()" : "", true});
}

std::string typeFor(const KernelInfo& kernel, const std::string& name) {
  return "::gpusched::" + name +
         (kernel.behindAlignment ? "Behind<" + std::to_string(kernel.behindAlignment) + ">"
                                 : std::string());
}

std::string workerFor(const KernelInfo& kernel) {
  return typeFor(kernel, !kernel.batches ? "Worker" : kernel.loops ? "BatchWorker" : "AheadWorker");
}

std::string outlinedLoop(const PassInput& input) {
  const KernelFacts& facts = input.kernel.record.facts;
  return std::string(facts.anyMaskDrain ? "const ::gpusched::LaneDrain gpusched_lanes{true}; "
                     : facts.laneDrain  ? "const ::gpusched::LaneDrain gpusched_lanes{false}; "
                                        : "") +
         (facts.mbarriers ? "const " + typeFor(input.kernel, "Mbarriers") + " gpusched_mbarriers; "
                          : "") +
         workerFor(input.kernel) +
         " gpusched_worker(gpusched_launch); if (::gpusched::never()) goto gpusched_after; "
         "if (gpusched_worker.more()) do { gpusched_worker.begin(); " +
         callOfBody(input) + " gpusched_after: " + afterBody(facts) +
         "; } while (gpusched_worker.more()); gpusched_worker.end();";
}

std::string drainOf(const KernelFacts& facts) {
  const char* const kind = facts.anyMaskDrain   ? "AnyLanes"
                           : facts.laneDrain    ? "Lanes"
                           : facts.drainBarrier ? "Barriers"
                                                : "Nothing";
  return std::string(facts.countingDrain() ? "Counted" : "") + kind;
}

/// May the PTX have less that waits than the source says? Instantiations share a text. And whether
/// the warps of an AheadWorker share nothing, only the PTX says.
bool isUnsure(const KernelInfo& kernel) {
  const KernelFacts& facts = kernel.record.facts;
  return facts.drainBarrier
             ? facts.unsureDrain || kernel.record.isTemplate
             : kernel.batches && !kernel.loops && !facts.asyncCopies && !facts.mbarriers;
}

std::string splicedLoop(const KernelInfo& kernel) {
  const KernelFacts& facts = kernel.record.facts;
  const char* const copies = facts.bulkCopies ? "Bulk" : facts.asyncCopies ? "Async" : "None";
  std::string arguments = workerFor(kernel) + ", ::gpusched::Drain::" + drainOf(facts);
  if (facts.asyncCopies || facts.mbarriers || kernel.lanesBehind)
    arguments += std::string(", ::gpusched::Copies::") + copies;
  if (facts.mbarriers || kernel.lanesBehind)
    arguments +=
        ", " + (facts.mbarriers ? typeFor(kernel, "Mbarriers") : "::gpusched::NoMbarriers");
  if (kernel.lanesBehind)
    arguments += ", " + typeFor(kernel, "Shared");
  return std::string("::gpusched::") + (isUnsure(kernel) ? "leastLoop<" : "splicedLoop<") +
         arguments + ">(gpusched_launch);";
}

std::string twinBody(const PassInput& input) {
  return !input.kernel.onDevice ? "GPUSCHED_HOST_PASS_ONLY"
         : input.kernel.spliced ? splicedLoop(input.kernel)
                                : outlinedLoop(input);
}

} // namespace

EditSet persist(const PassInput& input) {
  const KernelInfo& kernel = input.kernel;
  const SignaturePrinter print(input.file.tokens, kernel.text);
  const std::string parameters = print.parameterListWithoutDefaults();
  EditSet edits;
  edits.insert(kernel.text.bodyEnd,
               " " + kernel.text.entersScope + print.templateHeaderWithoutDefaults() +
                   print.twinSpecifiers() + " " + kernel.twinName() +
                   "(const ::gpusched_params gpusched_launch" + (parameters.empty() ? "" : ", ") +
                   parameters + ") " + print.twinTrailer() + "{ " + twinBody(input) + " }" +
                   kernel.text.leavesScope);
  return edits;
}

} // namespace gpusched::passes
