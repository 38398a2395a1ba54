// FriendClasses.h - the classes of which a device function is a friend.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   struct Sum { friend __device__ void add(Sum&); private: ... };
//   namespace { struct add__gs_call; } struct Sum { friend struct ::add__gs_call; friend ...
//
// The object that stands for the function has to reach what the function reaches, and a class can
// befriend only what is declared before it.
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/SourceFiles.h"

#include "clang/AST/Decl.h"

#include <optional>
#include <vector>

namespace gpusched::passes {

/// Has a class said so? Then the function may have access that a new one has not.
bool isFriend(const clang::FunctionDecl& function);

/// One text for each class that befriends the function of this text, or an instantiation of it:
/// see VirtualFunction::friends. None where one of them cannot befriend its object: a macro makes
/// it, it depends on __CUDA_ARCH__, is local, or of another namespace, shares its declaration with
/// a variable or a typedef, or holds the function's text.
std::optional<std::vector<KernelText>> friendClasses(const clang::FunctionDecl& definition,
                                                     SourceFiles& files);

} // namespace gpusched::passes
