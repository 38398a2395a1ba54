// access_test - ld and st of every type and vector in every state space, atomics at every type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form stores operands to its own bytes of a space and loads them again in another shape.
#include "HostNumbers.h"
#include "OpcodeTest.h"

#include <algorithm>

using namespace gpusched::cpu::test;

namespace {

/// Ways to name 64 bytes that belong to the thread.
struct Space {
  const char* name;    // "" generic
  const char* address; // leaves it in %p
  const char* declare;
};
constexpr Space kSpaces[] = {
    {".global", "mul.wide.u32 p, w, 64; mov.u64 q, cell; add.u64 p, p, q;", ""},
    {".shared", "and.b32 w, w, 63; mul.wide.u32 p, w, 64; mov.u64 q, tile; add.u64 p, p, q;",
     ".shared .align 16 .b8 tile[4096];"},
    {".shared::cta", "and.b32 w, w, 63; mul.wide.u32 p, w, 64; mov.u64 q, tile; add.u64 p, p, q;",
     ".shared .align 16 .b8 tile[4096];"},
    {".local", "mov.u64 p, mine;", ".local .align 16 .b8 mine[64];"},
    {"", "mov.u64 p, mine; cvta.local.u64 p, p;", ".local .align 16 .b8 mine[64];"},
};

std::string within(const Space& space, const std::string& body) {
  return std::string("{ .reg .b64 p, q; .reg .b32 w; ") + space.declare +
         " mov.u32 w, %ctaid.x; mad.lo.u32 w, w, 64, %tid.x; " + space.address + " " + body + " }";
}

/// The same value in registers of the type, of bits, and as the elements of vectors.
template <class T>
void scalars(OpcodeTest& t, const Space& space, const std::string& type, unsigned bytes) {
  using Held = std::conditional_t<sizeof(T) == 1, U16, T>;
  const std::string name = space.name + type;
  t.form<T(Held)>(within(space, "st" + name + " [p], a; ld" + name + " d, [p];"),
                  [](Held a) { return T(a); });
  for (const unsigned count : {2u, 4u}) {
    if (count * bytes > 16)
      continue;
    const std::string vector = ".v" + std::to_string(count);
    const char* const list = count == 2 ? "{a, b}" : "{a, b, a, b}";
    const char* const back = count == 2 ? "{x, d}" : "{x, x, x, d}";
    const std::string held = type == ".f32"   ? ".f32"
                             : type == ".f64" ? ".f64"
                                              : ".b" + std::to_string(std::max(16u, bytes * 8));
    t.form<T(Held, Held)>(within(space, ".reg " + held + " x; st" + std::string(space.name) +
                                            vector + type + " [p], " + list + "; ld" + space.name +
                                            vector + type + " " + back + ", [p];"),
                          [](Held, Held b) { return T(b); });
  }
}

void loadsAndStores(OpcodeTest& t) {
  for (const Space& space : kSpaces) {
    scalars<U16>(t, space, ".b16", 2), scalars<U32>(t, space, ".b32", 4);
    scalars<U64>(t, space, ".b64", 8);
    scalars<U16>(t, space, ".u16", 2), scalars<U32>(t, space, ".u32", 4);
    scalars<U64>(t, space, ".u64", 8);
    scalars<int16_t>(t, space, ".s16", 2), scalars<int32_t>(t, space, ".s32", 4);
    scalars<int64_t>(t, space, ".s64", 8);
    scalars<float>(t, space, ".f32", 4), scalars<double>(t, space, ".f64", 8);
    for (const char* type : {".u8", ".b8", ".s8"}) {
      const bool isSigned = type[1] == 's';
      const std::string name = space.name + std::string(type);
      t.form<U32(U32)>(within(space, "st" + name + " [p+3], a; ld" + name + " d, [p+3];"),
                       [=](U32 a) { return isSigned ? U32(int8_t(a)) : a & 255; });
      for (const std::string vector : {".v2", ".v4"}) {
        const bool two = vector == ".v2";
        t.form<U16(U16, U16)>(
            within(space, ".reg .b16 x; st" + std::string(space.name) + vector + type + " [p+4], " +
                              (two ? "{a, b}" : "{a, a, a, b}") + "; ld" + space.name + vector +
                              type + (two ? " {x, d}" : " {x, x, x, d}") + ", [p+4];"),
            [=](U16, U16 b) { return isSigned ? U16(int8_t(b)) : U16(b & 255); });
      }
    }
  }
}

/// Cache operators and orders change nothing that one thread could see.
void cacheOperators(OpcodeTest& t) {
  const auto copy = [](U32 a) { return a; };
  const Space& global = kSpaces[0];
  for (const char* load :
       {"ld.global.ca", "ld.global.cg", "ld.global.cs", "ld.global.lu", "ld.global.cv",
        "ld.global.nc", "ld.global.L1::evict_last", "ld.global.L1::no_allocate",
        "ld.global.L2::128B", "ld.global.nc.L1::no_allocate.L2::256B", "ld.volatile.global",
        "ld.weak.global", "ld.relaxed.gpu.global", "ld.relaxed.cta.global", "ld.relaxed.sys.global",
        "ld.acquire.gpu.global", "ld.acquire.cta.global", "ld.acquire.sys.global", "ldu.global"})
    t.form<U32(U32)>(within(global, std::string("st.global.u32 [p], a; ") + load + ".u32 d, [p];"),
                     copy);
  for (const char* store :
       {"st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt", "st.volatile.global",
        "st.weak.global", "st.global.L1::no_allocate", "st.relaxed.gpu.global",
        "st.relaxed.cta.global", "st.relaxed.sys.global", "st.release.gpu.global",
        "st.release.cta.global", "st.release.sys.global"})
    t.form<U32(U32)>(within(global, std::string(store) + ".u32 [p], a; ld.global.u32 d, [p];"),
                     copy);
  t.form<U32(U32)>(within(global,
                          "prefetch.global.L2 [p]; prefetch.global.L1 [p]; prefetchu.L1 [p]; "
                          "applypriority.global.L2::evict_normal [p], 128; "
                          "discard.global.L2 [p], 128; mov.u32 d, a;"),
                   copy);
}

template <class T, class F>
void atomicForms(OpcodeTest& t, const std::string& op, const std::string& type, F result) {
  for (const Space& space : kSpaces) {
    if (std::string(space.name) == ".local" || std::string(space.name) == "")
      continue;
    const std::string bits = ".b" + std::to_string(sizeof(T) * 8);
    const std::string name = space.name + op + type;
    t.form<T(T, T)>(within(space, ".reg " + bits + " old; st" + space.name + bits +
                                      " [p], a; atom" + name + " old, [p], b; ld" + space.name +
                                      bits + " d, [p];"),
                    result);
    t.form<T(T, T)>(within(space, "st" + std::string(space.name) + bits + " [p], a; atom" + name +
                                      " d, [p], b;"),
                    [](T a, T) { return a; });
    if (op != ".exch")
      t.form<T(T, T)>(within(space, "st" + std::string(space.name) + bits + " [p], a; red" + name +
                                        " [p], b; ld" + space.name + bits + " d, [p];"),
                      result);
  }
}

template <class T> void atomicBits(OpcodeTest& t) {
  const std::string type = ".b" + std::to_string(sizeof(T) * 8);
  atomicForms<T>(t, ".exch", type, [](T, T b) { return b; });
  if (sizeof(T) > 2) {
    atomicForms<T>(t, ".and", type, [](T a, T b) { return T(a & b); });
    atomicForms<T>(t, ".or", type, [](T a, T b) { return T(a | b); });
    atomicForms<T>(t, ".xor", type, [](T a, T b) { return T(a ^ b); });
  }
  for (const Space& space : kSpaces)
    if (std::string(space.name).size() > 1 && std::string(space.name) != ".local")
      t.form<T(T, T, T)>(within(space, "st" + std::string(space.name) + type + " [p], a; atom" +
                                           space.name + ".cas" + type + " d, [p], b, c; ld" +
                                           space.name + type + " d, [p];"),
                         [](T a, T b, T c) { return a == b ? c : a; });
}

template <class T> void atomicIntegers(OpcodeTest& t, const std::string& type) {
  using U = std::make_unsigned_t<T>;
  if (type != ".s64")
    atomicForms<T>(t, ".add", type, [](T a, T b) { return T(U(a) + U(b)); });
  atomicForms<T>(t, ".min", type, [](T a, T b) { return std::min(a, b); });
  atomicForms<T>(t, ".max", type, [](T a, T b) { return std::max(a, b); });
}

template <class Format> void atomicHalves(OpcodeTest& t) {
  const std::string type = std::string(".noftz.") + Format::kName;
  const auto sum = [](U16 a, U16 b) {
    return bitsOf<Format>(__float128(valueOf<Format>(a)) + valueOf<Format>(b));
  };
  atomicForms<U16>(t, ".add", type, sum);
  atomicForms<U32>(t, ".add", type + "x2", [=](U32 a, U32 b) {
    return U32(sum(U16(a >> 16), U16(b >> 16))) << 16 | sum(U16(a), U16(b));
  });
}

void atomics(OpcodeTest& t) {
  atomicBits<U16>(t), atomicBits<U32>(t), atomicBits<U64>(t);
  atomicIntegers<U32>(t, ".u32"), atomicIntegers<int32_t>(t, ".s32");
  atomicIntegers<U64>(t, ".u64"), atomicIntegers<int64_t>(t, ".s64");
  atomicForms<U32>(t, ".inc", ".u32", [](U32 a, U32 b) { return a >= b ? 0 : a + 1; });
  atomicForms<U32>(t, ".dec", ".u32", [](U32 a, U32 b) { return a == 0 || a > b ? b : a - 1; });
  atomicForms<float>(t, ".add", ".f32", [](float a, float b) { return a + b; });
  atomicForms<double>(t, ".add", ".f64", [](double a, double b) { return a + b; });
  atomicHalves<F16>(t), atomicHalves<BF16>(t);
  for (const char* order : {".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char* scope : {".cta", ".cluster", ".gpu", ".sys"})
      t.form<U32(U32, U32)>(within(kSpaces[0], std::string("st.global.u32 [p], a; atom") + order +
                                                   scope + ".global.add.u32 d, [p], b;"),
                            [](U32 a, U32) { return a; });
}

} // namespace

int main() {
  OpcodeTest t;
  loadsAndStores(t);
  cacheOperators(t);
  atomics(t);
  return t.run();
}
