// tensor_test - mma.sync, wmma, ldmatrix and movmatrix against a triple loop on the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers, so that sums are exact whatever their order. Where mma's elements are is
// written here as PTX's reference says it, element by element, and not as the engine does.
#include "../engine/EngineTest.h"
#include "TensorEncodings.h"

#include <bit>
#include <functional>
#include <vector>

using namespace gpusched::cpu::test;

namespace {

struct At {
  unsigned row, column;
};
using Where = std::function<At(unsigned group, unsigned place, unsigned i)>;
using Encode = std::function<uint64_t(int)>;

struct Operand {
  unsigned registers, bits; // of one element
  Encode encode;
  Where where;
};

struct Form {
  const char* text;
  unsigned m, n, k;
  Operand a, b, c;
  char product = '*'; // or '&', '^' of bits
  unsigned least = 6; // values are -least to least
};

int value(unsigned row, unsigned column, unsigned salt, unsigned least = 6) {
  return int((row * 7 + column * 5 + salt * 3) % (2 * least + 1)) - int(least);
}

At accumulator(unsigned group, unsigned place, unsigned i) {
  return {i < 2 ? group : group + 8, place * 2 + (i & 1)};
}
At wideA(unsigned group, unsigned place, unsigned i) {
  return {i < 2 || (i >= 4 && i < 6) ? group : group + 8, place * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
At halfB(unsigned group, unsigned place, unsigned i) {
  return {place * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
}
At wordA(unsigned group, unsigned place, unsigned i) {
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? place : place + 4};
}
At wordB(unsigned group, unsigned place, unsigned i) {
  return {i == 0 ? place : place + 4, group};
}
At byteA(unsigned group, unsigned place, unsigned i) {
  return {i < 4 || (i >= 8 && i < 12) ? group : group + 8, place * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
}
At byteB(unsigned group, unsigned place, unsigned i) {
  return {place * 4 + (i & 3) + (i >= 4 ? 16 : 0), group};
}

/// Elements of a quarter word or less: `each` to a register, in runs along a row of A.
template <unsigned kEach> At runA(unsigned group, unsigned place, unsigned i) {
  const unsigned r = i / kEach;
  return {r % 2 ? group + 8 : group, place * kEach + i % kEach + r / 2 * 4 * kEach};
}
template <unsigned kEach> At runB(unsigned group, unsigned place, unsigned i) {
  return {place * kEach + i % kEach + i / kEach * 4 * kEach, group};
}

const Operand kSums{4, 32, single, accumulator}, kCounts{4, 32, twos, accumulator};
const Form kNarrowForms[] = {
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32",
     16,
     8,
     32,
     {4, 8, eighth4, byteA},
     {2, 8, eighth4, byteB},
     kSums},
    {"m16n8k32.row.col.f32.e5m2.e4m3.f32",
     16,
     8,
     32,
     {4, 8, eighth5, byteA},
     {2, 8, eighth4, byteB},
     kSums,
     '*',
     2},
    {"m16n8k32.row.col.f16.e5m2.e5m2.f16",
     16,
     8,
     32,
     {4, 8, eighth5, byteA},
     {2, 8, eighth5, byteB},
     {2, 16, half, accumulator},
     '*',
     2},
    {"m16n8k16.row.col.f32.e4m3.e4m3.f32",
     16,
     8,
     16,
     {2, 8, eighth4, byteA},
     {1, 8, eighth4, byteB},
     kSums},
    {"m8n8k16.row.col.s32.s8.s8.s32",
     8,
     8,
     16,
     {1, 8, byte, byteA},
     {1, 8, byte, byteB},
     {2, 32, twos, accumulator}},
    {"m8n8k32.row.col.s32.s4.s4.s32",
     8,
     8,
     32,
     {1, 4, nibble, runA<8>},
     {1, 4, nibble, runB<8>},
     {2, 32, twos, accumulator}},
    {"m16n8k32.row.col.s32.s4.s4.s32",
     16,
     8,
     32,
     {2, 4, nibble, runA<8>},
     {1, 4, nibble, runB<8>},
     kCounts},
    {"m16n8k64.row.col.satfinite.s32.s4.s4.s32",
     16,
     8,
     64,
     {4, 4, nibble, runA<8>},
     {2, 4, nibble, runB<8>},
     kCounts},
    {"m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
     8,
     8,
     128,
     {1, 1, bit, runA<32>},
     {1, 1, bit, runB<32>},
     {2, 32, twos, accumulator},
     '^'},
    {"m16n8k128.row.col.s32.b1.b1.s32.and.popc",
     16,
     8,
     128,
     {2, 1, bit, runA<32>},
     {1, 1, bit, runB<32>},
     kCounts,
     '&'},
    {"m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
     16,
     8,
     256,
     {4, 1, bit, runA<32>},
     {2, 1, bit, runB<32>},
     kCounts,
     '^'},
    {"m16n8k256.row.col.s32.b1.b1.s32.and.popc",
     16,
     8,
     256,
     {4, 1, bit, runA<32>},
     {2, 1, bit, runB<32>},
     kCounts,
     '&'},
};

/// A stored column of a sparse matrix's row, and where it belongs.
struct Sparse {
  const char* text;
  unsigned k, selector;
  Operand a, b, c;
  unsigned block, pick, together; // of `block` columns `pick` are stored, `together` at a time
};
const Sparse kSparseForms[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32",
     16,
     2,
     {2, 16, half, wideA},
     {2, 16, half, runB<2>},
     kSums,
     4,
     2,
     1},
    {"m16n8k32.row.col.f32.bf16.bf16.f32",
     32,
     1,
     {4, 16, brain, wideA},
     {4, 16, brain, runB<2>},
     kSums,
     4,
     2,
     1},
    {"m16n8k32.row.col.f16.f16.f16.f16",
     32,
     0,
     {4, 16, half, wideA},
     {4, 16, half, runB<2>},
     {2, 16, half, accumulator},
     4,
     2,
     1},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",
     8,
     3,
     {2, 32, tensorSingle, wordA},
     {2, 32, tensorSingle, runB<1>},
     kSums,
     2,
     1,
     1},
    {"m16n8k16.row.col.f32.tf32.tf32.f32",
     16,
     1,
     {4, 32, tensorSingle, wordA},
     {4, 32, tensorSingle, runB<1>},
     kSums,
     2,
     1,
     1},
    {"m16n8k32.row.col.s32.s8.s8.s32",
     32,
     1,
     {2, 8, byte, byteA},
     {2, 8, byte, runB<4>},
     kCounts,
     4,
     2,
     1},
    {"m16n8k64.row.col.s32.s8.s8.s32",
     64,
     0,
     {4, 8, byte, byteA},
     {4, 8, byte, runB<4>},
     kCounts,
     4,
     2,
     1},
    {"m16n8k64.row.col.f32.e4m3.e4m3.f32",
     64,
     0,
     {4, 8, eighth4, byteA},
     {4, 8, eighth4, runB<4>},
     kSums,
     4,
     2,
     1},
    {"m16n8k64.row.col.s32.s4.s4.s32",
     64,
     1,
     {2, 4, nibble, runA<8>},
     {2, 4, nibble, runB<8>},
     kCounts,
     8,
     4,
     2},
    {"m16n8k128.row.col.s32.s4.s4.s32",
     128,
     0,
     {4, 4, nibble, runA<8>},
     {4, 4, nibble, runB<8>},
     kCounts,
     8,
     4,
     2},
};

const Form kForms[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32",
     16,
     8,
     16,
     {4, 16, half, wideA},
     {2, 16, half, halfB},
     {4, 32, single, accumulator}},
    {"m16n8k16.row.col.f32.bf16.bf16.f32",
     16,
     8,
     16,
     {4, 16, brain, wideA},
     {2, 16, brain, halfB},
     {4, 32, single, accumulator}},
    {"m16n8k16.row.col.f16.f16.f16.f16",
     16,
     8,
     16,
     {4, 16, half, wideA},
     {2, 16, half, halfB},
     {2, 16, half, accumulator}},
    {"m16n8k8.row.col.f32.f16.f16.f32",
     16,
     8,
     8,
     {2, 16, half, wideA},
     {1, 16, half, halfB},
     {4, 32, single, accumulator}},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",
     16,
     8,
     8,
     {4, 32, tensorSingle, wordA},
     {2, 32, tensorSingle, wordB},
     {4, 32, single, accumulator}},
    {"m16n8k4.row.col.f32.tf32.tf32.f32",
     16,
     8,
     4,
     {2, 32, tensorSingle, wordA},
     {1, 32, tensorSingle, wordB},
     {4, 32, single, accumulator}},
    {"m16n8k32.row.col.s32.s8.s8.s32",
     16,
     8,
     32,
     {4, 8, byte, byteA},
     {2, 8, byte, byteB},
     {4, 32, twos, accumulator}},
    {"m16n8k16.row.col.satfinite.s32.s8.s8.s32",
     16,
     8,
     16,
     {2, 8, byte, byteA},
     {1, 8, byte, byteB},
     {4, 32, twos, accumulator}},
};

constexpr unsigned kResultWord = 4096;

/// Words of lane l start at 16 * l: A at 0, B at 4, C at 8.
std::string list(const char* prefix, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + (prefix + std::to_string(i));
  return text + "}";
}

std::string mmaKernel(const Form& form, const std::string& opcode = "mma.sync.aligned.",
                      const std::string& rest = "") {
  std::string body = ".reg .b32 a<4>, b<4>, c<4>, x<4>;\nmul.wide.u32 d0, %t, 64;\n"
                     "add.u64 d0, %base, d0;\n";
  const auto load = [&](const char* name, unsigned count, unsigned offset) {
    for (unsigned i = 0; i < count; ++i)
      body += "ld.global.b32 " + (name + std::to_string(i)) + ", [d0+" +
              std::to_string(offset + i * 4) + "];\n";
  };
  load("a", form.a.registers, 0);
  load("b", form.b.registers, 16);
  load("c", form.c.registers, 32);
  body += "ld.global.b32 r0, [d0+48];\n";
  body += opcode + form.text + " " + list("x", form.c.registers) + ", " +
          list("a", form.a.registers) + ", " + list("b", form.b.registers) + ", " +
          list("c", form.c.registers) + rest + ";\n";
  for (unsigned i = 0; i < form.c.registers; ++i)
    body += "st.global.b32 [d0+" + std::to_string(kResultWord * 4 + i * 4) + "], x" +
            std::to_string(i) + ";\n";
  return kernel("k", body);
}

/// The word of `lane` that is its register `r` of the matrix whose elements are element(at).
uint32_t pack(const Operand& operand, unsigned lane, unsigned r,
              const std::function<int(At)>& element) {
  const unsigned each = 32 / operand.bits;
  uint32_t word = 0;
  for (unsigned i = 0; i < each; ++i)
    word |= uint32_t(operand.encode(element(operand.where(lane / 4, lane % 4, r * each + i))))
            << (i * operand.bits);
  return word;
}

int product(char kind, int a, int b) {
  return kind == '*' ? a * b : kind == '&' ? a & b & 1 : (a ^ b) & 1;
}

/// Fills the lanes' words with a, b and c, runs, and compares with `want`.
void runAndCompare(Fixture& f, const Form& form, const std::function<int(At)>& a,
                   const std::function<int(At)>& b, const std::function<int(At)>& c,
                   const std::function<int(At)>& want) {
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      f.words[lane * 16 + r] = pack(form.a, lane, r % form.a.registers, a);
      f.words[lane * 16 + 4 + r] = pack(form.b, lane, r % form.b.registers, b);
      f.words[lane * 16 + 8 + r] = pack(form.c, lane, r % form.c.registers, c);
    }
  const std::string message = f.run("k", {1}, {32});
  CHECK(message.empty());
  bool good = message.empty();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < form.c.registers; ++r)
      good &= f.words[kResultWord + lane * 16 + r] == pack(form.c, lane, r, want);
  CHECK(good);
  if (!good)
    std::printf("mma %s %s\n", form.text, message.c_str());
}

void checkMma(const Form& form) {
  Fixture f(mmaKernel(form), {.workers = 1}, 1);
  const auto a = [&](At at) { return value(at.row, at.column, 1, form.least); };
  const auto b = [&](At at) { return value(at.row, at.column, 2, form.least); };
  const auto c = [&](At at) { return value(at.row, at.column, 3, form.least); };
  runAndCompare(f, form, a, b, c, [&](At at) {
    int sum = c(at);
    for (unsigned i = 0; i < form.k; ++i)
      sum += product(form.product, a({at.row, i}), b({i, at.column}));
    return sum;
  });
}

/// Volta's m8n8k4: four products at once, each of eight lanes, in every layout.
struct Quad {
  const char* text;
  bool columnA, columnB, wideResult, wideC;
};
const Quad kQuads[] = {{"row.col.f32.f16.f16.f32", false, true, true, true},
                       {"col.row.f32.f16.f16.f32", true, false, true, true},
                       {"row.row.f16.f16.f16.f16", false, false, false, false},
                       {"col.col.f32.f16.f16.f16", true, true, true, false}};

/// Row and column of the i-th element of `lane`, which is `place` of its four, in the upper half
/// of the product or not.
At quadC(bool wide, unsigned lane, unsigned i) {
  const unsigned upper = lane < 16 ? 0 : 4;
  if (!wide)
    return {lane % 4 + upper, i};
  return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}
At quadA(bool column, unsigned lane, unsigned i) {
  const unsigned upper = lane < 16 ? 0 : 4;
  return column ? At{i + upper, lane % 4} : At{lane % 4 + upper, i};
}
At quadB(bool column, unsigned lane, unsigned i) {
  const unsigned upper = lane < 16 ? 0 : 4;
  return column ? At{i, lane % 4 + upper} : At{lane % 4, i + upper};
}

/// The words of a lane: its elements, packed in pairs if they are halves.
std::vector<uint32_t> words(bool wide, unsigned count,
                            const std::function<int(unsigned)>& element) {
  std::vector<uint32_t> packed;
  for (unsigned i = 0; i < count; i += wide ? 1 : 2)
    packed.push_back(wide ? uint32_t(single(element(i)))
                          : uint32_t(half(element(i)) | half(element(i + 1)) << 16));
  return packed;
}

void checkQuads(const Quad& quad) {
  // 16 words a lane: 2 of A, 2 of B, 8 of C.
  const unsigned registersC = quad.wideC ? 8 : 4, registersD = quad.wideResult ? 8 : 4;
  std::string body = ".reg .b32 a<2>, b<2>, c<8>, x<8>;\nmul.wide.u32 d0, %t, 64;\n"
                     "add.u64 d0, %base, d0;\nld.global.v2.b32 {a0, a1}, [d0];\n"
                     "ld.global.v2.b32 {b0, b1}, [d0+8];\n";
  for (unsigned i = 0; i < 8; ++i)
    body += "ld.global.b32 c" + std::to_string(i) + ", [d0+" + std::to_string(16 + i * 4) + "];\n";
  body += "mma.sync.aligned.m8n8k4." + std::string(quad.text) + " " + list("x", registersD) +
          ", {a0, a1}, {b0, b1}, " + list("c", registersC) + ";\n";
  for (unsigned i = 0; i < registersD; ++i)
    body += "st.global.b32 [d0+" + std::to_string(kResultWord * 4 + i * 4) + "], x" +
            std::to_string(i) + ";\n";
  Fixture f(kernel("k", body), {.workers = 1}, 1);
  const auto a = [](unsigned product, At at) { return value(at.row, at.column, product + 1); };
  const auto b = [](unsigned product, At at) { return value(at.row, at.column, product + 5); };
  const auto c = [](unsigned product, At at) { return value(at.row, at.column, product + 9); };
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned product = lane / 4 % 4;
    uint32_t* const to = f.words + lane * 16;
    const auto place = [&](unsigned at, bool wide, unsigned count, auto element) {
      const std::vector<uint32_t> packed = words(wide, count, element);
      std::copy(packed.begin(), packed.end(), to + at);
    };
    place(0, false, 4, [&](unsigned i) { return a(product, quadA(quad.columnA, lane, i)); });
    place(2, false, 4, [&](unsigned i) { return b(product, quadB(quad.columnB, lane, i)); });
    place(4, quad.wideC, 8, [&](unsigned i) { return c(product, quadC(quad.wideC, lane, i)); });
  }
  const std::string message = f.run("k", {1}, {32});
  bool good = message.empty();
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned product = lane / 4 % 4;
    const std::vector<uint32_t> want = words(quad.wideResult, 8, [&](unsigned i) {
      const At at = quadC(quad.wideResult, lane, i);
      int sum = c(product, at);
      for (unsigned k = 0; k < 4; ++k)
        sum += a(product, {at.row, k}) * b(product, {k, at.column});
      return sum;
    });
    good &= std::equal(want.begin(), want.end(), f.words + kResultWord + lane * 16);
  }
  CHECK(good);
  if (!good)
    std::printf("m8n8k4 %s %s\n", quad.text, message.c_str());
}

/// Which unit of its block is stored as the number-th: two different ones, increasing.
unsigned chosen(const Sparse& form, unsigned row, unsigned block, unsigned number) {
  const unsigned units = form.block / form.together;
  const unsigned first = (row * 3 + block * 5) % (units == 2 ? 2 : units - 1);
  return number ? units - 1 - (row + block) % (units - 1 - first) : first;
}

/// The metadata of a row, as PTX's reference has it: two bits a unit, tf32 four.
uint64_t metadata(const Sparse& form, unsigned row) {
  const unsigned perBlock = form.pick / form.together;
  uint64_t bits = 0;
  for (unsigned at = 0; at < form.k / form.block * perBlock; ++at) {
    const uint64_t unit = chosen(form, row, at / perBlock, at % perBlock);
    bits |= form.block == 2 ? (unit ? uint64_t(14) : uint64_t(4)) << (4 * at) : unit << (2 * at);
  }
  return bits;
}

uint32_t metadataWord(const Sparse& form, unsigned lane) {
  const unsigned group = lane / 4, place = lane % 4;
  const uint64_t low = metadata(form, group), high = metadata(form, group + 8);
  const unsigned bits = form.a.bits == 32 ? form.k * 2 : form.a.bits == 4 ? form.k / 2 : form.k;
  if (bits == 16)
    return place == form.selector ? uint32_t(low | high << 16) : ~0u;
  if (bits == 64)
    return uint32_t((place % 2 ? high : low) >> (place / 2 * 32));
  if (place / 2 != form.selector)
    return ~0u;
  if (form.a.bits < 16)
    return uint32_t(place % 2 ? high : low);
  const unsigned shift = place % 2 * 16;
  return uint32_t((low >> shift & 0xffff) | (high >> shift & 0xffff) << 16);
}

void checkSparse(const Sparse& sparse, const std::string& opcode) {
  const Form form{sparse.text, 16, 8, sparse.k, sparse.a, sparse.b, sparse.c};
  Fixture f(mmaKernel(form, opcode, ", r0, " + std::to_string(sparse.selector)), {.workers = 1}, 1);
  const auto stored = [](At at) { return value(at.row, at.column, 1); };
  const auto b = [](At at) { return value(at.row, at.column, 2); };
  const auto c = [](At at) { return value(at.row, at.column, 3); };
  for (unsigned lane = 0; lane < 32; ++lane)
    f.words[lane * 16 + 12] = metadataWord(sparse, lane);
  runAndCompare(f, form, stored, b, c, [&](At at) {
    int sum = c(at);
    for (unsigned i = 0; i < sparse.k / sparse.block * sparse.pick; ++i) {
      const unsigned block = i / sparse.pick, within = i % sparse.pick;
      const unsigned unit = chosen(sparse, at.row, block, within / sparse.together);
      const unsigned column =
          block * sparse.block + unit * sparse.together + within % sparse.together;
      sum += stored({at.row, i}) * b({column, at.column});
    }
    return sum;
  });
}

/// A of 16 x 16 in shared memory by columns, B in global memory by rows, f32 sums.
const std::string kWmma = kernel("wmma", R"(
  .shared .align 32 .b8 tile[1024];
  .reg .b32 a<8>, b<8>, s<4>; .reg .f32 c<8>;
  mul.lo.u32 s0, %t, 16;
  mov.u32 s1, tile;
  add.u32 s1, s1, s0;
  cvt.u64.u32 d0, s0;
  add.u64 d0, %base, d0;
  ld.global.v4.u32 {r0, r1, r2, r3}, [d0];
  st.shared.v4.u32 [s1], {r0, r1, r2, r3};
  bar.warp.sync -1;
  mov.u32 s1, tile;
  wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 {a0,a1,a2,a3,a4,a5,a6,a7}, [s1], 16;
  wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {b0,b1,b2,b3,b4,b5,b6,b7}, [%base+1024], 24;
  mov.f32 c0, 0f3F800000;
  wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {c0,c1,c2,c3,c4,c5,c6,c7},
      {a0,a1,a2,a3,a4,a5,a6,a7}, {b0,b1,b2,b3,b4,b5,b6,b7}, {c0,c0,c0,c0,c0,c0,c0,c0};
  wmma.store.d.sync.aligned.row.m16n16k16.f32 [%base+16384], {c0,c1,c2,c3,c4,c5,c6,c7}, 20;)");

void checkWmma() {
  Fixture f(kWmma, {.workers = 1}, 1);
  uint16_t* const halves = reinterpret_cast<uint16_t*>(f.words);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      halves[j * 16 + i] = uint16_t(half(value(i, j, 1)));
      halves[512 + i * 24 + j] = uint16_t(half(value(i, j, 2)));
    }
  CHECK(f.run("wmma", {1}, {32}).empty());
  bool good = true;
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      int sum = 1;
      for (unsigned k = 0; k < 16; ++k)
        sum += value(i, k, 1) * value(k, j, 2);
      good &= f.words[kResultWord + i * 20 + j] == single(sum);
    }
  CHECK(good);
}

/// Two matrices, as they are and transposed; lane l gives row l % 8 of matrix l / 8.
const std::string kMatrices = kernel("matrices", R"(
  .shared .align 16 .b8 tile[512];
  mov.u32 r0, tile;
  mad.lo.u32 r0, %t, 16, r0;
  mul.wide.u32 d0, %t, 16;
  add.u64 d0, %base, d0;
  ld.global.v4.u32 {r1, r2, r3, r4}, [d0];
  st.shared.v4.u32 [r0], {r1, r2, r3, r4};
  bar.warp.sync -1;
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {r5, r6}, [r0];
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [r0];
  st.global.u32 [%p+4096], r0;
  st.global.u32 [%p+4224], r3;
  st.global.u32 [%p+4352], r6;)");

void checkMatrices() {
  Fixture f(kMatrices, {.workers = 1, .counters = true}, 1);
  uint16_t* const halves = reinterpret_cast<uint16_t*>(f.words);
  for (unsigned i = 0; i < 256; ++i)
    halves[i] = uint16_t(i);
  CHECK(f.run("matrices", {1}, {32}).empty());
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4, column = lane % 4 * 2;
    const auto word = [](unsigned low, unsigned high) { return low | high << 16; };
    const unsigned first = row * 8 + column, across = column * 8 + row;
    CHECK(f.words[1024 + lane] == word(first, first + 1));
    CHECK(f.words[1056 + lane] == word(192 + first, 192 + first + 1));
    CHECK(f.words[1088 + lane] == word(64 + across, 64 + across + 8));
  }
  CHECK(f.last.counters.sharedAccesses == 3 && f.last.counters.sharedPasses == 4 + 2 + 4);
}

/// 8 x 8 x 32 of s4 and of bits through wmma: A by rows, B by columns.
std::string narrowWmma(const char* name, const char* shape, const char* type, const char* product) {
  const std::string s = std::string(shape) + ".global." + type + " ";
  return kernel(name, ".reg .b32 a<1>, b<1>, c<2>;\nwmma.load.a.sync.aligned.row." + s +
                          "{a0}, [%base];\nwmma.load.b.sync.aligned.col." + s +
                          "{b0}, [%base+256];\nmov.b32 c0, 0;\nwmma.mma." + product +
                          "sync.aligned.row.col." + shape + ".s32." + type + "." + type +
                          ".s32 {c0, c1}, {a0}, {b0}, {c0, c0};\n"
                          "wmma.store.d.sync.aligned.row." +
                          shape + ".s32 [%base+1024], {c0, c1};");
}

void checkNarrowWmma() {
  Fixture f(narrowWmma("four", "m8n8k32", "s4", "") +
                narrowWmma("one", "m8n8k128", "b1", "xor.popc."),
            {.workers = 1}, 1);
  for (unsigned i = 0; i < 128; ++i)
    f.words[i] = i * 0x9e3779b9u + 17;
  for (const bool bits : {false, true}) {
    CHECK(f.run(bits ? "one" : "four", {1}, {32}).empty());
    bool good = true;
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        int sum = 0;
        for (unsigned i = 0; i < 4; ++i) {
          const uint32_t a = f.words[row * 4 + i], b = f.words[64 + column * 4 + i];
          for (unsigned at = 0; at < 32 && !bits; at += 4)
            sum += (int32_t(a << (28 - at)) >> 28) * (int32_t(b << (28 - at)) >> 28);
          sum += bits ? std::popcount(a ^ b) : 0;
        }
        good &= int(f.words[256 + row * 8 + column]) == sum;
      }
    CHECK(good);
  }
}

const std::string kTranspose = kernel("transpose", R"(
  ld.global.u32 r0, [%p];
  movmatrix.sync.aligned.m8n8.trans.b16 r1, r0;
  st.global.u32 [%p+128], r1;)");

void checkTranspose() {
  Fixture f(kTranspose, {.workers = 1}, 1);
  uint16_t* const halves = reinterpret_cast<uint16_t*>(f.words);
  for (unsigned i = 0; i < 64; ++i)
    halves[i] = uint16_t(i + 1);
  CHECK(f.run("transpose", {1}, {32}).empty());
  for (unsigned i = 0; i < 64; ++i)
    CHECK(halves[64 + i] == i % 8 * 8 + i / 8 + 1);
}

} // namespace

int main() {
  for (const Form& form : kForms)
    checkMma(form);
  for (const Form& form : kNarrowForms)
    checkMma(form);
  for (const Sparse& form : kSparseForms)
    for (const char* opcode : {"mma.sp.sync.aligned.", "mma.sp::ordered_metadata.sync.aligned."})
      checkSparse(form, opcode);
  for (const Quad& quad : kQuads)
    checkQuads(quad);
  checkNarrowWmma();
  checkTranspose();
  checkWmma();
  checkMatrices();
  return finish();
}
