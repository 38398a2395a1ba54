// NothingDestroyed.cpp - for libraries of which nothing of static lifetime is ever destroyed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the cpu device run while the program ends, on threads of ours, and need tables that
// exit() would destroy under them. Each library that links gpusched_nothing_destroyed has this in
// place of __cxa_atexit, for itself and for the archives in it.

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*);

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
