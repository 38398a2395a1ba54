// Opening.h - the stretch in which the warps of a block keep together before they write.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: on a GPU the warps of a block start, and leave a barrier, within some cycles of each
// other, so all of them have read global memory long before the first of them has written to
// it. Programs rely on that without saying so: a block of 32x8 threads whose eight warps all run
// `x[i] += a[j]` on the same x[i] gives the right answer on every GPU, because all warps load
// the same x[i] and store the same sums. A warp that runs thousands of instructions before the
// next one starts would give eight times the sum. In the same way, histograms that clear shared
// memory and count in it with no barrier between rely on all warps clearing before one counts.
// Model: after its start and after every barrier a warp is in its opening: it runs up to its
// first write to global memory or first atomic and then ends its turn. Once every warp has had that
// turn, they go on one after the other for whole quanta. The first of its lanes that is about to
// write ends the opening of all: if the others ran on to writes of their own, lanes that exchange
// data through shared memory in lock step would be taken apart.
// How: the code of a module is held twice. In the second copy, the twin, writes to global
// memory are replaced by openingWrite(), atomics by openingAtomic(); both send the group back to
// the first copy. So the opening costs one turn of a warp, and nothing is tested after it.
// It gives no order that a program could not see on a GPU, and ends with the quantum, so a warp
// that spins before its first write is not affected. Blocks of one warp have no opening.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

namespace gpusched::cpu {

class LoadedModule;

/// Doubles the module's code; `module.openingEnds` says which micro-ops end an opening.
void appendOpeningTwin(LoadedModule& module);

} // namespace gpusched::cpu
