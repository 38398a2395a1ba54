// Transform.h - one CUDA source file in, rewritten texts and what is known of its kernels out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   TransformRequest -> parse -> facts -> refusals -> edits -> text of the file and of headers
//
// The only header the tools include; no Clang type appears in it. Nothing here writes a file, and
// nothing here is fatal: whatever Clang says about the source, nvcc is the judge, so the worst
// result is `rewritten == false` and the caller compiles the original. Reentrant: calls share no
// state, so several files may be transformed on several threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpusched::passes {

/// A place in the user's file; line and column count from 1.
struct SourcePlace {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// What nvcc said against an earlier rewritten form of the file.
struct Rejection {
  std::string message;
  std::vector<SourcePlace> places; ///< of the error, then of what it was instantiated for
  std::string shown;               ///< all lines of it; names of ours may be among them
};

/// What to do with one file. Empty directories mean "the ones found at configure time".
struct TransformRequest {
  std::string path;                ///< the source file, read if `text` is empty
  std::optional<std::string> text; ///< its contents, when the caller has them
  std::string userName;            ///< for #line and messages, as the user gave it; default `path`
  /// Mirrored from the nvcc command line, in Clang's spelling: -I -isystem -iquote -D -U -include
  /// -std= -fopenmp -O -m... only. The fixed part (-x cuda, toolkit, shim, __NVCC__, ...) is added
  /// by the transform.
  std::vector<std::string> clangArguments;
  /// Real architectures asked for, highest first ("sm_90a"); the first is parsed, the others only
  /// when the file mentions __CUDA_ARCH__. All must be there: each may see other definitions.
  std::vector<std::string> architectures = {"sm_90"};
  /// What the host compiler of nvcc prints for -dM -E: files of the user see these macros instead
  /// of Clang's. Empty: they see Clang's.
  std::string hostMacros;
  /// Folders in which the host compiler looks for system headers: for those that Clang has not got.
  std::vector<std::string> hostFolders;
  bool relocatable = false;      ///< -rdc=true / -dc
  bool extendedLambda = false;   ///< --extended-lambda
  bool relaxedConstexpr = false; ///< --expt-relaxed-constexpr
  bool perThreadDefaultStream = false;
  bool debugDevice = false; ///< -G
  bool isModule = false;    ///< -ptx, -cubin or -fatbin: no host pass, kernels are found by name
  bool splices = false;     ///< gpusched-cicc reads the PTX: twins may be shells
  /// Outlined twins may count threads that have left: text to read, which nothing should run on a
  /// GPU (GS042).
  bool drainsOutlined = true;
  std::set<std::string> outlined;    ///< symbols of twins that may not
  std::string cudaRoot;              ///< toolkit of the nvcc that will compile the result
  std::string resourceDirectory;     ///< Clang's own headers
  std::string shimDirectory;         ///< share/gpusched/shim
  std::string parseCache;            ///< folder that keeps the parse of common headers; empty: none
  std::vector<Rejection> rejections; ///< kernels that these are of stay native
  /// Pass names of PassList.def that run; empty = all.
  std::vector<std::string> passes;
};

/// Why a kernel (or one instantiation of it) stays native.
struct Refusal {
  std::string code;   ///< "GS012", stable, listed in Refusals.def
  std::string title;  ///< one line, from the table
  std::string detail; ///< names what was found: "calls 'index' (lib.cuh:3:7), which reads blockIdx"
  SourcePlace where;
};

/// What the source says about a kernel before anything is compiled.
struct KernelFacts {
  uint32_t blockBarriers = 0;  ///< call sites in the body and in visible callees
  uint32_t warpPrimitives = 0; ///< *_sync shuffles, votes, matches, __syncwarp
  uint32_t atomics = 0;
  bool staticShared = false;
  bool dynamicShared = false;     ///< extern __shared__
  uint64_t staticSharedBytes = 0; ///< as far as the parse knows
  bool earlyReturn = false;       ///< threads of one block can leave before a barrier of others
  bool drainBarrier = false;      ///< compiled with the drain barrier for that reason
  bool countingBarriers = false;  ///< has __syncthreads_count() or its like, in a text of the user
  bool laneDrain = false;         ///< and with primitives that know which lanes have left
  bool anyMaskDrain = false;      ///< also those whose mask is not the whole warp
  bool unsureDrain = false;       ///< some of that only because nobody can tell from the source
  bool mbarriers = false;         ///< begins some, which its twin has to end after each block
  uint32_t behindAlignment = 0;   ///< of the dynamic memory behind which its twin has its own; or 0
  bool lanesBehind = false;       ///< there also what says which lanes have left
  bool asyncCopies = false;       ///< starts copies that its twin waits for after each block
  bool bulkCopies = false;        ///< bulk ones among them
  bool wholeWarpRows = false;     ///< persistent only if blockDim.x is a multiple of 32
  bool loops = false;             ///< the body or a visible callee may run something again
  bool mayWait = false;           ///< and that until another block has done something
  uint32_t maxThreadsPerBlock = 0; ///< __launch_bounds__; 0 = none or not constant
  uint32_t minBlocksPerSm = 0;

  /// All barriers count then, since those of one kind only can meet.
  bool countingDrain() const { return drainBarrier && countingBarriers; }
};

/// One kernel, or one instantiation of a kernel template.
struct KernelRecord {
  std::string name;          ///< "scale"
  std::string qualifiedName; ///< "ns::scale<float, 4>"
  /// Mangled by Clang: nvcc spells what is local to a file in its own way (host/SymbolNames.h).
  std::string symbol;
  std::string persistentSymbol; ///< of the twin; empty = native only
  /// Of both, for instantiations that share them with no other (analysis/SymbolPatterns.h).
  std::string symbolPattern, persistentPattern;
  SourcePlace where;
  uint32_t parameters = 0;
  bool isTemplate = false; ///< an uninstantiated kernel template
  bool isInstantiation = false;
  KernelFacts facts;
  std::optional<Refusal> refusal;

  /// Is it what nvcc compiled this to?
  bool isNative(const std::string& compiled) const;
  bool isPersistent(const std::string& compiled) const;
};

/// Two launches that may be made as one.
struct PairRecord {
  std::array<std::string, 2> names; ///< of the kernels
  SourcePlace where;                ///< of the first launch
  std::string className; ///< in the symbol of the kernel for both; empty = an earlier pair has it
};

/// A header whose copy the rewritten file includes.
struct RewrittenHeader {
  std::string copyName; ///< must lie beside the rewritten file under this name
  std::string name;     ///< the original, as the compiler names it
  std::string text;
};

struct TransformResult {
  bool rewritten = false; ///< false = compile the original, `text` is empty
  std::string text;       ///< the whole rewritten file, #line first
  std::vector<RewrittenHeader> headers;
  /// The copies must be compiled with -iquote of these, in front of the user's.
  std::vector<std::string> quoteFolders;
  /// Headers that the compiler names otherwise because of that, and what it called them before.
  std::map<std::string, std::string> renamed;
  std::vector<KernelRecord> kernels;
  std::vector<std::string> remarks; ///< "a.cu:12:17: remark: kernel 'k' kept native: [GS012] ..."
  std::vector<PairRecord> pairs;    ///< launches that may be made as one
  std::vector<std::string> diagnostics; ///< Clang's errors, if any; for --explain only
};

/// Runs the enabled passes over one file.
TransformResult transformFile(const TransformRequest& request);

/// Pass names and help lines, in the order they run.
struct PassDescription {
  const char* name;
  const char* help;
};
const std::vector<PassDescription>& passDescriptions();

} // namespace gpusched::passes
