// SymbolPatterns.h - symbols of kernels over closures, without what manglers disagree about.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   _Z3runILi1EZ5applyIifEvT_T0_EUliE_JiEEvT0_DpT1_       Clang
//   _Z3runILi1EZ5applyIifEvT_T0_EUliE_JiEEvS2_DpS3_       nvcc
//   _Z3runILi1EZ5applyIifEv??EUliE_JiEEv*                 without the signature
//   _Z3runILi1EZ5applyIifEv??EUliE_JiEEv?Dp?              with it
//
// The function around a closure is part of its name, with that function's template parameters.
// Whether the kernel's own of the same number are then the same, so that S may stand for them, is
// where Clang and nvcc's front end part: over packs, depths and templates of templates. Arguments
// decide the signature, so it may be anything (sameSymbol), but for overloads: theirs is kept, and
// found again unless S stands for more than a parameter (const T*). Who shares both has no pattern.
//
//   _ZN1v1kIfEENSt9enable_ifIXsr7ConvertIT_EE6existsEvE4typeEPS2_      Clang
//   _ZN1v1kIfEENSt9enable_ifIXsr1v7ConvertIT_EE6existsEvE4typeEPS2_    nvcc
//   _ZN1v1kIfEE*
//
// The two also write a return type that is an expression each in its own way.
#pragma once

#include <string>

namespace gpusched::passes {

struct SymbolPatterns {
  std::string native, twin; ///< empty: not an instantiation's
};

enum class Signature { Cut, Kept };

/// Of an instantiation as Clang mangles it; the twin's symbol may be of one that is not made.
SymbolPatterns symbolPatterns(const SymbolPatterns& symbols, const std::string& name,
                              const std::string& twinName, Signature signature);

} // namespace gpusched::passes
