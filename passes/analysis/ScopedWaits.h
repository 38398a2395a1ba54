// ScopedWaits.h - libcu++'s waits for threads that are not of the same block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cuda::counting_semaphore<cuda::thread_scope_device> go;      go.acquire();
//   cuda::atomic_ref<int, cuda::thread_scope_device> flag(*f);   flag.wait(0);
//
// All of them end in two functions of the library: one has the scope as a tag among its template
// arguments, the other is called by members of classes that have it. Where the object lies is not
// asked: one of a wider scope than its block needs counts as a wait for others.
#pragma once

namespace clang {
class FunctionDecl;
}

namespace gpusched::passes {

/// Is a call of `callee` in `caller` such a wait?
bool waitsBeyondBlock(const clang::FunctionDecl& callee, const clang::FunctionDecl& caller);

} // namespace gpusched::passes
