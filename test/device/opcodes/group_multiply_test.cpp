// group_multiply_test - wgmma against a triple loop on the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers, so that sums are exact whatever their order. Where the elements of a matrix are
// in shared memory is written here from the nested shapes and strides that CuTe documents for the
// descriptors, element by element, and not as the engine does; where the metadata of a sparse A is,
// from CUTLASS's ELayout_64x16, ELayout_64x32 and ELayout_64x64.
#include "../engine/EngineTest.h"
#include "TensorEncodings.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

using namespace gpusched::cpu::test;

namespace {

using Encode = std::function<uint64_t(int)>;

struct Tile {
  bool across = false; // adjacent elements are of one k
  unsigned width = 0;  // of a swizzled row in units of 16 bytes; 0 = not swizzled
};

struct Form {
  const char* types;
  unsigned n, bits;
  Encode encodeA, encodeB, encodeD;
  Tile a, b;
  bool registers = false; // A
  int signA = 1, signB = 1;
  bool adds = true;
  bool immediates = true;
  bool unsignedA = false;
  bool packed = false; // an "element" is eight single bits, whose product is the bits both have
  bool sparse = false; // A has half the columns
  unsigned selector = 0;
  bool edges = false; // the sums are close to the least and the largest

  unsigned stored() const { return 256 / bits; }             // elements of a row of A
  unsigned inner() const { return stored() * (sparse + 1); } // of a column of B
  unsigned columnOf(unsigned row, unsigned at) const;
  uint64_t rowMetadata(unsigned row) const;
  uint32_t metadata(unsigned thread) const;
  int product(int a, int b) const { return packed ? __builtin_popcount(a & b & 255) : a * b; }
  int valueA(unsigned row, unsigned inner) const;
  int addend(unsigned row, unsigned column) const;
  int result(int64_t sum) const;
};

constexpr unsigned kRows = 64, kThreads = 128, kPlaceB = 16384, kImageWords = 12288,
                   kDescriptors = kImageWords, kRegisters = 12544, kSums = 16384, kSumStride = 128,
                   kMetadata = 13312;

int value(unsigned row, unsigned column, unsigned salt) {
  return int((row * 7 + column * 11 + salt * 5 + row * column) % 7) - 3;
}

int Form::valueA(unsigned row, unsigned inner) const {
  return value(row, inner, 1) + (unsignedA ? 200 : 0);
}

int Form::addend(unsigned row, unsigned column) const {
  using Limits = std::numeric_limits<int>;
  const int small = value(row, column, 3);
  if (!edges)
    return small;
  return small < 0 ? Limits::min() - small : Limits::max() - small;
}

int Form::result(int64_t sum) const {
  using Limits = std::numeric_limits<int>;
  const bool saturates = std::string(types).starts_with(".satfinite");
  return saturates ? int(std::clamp<int64_t>(sum, Limits::min(), Limits::max())) : int(sum);
}

/// The column that stored element `at` of a row has: of two one for tf32, of four two for others.
unsigned Form::columnOf(unsigned row, unsigned at) const {
  if (!sparse)
    return at;
  if (bits == 32)
    return 2 * at + (row * 3 + at) % 2;
  constexpr unsigned kPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return at / 2 * 4 + kPairs[(row * 3 + at / 2 * 5) % 6][at % 2];
}

uint64_t Form::rowMetadata(unsigned row) const {
  uint64_t result = 0;
  for (unsigned at = 0; at < stored(); ++at)
    result |= bits == 32 ? uint64_t(columnOf(row, at) % 2 ? 14 : 4) << 4 * at
                         : uint64_t(columnOf(row, at) % 4) << 2 * at;
  return result;
}

uint32_t Form::metadata(unsigned thread) const {
  const unsigned lane = thread % 32, row = thread / 32 * 16 + lane / 4, low = lane & 1;
  if (bits == 8)
    return uint32_t(rowMetadata(row + 8 * low) >> 32 * (lane >> 1 & 1));
  if (lane % 4 / 2 != selector)
    return 0xdeadbeef; // not looked at
  const auto half = [&](unsigned of) { return uint32_t(rowMetadata(of) >> 16 * low & 0xffff); };
  return half(row) | half(row + 8) << 16;
}

/// Byte offset of element (line, k), and the strides that make it so.
struct Layout {
  Tile tile;
  unsigned size; // bytes of an element
  unsigned stride() const {
    if (tile.width)
      return 8 * tile.width * 16;
    return tile.across ? 512 : 1024;
  }
  unsigned leading() const {
    if (tile.width)
      return tile.across ? 4 * stride() : 16;
    return tile.across ? 128 : 256;
  }
  unsigned place(unsigned line, unsigned k) const {
    const unsigned t = 16 / size, w = tile.width, s = stride() / size, l = leading() / size;
    unsigned at;
    if (tile.across && w)
      at = line % t + line / t % w * t + line / t / w * l + k % 8 * w * t + k / 8 * s;
    else if (tile.across)
      at = line % t + line / t * s + k % 8 * t + k / 8 * l;
    else if (w)
      at = line % 8 * w * t + line / 8 * s + k % t + k / t * t;
    else
      at = line % 8 * t + line / 8 * s + k % t + k / t * l;
    unsigned byte = at * size;
    for (unsigned bit = 0; 1u << bit < w; ++bit)
      if (byte >> (7 + bit) & 1)
        byte ^= 1u << (4 + bit);
    return byte;
  }
  uint64_t descriptor(unsigned start) const {
    const uint64_t kind = tile.width == 8 ? 1 : tile.width == 4 ? 2 : tile.width == 2 ? 3 : 0;
    return start >> 4 | uint64_t(leading() >> 4) << 16 | uint64_t(stride() >> 4) << 32 | kind << 62;
  }
};

std::string list(const std::string& name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + name + std::to_string(i);
  return text + "}";
}

unsigned sumRegisters(const Form& form) {
  return std::string(form.types).starts_with(".f16") ? form.n / 4 : form.n / 2;
}

std::string kernelOf(const Form& form) {
  const unsigned held = sumRegisters(form), k = form.packed ? 256 : form.inner();
  std::string text = R"(
  .reg .b32 x, y, meta, sum<128>, a<4>; .reg .b64 da, db, at, in; .reg .pred more, adds;
  .shared .align 1024 .b8 tile[49152];
  mov.u32 x, %t;
COPY:
  mul.wide.u32 at, x, 4;
  add.u64 at, at, %base;
  ld.global.u32 y, [at];
  mov.u32 r0, tile;
  shl.b32 r1, x, 2;
  add.u32 r0, r0, r1;
  st.shared.u32 [r0], y;
  add.u32 x, x, 128;
  setp.lt.u32 more, x, 12288;
  @more bra COPY;
  bar.sync 0;
  mov.u32 r0, tile;
  shr.u32 r0, r0, 4;
  cvt.u64.u32 at, r0;
  ld.global.u64 da, [%base+49152];
  ld.global.u64 db, [%base+49160];
  add.u64 da, da, at;
  add.u64 db, db, at;
  mul.wide.u32 at, %t, 16;
  add.u64 at, at, %base;
  ld.global.v4.u32 {a0, a1, a2, a3}, [at+50176];
  mul.wide.u32 at, %t, 4;
  add.u64 at, at, %base;
  ld.global.u32 meta, [at+53248];
  mul.wide.u32 in, %t, 512;
  add.u64 in, in, %base;
)";
  const auto each = [&](const std::string& before, const std::string& after) {
    for (unsigned i = 0; i < held; ++i)
      text += before + (before.starts_with("ld") ? "sum" + std::to_string(i) + ", " : "") + "[in+" +
              std::to_string(65536 + i * 4) + "]" +
              (after.empty() ? "" : ", sum" + std::to_string(i)) + ";\n";
  };
  each("ld.global.u32 ", "");
  text += "setp.ne.u32 adds, " + std::string(form.adds ? "1" : "0") + ", 0;\n";
  text += std::string("wgmma.fence.sync.aligned;\nwgmma.mma_async") + (form.sparse ? ".sp" : "") +
          ".sync.aligned.m64n" + std::to_string(form.n) + "k" + std::to_string(k) + form.types +
          " " + list("sum", held) + ", " + (form.registers ? list("a", 4) : "da") + ", db, " +
          (form.sparse ? "meta, " + std::to_string(form.selector) + ", " : "") + "adds";
  if (form.immediates) {
    text += ", " + std::to_string(form.signA) + ", " + std::to_string(form.signB);
    if (form.bits == 16 && !form.registers)
      text += form.a.across ? ", 1" : ", 0";
    if (form.bits == 16)
      text += form.b.across ? ", 1" : ", 0";
  }
  text += ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  each("st.global.u32 ", "sum");
  return kernel("k", text);
}

void put(uint8_t* to, uint64_t bits, unsigned bytes) {
  std::memcpy(to, &bits, bytes);
}

/// D of a thread, from PTX's figures.
struct Sum {
  unsigned row, column;
};
Sum place(unsigned thread, unsigned i) {
  const unsigned warp = thread / 32, lane = thread % 32;
  return {warp * 16 + lane / 4 + (i % 4 >= 2 ? 8 : 0), i / 4 * 8 + lane % 4 * 2 + i % 2};
}

void fill(Fixture& f, const Form& form) {
  f.clear();
  uint8_t* const bytes = reinterpret_cast<uint8_t*>(f.words);
  const unsigned size = form.bits / 8, held = sumRegisters(form);
  const Layout a{form.a, size}, b{form.b, size};
  for (unsigned inner = 0; inner < form.stored(); ++inner)
    for (unsigned row = 0; row < kRows; ++row)
      put(bytes + a.place(row, inner), form.encodeA(form.valueA(row, inner)), size);
  for (unsigned inner = 0; inner < form.inner(); ++inner)
    for (unsigned column = 0; column < form.n; ++column)
      put(bytes + kPlaceB + b.place(column, inner), form.encodeB(value(column, inner, 2)), size);
  for (unsigned thread = 0; thread < kThreads; ++thread)
    f.words[kMetadata + thread] = form.sparse ? form.metadata(thread) : 0;
  const uint64_t descriptors[] = {a.descriptor(0), b.descriptor(kPlaceB)};
  std::memcpy(f.words + kDescriptors, descriptors, sizeof descriptors);
  const unsigned each = 4 / size; // elements in a register of A: the figures' a0 a1 ...
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const unsigned warp = thread / 32, lane = thread % 32;
    for (unsigned e = 0; e < 4 * each; ++e) {
      const unsigned row = warp * 16 + lane / 4 + (e / each % 2 ? 8 : 0);
      const unsigned inner = lane % 4 * each + e % each + (e >= 2 * each ? 4 * each : 0);
      put(bytes + (kRegisters + thread * 4) * 4 + e * size, form.encodeA(form.valueA(row, inner)),
          size);
    }
    const unsigned bytesD = held == form.n / 2 ? 4 : 2;
    for (unsigned i = 0; i < form.n / 2; ++i) {
      const Sum at = place(thread, i);
      put(bytes + (kSums + thread * kSumStride) * 4 + i * bytesD,
          form.encodeD(form.addend(at.row, at.column)), bytesD);
    }
  }
}

void checkForm(const Form& form) {
  Fixture f(kernelOf(form), {.workers = 1}, 1);
  fill(f, form);
  const std::string message = f.run("k", {1}, {kThreads});
  const unsigned bytesD = sumRegisters(form) == form.n / 2 ? 4 : 2;
  unsigned wrong = 0;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    for (unsigned i = 0; i < form.n / 2; ++i) {
      const Sum at = place(thread, i);
      int64_t sum = 0;
      for (unsigned inner = 0; inner < form.stored(); ++inner)
        sum += form.product(form.valueA(at.row, inner),
                            value(at.column, form.columnOf(at.row, inner), 2));
      sum = sum * form.signA * form.signB + (form.adds ? form.addend(at.row, at.column) : 0);
      uint64_t want = form.encodeD(form.result(sum)), got = 0;
      want &= bytesD == 2 ? 0xffff : 0xffffffff;
      std::memcpy(&got,
                  reinterpret_cast<uint8_t*>(f.words + kSums + thread * kSumStride) + i * bytesD,
                  bytesD);
      wrong += want != got;
    }
  if (wrong || !message.empty())
    std::printf("%s n %u: %u wrong; %s\n", form.types, form.n, wrong, message.c_str());
  CHECK(wrong == 0 && message.empty());
}

/// A warp must not run ahead of the other three: it may overwrite B once it has waited.
void warpsOfAGroupWait() {
  std::string text = R"(
  .reg .b32 sum<4>; .reg .b64 da, db; .reg .pred first;
  .shared .align 1024 .b8 tile[4096];
  mov.u32 r0, tile;
  shl.b32 r1, %t, 2;
  add.u32 r0, r0, r1;
  st.shared.u32 [r0], 0x3c003c00;
  st.shared.u32 [r0+512], 0x3c003c00;
  st.shared.u32 [r0+1024], 0x3c003c00;
  st.shared.u32 [r0+1536], 0x3c003c00;
  bar.sync 0;
  mov.u32 r2, tile;
  shr.u32 r2, r2, 4;
  cvt.u64.u32 da, r2;
  mov.u64 db, 0x0000001000080000;
  add.u64 da, da, db;
  mov.u64 db, da;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {sum0, sum1, sum2, sum3}, da, db, 0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  st.shared.u32 [r0], 0;
  st.shared.u32 [r0+512], 0;
  st.shared.u32 [r0+1024], 0;
  st.shared.u32 [r0+1536], 0;
  st.global.b32 [%p], sum0;)";
  for (const uint64_t seed : {0, 1, 2, 3}) {
    Fixture f(kernel("k", text), {.workers = 1, .seed = seed}, 1);
    CHECK(f.run("k", {1}, {128}).empty());
    bool good = true;
    for (unsigned i = 0; i < 128; ++i)
      good &= f.words[i] == single(16);
    CHECK(good);
  }
}

void outside() {
  Fixture f(kernel("k", R"(
  .reg .b32 sum<4>; .reg .b64 da;
  .shared .align 1024 .b8 tile[1024];
  mov.u64 da, 0x0000001000083fff;
  st.shared.u32 [tile], 0;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {sum0, sum1, sum2, sum3}, da, da, 0, 1, 1, 0, 0;)"));
  CHECK(f.run("k", {1}, {128}).find("reaches outside") != std::string::npos);
}

void sparse(Form form, unsigned selector) {
  form.sparse = true;
  form.selector = selector;
  checkForm(form);
}

void sparseForms() {
  for (const unsigned selector : {0u, 1u}) {
    sparse({".f32.f16.f16", 24, 16, half, half, single, {}, {}}, selector);
    sparse({".f16.f16.f16", 40, 16, half, half, half, {true, 4}, {true, 2}, false, -1}, selector);
    sparse({".f32.bf16.bf16", 16, 16, brain, brain, single, {false, 2}, {false, 8}}, selector);
    sparse({".f32.bf16.bf16", 8, 16, brain, brain, single, {}, {true, 0}, true}, selector);
    sparse({".f32.tf32.tf32", 16, 32, tensorSingle, tensorSingle, single, {}, {false, 4}},
           selector);
  }
  sparse({".f32.e4m3.e5m2", 32, 8, eighth4, eighth5, single, {}, {false, 4}}, 0);
  Form form{".s32.s8.s8", 16, 8, byte, byte, twos, {false, 8}, {}};
  form.immediates = false;
  sparse(form, 0);
  form.registers = true;
  sparse(form, 0);
}

void bits() {
  Form form{".s32.b1.b1.and.popc", 16, 8, byte, byte, twos, {}, {false, 4}};
  form.packed = true;
  form.immediates = false;
  checkForm(form);
  form.registers = true;
  form.adds = false;
  checkForm(form);
}

/// A column of a sparse product's B is longer than a row swizzled over 32 bytes.
void tooShortRows() {
  Form form{".f32.f16.f16", 24, 16, half, half, single, {}, {false, 2}};
  form.sparse = true;
  Fixture f(kernelOf(form), {.workers = 1}, 1);
  fill(f, form);
  CHECK(f.run("k", {1}, {kThreads}).find("shorter") != std::string::npos);
}

} // namespace

int main() {
  const Tile inner[] = {{}, {false, 2}, {false, 4}, {false, 8}};
  const Tile outer[] = {{true, 0}, {true, 2}, {true, 4}, {true, 8}};
  for (const Tile& a : inner)
    for (const Tile& b : outer) {
      checkForm({".f32.f16.f16", 72, 16, half, half, single, a, b});
      checkForm({".f32.bf16.bf16", 80, 16, brain, brain, single, b, a});
    }
  for (const Tile& b : inner) {
    checkForm({".f32.tf32.tf32", 16, 32, tensorSingle, tensorSingle, single, b, b});
    checkForm({".f32.e4m3.e5m2", 88, 8, eighth4, eighth5, single, b, b});
    checkForm({".f16.e5m2.e4m3", 24, 8, eighth5, eighth4, half, {}, b});
  }
  checkForm({".f16.f16.f16", 40, 16, half, half, half, outer[3], inner[3], false, -1, 1});
  checkForm({".f32.f16.f16", 8, 16, half, half, single, {}, outer[1], true, -1, -1, false});
  checkForm({".f32.bf16.bf16", 48, 16, brain, brain, single, {}, inner[2], true, 1, -1});
  checkForm({".f32.tf32.tf32", 8, 32, tensorSingle, tensorSingle, single, {}, {}, true});
  checkForm({".f32.e5m2.e5m2", 8, 8, eighth5, eighth5, single, {}, {}, true, 1, 1, false});
  for (const char* types : {".s32.s8.s8", ".s32.u8.s8", ".satfinite.s32.s8.s8"}) {
    Form form{types, 32, 8, byte, byte, twos, inner[3], inner[1]};
    form.immediates = false;
    form.unsignedA = std::string(types).find("u8.s8") != std::string::npos;
    checkForm(form);
    form.registers = true;
    checkForm(form);
    form.edges = true;
    checkForm(form);
  }
  sparseForms();
  bits();
  tooShortRows();
  warpsOfAGroupWait();
  outside();
  return finish();
}
