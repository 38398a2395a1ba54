// tensor_test - mma.sync, wmma and ldmatrix against a triple loop on the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers, so that sums are exact whatever their order. Where mma's elements are is
// written here as PTX's reference says it, element by element, and not as the engine does.
#include "../engine/EngineTest.h"

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

uint64_t half(int value) {
  if (value == 0)
    return 0;
  const unsigned magnitude = static_cast<unsigned>(std::abs(value));
  const unsigned exponent = std::bit_width(magnitude) - 1;
  return (value < 0 ? 0x8000u : 0u) | (exponent + 15) << 10 |
         ((magnitude << (10 - exponent)) & 0x3ff);
}
uint64_t single(int value) {
  return std::bit_cast<uint32_t>(float(value));
}
uint64_t brain(int value) {
  return single(value) >> 16;
}
uint64_t tensorSingle(int value) {
  return single(value) | 0x1abc; // bits that must not be read
}
uint64_t twos(int value) {
  return static_cast<uint32_t>(value);
}
uint64_t byte(int value) {
  return static_cast<uint8_t>(value);
}

struct Operand {
  unsigned registers, bits; // of one element
  Encode encode;
  Where where;
};

struct Form {
  const char* text;
  unsigned m, n, k;
  Operand a, b, c;
};

int value(unsigned row, unsigned column, unsigned salt) {
  return int((row * 7 + column * 5 + salt * 3) % 13) - 6;
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

std::string mmaKernel(const Form& form) {
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
  body += std::string("mma.sync.aligned.") + form.text + " " + list("x", form.c.registers) + ", " +
          list("a", form.a.registers) + ", " + list("b", form.b.registers) + ", " +
          list("c", form.c.registers) + ";\n";
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

void checkMma(const Form& form) {
  Fixture f(mmaKernel(form), {.workers = 1}, 1);
  const auto a = [](At at) { return value(at.row, at.column, 1); };
  const auto b = [](At at) { return value(at.row, at.column, 2); };
  const auto c = [](At at) { return value(at.row, at.column, 3); };
  const auto want = [&](At at) {
    int sum = c(at);
    for (unsigned i = 0; i < form.k; ++i)
      sum += a({at.row, i}) * b({i, at.column});
    return sum;
  };
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

} // namespace

int main() {
  for (const Form& form : kForms)
    checkMma(form);
  checkWmma();
  checkMatrices();
  return finish();
}
