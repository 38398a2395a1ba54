// Instructions.h - what an instruction of PTX reads, writes and does, as far as twins must know.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpusched::twins {

bool hasModifier(const ptx::Instruction& instruction, std::string_view modifier);

/// Registers of the first operand, where that may be a result. Too many rather than too few.
std::vector<uint32_t> writtenBy(const ptx::Instruction& instruction);
/// Registers of all other operands, addresses and the predicate among them.
std::vector<uint32_t> readBy(const ptx::Instruction& instruction);
/// Registers that make up the address of a memory operand.
std::vector<uint32_t> addressOf(const ptx::Instruction& instruction);
/// Registers of one operand.
std::vector<uint32_t> registersOf(const ptx::Operand& operand);

/// bar.sync and the like, for threads of the block.
bool isBlockBarrier(const ptx::Instruction& instruction);
/// Of the lanes of a warp: shfl, vote, bar.warp.
bool isWarpPrimitive(const ptx::Instruction& instruction);
/// Does it read parameters, of the function or of a call?
bool readsParameters(const ptx::Instruction& instruction);
/// May the memory be another block's to write? Not shared, local, const or param.
bool isGlobal(const ptx::Instruction& instruction);
/// Does it ask memory anew, whatever was read there before: volatile, relaxed, an atomic? Not for
/// the block alone (.cta).
bool polls(const ptx::Instruction& instruction);
/// Does it make what other blocks have written be seen by plain loads behind it?
bool isDeviceFence(const ptx::Instruction& instruction);
/// Does the compiler read memory again behind it?
bool isClobber(const ptx::Instruction& instruction);
/// Does its result depend on memory, other threads or a callee?
bool asksMemory(const ptx::Instruction& instruction, const ptx::Function& function);

/// Does the text read this special register, by the begin of its name?
bool readsSpecial(const ptx::Instruction& instruction, std::string_view prefix);

} // namespace gpusched::twins
