// NamedRegistrar.h - registers kernels whose template arguments have no name, by their symbols.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type of a lambda cannot be written down, so neither can &kernel<that type>. But nvcc's own
// start-up code hands every kernel's host stub and symbol to __cudaRegisterFunction, which the
// driver's -D turns into gpusched_register_function. A NamedRegistrar states the symbols of one
// kernel and of its twin; once both stubs are known, it enters the program's list like any other.
// Either may come first: the order of the static constructors of a file is not ours.
//
// Two files may each hold a kernel of the same symbol; a pair is always taken from one binary.
// Symbols come from Clang; a kernel that nvcc spells in another way than SymbolNames.h knows is not
// found and stays native. The sizes of the parameters stay unknown: a host-device lambda is larger
// for nvcc's host compiler than it looks. Threads: everything here runs in static constructors,
// under the loader's lock.
#pragma once

#include "Program.h"
#include "SymbolNames.h"

namespace gpusched {
class NamedRegistrar;
struct StubOfSymbol;
} // namespace gpusched

/// What has been seen so far; constant-initialised, so usable from static constructors.
struct gpusched_named_state {
  gpusched::NamedRegistrar* wanted;
  gpusched::StubOfSymbol* found;
};
extern "C" {
extern __attribute__((visibility("hidden"))) struct gpusched_named_state gpusched_named;
void gpusched_cudart_registerFunction(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                      dim3*, dim3*, int*) __asm__("__cudaRegisterFunction");
}
__attribute__((weak)) struct gpusched_named_state gpusched_named = {nullptr, nullptr};

namespace gpusched {

/// One call of __cudaRegisterFunction.
struct StubOfSymbol {
  void** binary;
  const void* stub;
  const char* symbol;
  bool taken;
  StubOfSymbol* next;
};

class __attribute__((visibility("hidden"))) NamedRegistrar {
public:
  GPUSCHED_ONCE
  NamedRegistrar(const char* symbol, const char* twinSymbol, const char* name, const char* file,
                 gpusched_u32 line, gpusched_u32 parameters, gpusched_u32 flags,
                 gpusched_u32 formFlags = GPUSCHED_FORM_FLAGS)
      : kernel_(), symbol_(symbol), twinSymbol_(twinSymbol), next_(gpusched_named.wanted) {
    kernel_.name = name;
    kernel_.file = file;
    kernel_.line = line;
    kernel_.parameters = parameters;
    kernel_.flags = flags | formFlags;
    gpusched_named.wanted = this;
    search();
  }

  /// A stub has been added: whoever waits for it looks again.
  GPUSCHED_ONCE static void searchAll() {
    for (NamedRegistrar* registrar = gpusched_named.wanted; registrar; registrar = registrar->next_)
      registrar->search();
  }

private:
  GPUSCHED_ONCE static StubOfSymbol* find(const char* symbol, void** const* binary) {
    for (StubOfSymbol* stub = gpusched_named.found; stub; stub = stub->next)
      if (!stub->taken && (!binary || stub->binary == *binary) && sameSymbol(symbol, stub->symbol))
        return stub;
    return nullptr;
  }

  GPUSCHED_ONCE void search() {
    if (kernel_.native)
      return;
    StubOfSymbol* const twin = find(twinSymbol_, nullptr);
    StubOfSymbol* const native = twin ? find(symbol_, &twin->binary) : nullptr;
    if (!native)
      return;
    native->taken = twin->taken = true;
    kernel_.native = native->stub;
    kernel_.persistent = twin->stub;
    kernel_.next = __atomic_load_n(&gpusched_program.kernels, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&gpusched_program.kernels, &kernel_.next, &kernel_, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
  }

  gpusched_kernel kernel_;
  const char *symbol_, *twinSymbol_;
  NamedRegistrar* next_;
};

} // namespace gpusched

/// Every kernel of an object compiled by gpusched-cc, from nvcc's start-up code. Only those that
/// have template arguments ("I" ... "E" in the symbol) can be wanted by a NamedRegistrar.
GPUSCHED_SHARED GPUSCHED_ONCE void gpusched_register_function(void** binary, const char* stub,
                                                              char* device, const char* symbol,
                                                              int threadLimit, uint3* thread,
                                                              uint3* block, dim3* blockSize,
                                                              dim3* gridSize, int* warpSize) {
  gpusched_cudart_registerFunction(binary, stub, device, symbol, threadLimit, thread, block,
                                   blockSize, gridSize, warpSize);
  if (!strchr(symbol + (strncmp(symbol, "_Z", 2) ? 0 : 2), 'I'))
    return;
  gpusched::StubOfSymbol* const added =
      static_cast<gpusched::StubOfSymbol*>(malloc(sizeof(gpusched::StubOfSymbol)));
  if (!added)
    return;
  added->binary = binary;
  added->stub = stub;
  added->symbol = symbol;
  added->taken = false;
  added->next = gpusched_named.found;
  gpusched_named.found = added;
  gpusched::NamedRegistrar::searchAll();
}
