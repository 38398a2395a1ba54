// Fuse - let two launches that follow each other be made as one, of a kernel that runs both.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   a<<<..., s>>>(x);  c<<<..., t>>>(y);
//
//   { const ::gpusched::LaunchPair gpusched_pair(false); a<<<..., s>>>(x);  c<<<..., t>>>(y); }
//   ...
//   namespace { struct gpusched_pair1 { using First = decltype(&::a); ... first(); ... }; }
//   static const ::gpusched::PairRegistrar<gpusched_pair1> gpusched_pair1_registrar(...);
//
// The registrar instantiates a kernel whose blocks are those of both launches
// (device/PairedBlocks.cuh), which gpusched-cicc gives the PTX of the two. The runtime holds the
// first launch until the second comes, and then makes one launch or both
// (rt/launch/PairedLaunch.h). Sound because: between the two nobody asks CUDA anything
// (analysis/LaunchPairs.h), so nobody can tell that the first is late; they are made as one only if
// no stream orders them, or if the program says that they are independent. No block of either
// kernel waits for another block: mixed with the other kernel's, they could fill the device in
// front of those that they wait for. Which pairs that leaves is settleLaunchPairs' business; this
// refuses nothing.
#include "passes/Pass.h"
#include "passes/edit/StringLiteral.h"
#include "rt/schema/Profile.h"

namespace gpusched::passes {
namespace {

/// "using First = decltype(&::ns::a<float>); static First first() { return &::ns::a<float>; }"
std::string member(const LaunchPassInput& input, int side, const std::string& type,
                   const std::string& function) {
  const KernelInfo& kernel = input.kernel(side);
  const std::string address =
      "&" + kernel.scope + kernel.record.name + input.instance(side).arguments;
  const std::string& printed = input.instance(side).type;
  return "using " + type + " = " + (printed.empty() ? "decltype(" + address + ")" : printed) +
         "; static __host__ __device__ " + type + " " + function + "() { return " + address +
         "; } ";
}

std::string registrar(const LaunchPassInput& input) {
  const std::string name = input.pair.className();
  return "\nnamespace { struct " + name + " { " + member(input, 0, "First", "first") +
         member(input, 1, "Second", "second") + "}; } static const ::gpusched::PairRegistrar<" +
         name + "> " + name + "_registrar(" +
         quoted(pairName(input.instance(0).name, input.instance(1).name)) + ", " +
         quoted(input.file.name) + ", " + std::to_string(input.pair.line) + ");";
}

} // namespace

EditSet fuse(const LaunchPassInput& input) {
  EditSet edits;
  const LaunchPair& pair = input.pair;
  const std::string promised = pair.promised ? "true" : "false";
  if (pair.surrounds && pair.declares) {
    const std::string object = "gpusched_pair_at_" + std::to_string(pair.begin);
    edits.insert(pair.begin, "const ::gpusched::LaunchPair " + object + "(" + promised + "); ");
    edits.insert(pair.end, " " + object + ".end();");
  } else if (pair.surrounds) {
    edits.insert(pair.begin, "{ const ::gpusched::LaunchPair gpusched_pair(" + promised + "); ");
    edits.insert(pair.end, " }");
  }
  if (pair.number != 0)
    edits.addToEndOfUnit(registrar(input));
  return edits;
}

} // namespace gpusched::passes
