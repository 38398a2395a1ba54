// Independent.h - for programs: the launches of a block do not need each other's results.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {
//     gpusched::Independent independent;
//     histogram<<<grid, block, 0, stream>>>(image, bins);
//     blur<<<grid, block, 0, stream>>>(image, blurred);
//   }
//
// Compiled by gpusched-cc, two launches that follow each other in such a block may be made as one,
// though one stream orders them (docs/passes/fuse.md). The program promises that the first may
// begin when the second is reached, that nothing between the two asks CUDA about the first, and
// that neither reads or writes what the other writes. What follows behind the block sees both
// done, as ever. To any other compiler this is an empty class.
#pragma once

namespace gpusched {

class Independent {
public:
  Independent() {} // not trivial, so that no compiler warns of an unused variable
};

} // namespace gpusched
