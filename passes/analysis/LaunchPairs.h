// LaunchPairs.h - finds two launches that follow each other, with nothing of CUDA between them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   a<<<g, b, 0, s1>>>(x, n);  c<<<g, b, 0, s2>>>(y, n);      a pair: the first may be held until
//                                                             the second comes
//   a<<<g, b>>>(x);  check(cudaGetLastError());  c<<<g, b>>>(y);        none
//
// Both are statements of one block of host code in the main file, as they stand there: no macro
// made them. In a template that holds for all its instantiations. What both ask to have evaluated
// and what stands between them is plain (PlainHostCode.h). Each names a stream, by another name. In
// a block with a gpusched::Independent in front the program itself says that of the second, of what
// stands between and of the streams, and that neither launch needs what the other computes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace gpusched::passes {

/// One pair of launches, of two kernels; several are of one text where that is instantiated with
/// several. Offsets are of the main file.
struct LaunchPair {
  std::size_t begin = 0, end = 0; ///< from the first statement to behind the second's semicolon
  uint32_t line = 0;
  bool promised = false;              ///< by a gpusched::Independent
  bool declares = false;              ///< variables stand between the two
  std::array<std::string, 2> symbols; ///< of the kernels, as KernelInstance::mangled
  /// Of each, its number in FileInfo::kernels and among the instances there; once they are settled.
  struct Place {
    std::size_t kernel = 0, instance = 0;
  };
  std::array<Place, 2> places = {};
  bool surrounds = false; ///< the first of its text
  std::size_t number = 0; ///< from 1, of pairs of kernels; 0 = an earlier pair has the same
  /// Of the class that stands for the two kernels. REQUIRES: a number.
  std::string className() const { return "gpusched_pair" + std::to_string(number); }
};

/// In the order of the text; a launch is of one pair at most.
std::vector<LaunchPair> findLaunchPairs(const clang::ASTContext& context);

struct FileInfo;

/// Leaves out of `unit` pairs of which a kernel stays native, is outlined, has a definition for
/// each architecture, has no name at the end of the file, or may wait for another block; finds the
/// places and numbers of the others. REQUIRES: after settlePasses.
void settleLaunchPairs(FileInfo& unit);

} // namespace gpusched::passes
