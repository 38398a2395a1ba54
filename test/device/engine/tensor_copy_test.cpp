// tensor_copy_test - cp.async.bulk.tensor and its reductions against loops on the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

#include "rt/device/cpu/engine/TensorMap.h"

#include <vector>

using namespace gpusched::cpu::test;
using gpusched::cpu::Launch;
using gpusched::cpu::TensorMap;

namespace {

// Words of the buffer: the tensor, the map, the corner, the bytes of a box, the shared tile.
constexpr unsigned kMap = 32768, kCorner = 32832, kBytes = 32840, kTile = 40960, kTileWords = 4096;

struct Case {
  unsigned dimensions;
  uint64_t sizes[5];
  uint16_t box[5];
  uint8_t steps[5];
  int32_t corner[5];
  unsigned elementBytes = 4, swizzleBits = 0;
};

std::string coordinates(unsigned dimensions) {
  std::string text = "{c0";
  for (unsigned d = 1; d < dimensions; ++d)
    text += ", c" + std::to_string(d);
  return text + "}";
}

const std::string kHead = R"(
  .reg .b32 c<5>, x, y; .reg .b64 map, at, state; .reg .pred first, more, done;
  .shared .align 1024 .b8 tile[16384];
  .shared .align 8 .b64 barrier;
  add.u64 map, %base, 131072;
  ld.global.v4.u32 {c0, c1, c2, c3}, [%base+131328];
  ld.global.u32 c4, [%base+131344];
  ld.global.u32 y, [%base+131360];
  setp.eq.u32 first, %t, 0;
  mov.u32 x, %t;
)";

/// 64 threads; the loop moves the tile to or from the buffer.
std::string tileLoop(bool toBuffer) {
  return R"(
MOVE:
  mov.u32 r0, tile;
  shl.b32 r1, x, 2;
  add.u32 r0, r0, r1;
  mul.wide.u32 at, x, 4;
  add.u64 at, at, %base;
)" +
         std::string(toBuffer ? "ld.shared.u32 r2, [r0]; st.global.u32 [at+163840], r2;"
                              : "ld.global.u32 r2, [at+163840]; st.shared.u32 [r0], r2;") +
         R"(
  add.u32 x, x, 64;
  setp.lt.u32 more, x, 4096;
  @more bra MOVE;
)";
}

std::string loadKernel(unsigned dimensions) {
  const std::string d = std::to_string(dimensions);
  return kernel("load" + d, kHead + R"(
  @!first bra WAIT;
  mbarrier.init.shared.b64 [barrier], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 state, [barrier], y;
  cp.async.bulk.tensor.)" + d +
                                "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                                "[tile], [map, " +
                                coordinates(dimensions) + R"(], [barrier];
WAIT:
  bar.sync 0;
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [barrier], 0;
  @!done bra WAIT;
)" + tileLoop(true));
}

std::string storeKernel(const std::string& name, const std::string& operation,
                        unsigned dimensions) {
  return kernel(name, kHead + tileLoop(false) + R"(
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!first bra END;
)" + operation + "." + std::to_string(dimensions) +
                          "d.global.shared::cta.bulk_group [map, " + coordinates(dimensions) +
                          R"(], [tile];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:)");
}

const std::string kMulticast = kernel("multicast", kHead + R"(
  .reg .b32 rank; .reg .pred leads; .reg .b16 both;
  mov.u32 rank, %cluster_ctarank;
  @!first bra READY;
  mbarrier.init.shared.b64 [barrier], 1;
  mbarrier.arrive.expect_tx.shared.b64 state, [barrier], y;
READY:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.eq.and.u32 leads, rank, 1, first;
  mov.b16 both, 3;
  @!leads bra WAIT;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [map, {c0, c1}], [barrier], both;
WAIT:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [barrier], 0;
  @!done bra WAIT;
  bar.sync 0;
  mul.lo.u32 rank, rank, 1024;
  mov.u32 r0, tile;
  ld.shared.u32 r1, [r0+64];
  add.u32 rank, rank, %t;
  mul.wide.u32 at, rank, 4;
  add.u64 at, at, %base;
  st.global.u32 [at+163840], r1;)");

/// Builds the map of a 40 x 50 tensor of words and a box of 16 x 20 in shared memory from zeros,
/// puts it where place() puts its own, and changes that one's rank by a generic address.
const std::string kMaking = kernel("making", R"(
  .shared .align 128 .b8 made[128];
  .reg .b64 at; .reg .pred first;
  mov.u32 r0, made;
  mad.lo.u32 r1, %t, 4, r0;
  st.shared.u32 [r1], 0;
  bar.warp.sync 0xffffffff;
  setp.eq.u32 first, %t, 0;
  @!first bra MADE;
  mov.u32 r2, 2; mov.u32 r3, 16; mov.u32 r4, 40; mov.u64 d1, 176;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [made], %base;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [made], r2;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [made], 0, r3;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [made], 1, 20;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [made], 0, r4;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [made], 1, 50;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [made], 0, d1;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [made], 0, 1;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [made], 1, 1;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [made], 2;
  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [made], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [made], 0;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [made], 0;
MADE:
  bar.warp.sync 0xffffffff;
  add.u64 at, %base, 131072;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [at], [made], 128;
  fence.proxy.tensormap::generic.acquire.gpu [at], 128;
  @first tensormap.replace.tile.rank.b1024.b32 [at], 1;
  @first tensormap.replace.tile.swizzle_mode.global.b1024.b32 [at], 2;)");

uint8_t* bytesOf(Fixture& f) {
  return reinterpret_cast<uint8_t*>(f.words);
}

TensorMap place(Fixture& f, const Case& what) {
  TensorMap map;
  map.mark = TensorMap::kMark;
  map.address = reinterpret_cast<uint64_t>(f.words);
  map.dimensions = static_cast<uint8_t>(what.dimensions);
  map.swizzleBits = static_cast<uint8_t>(what.swizzleBits);
  map.type = gpusched::ptx::Type::U32;
  uint64_t boxBytes = what.elementBytes, stride = what.elementBytes;
  for (unsigned d = 0; d < what.dimensions; ++d) {
    map.sizes[d] = what.sizes[d], map.box[d] = what.box[d], map.steps[d] = what.steps[d];
    map.strides[d] = stride;
    stride = d ? stride * what.sizes[d] : (stride * what.sizes[0] + 31) / 16 * 16;
    boxBytes *= map.count(d);
  }
  for (unsigned i = 0; i < 32768; ++i)
    f.words[i] = i * 2654435761u;
  for (unsigned i = 0; i < kTileWords; ++i)
    f.words[kTile + i] = i * 40503u + 17;
  std::memcpy(f.words + kMap, static_cast<const void*>(&map), sizeof map);
  std::memcpy(f.words + kCorner, what.corner, sizeof what.corner);
  f.words[kBytes] = static_cast<uint32_t>(boxBytes);
  return map;
}

/// Visits (offset in the tile, offset in the tensor or -1) of every element of the box.
template <class Visit> void eachElement(const Case& what, const TensorMap& map, Visit visit) {
  unsigned index[5] = {};
  for (uint64_t linear = 0;; linear += what.elementBytes) {
    int64_t offset = 0;
    bool inside = true;
    for (unsigned d = 0; d < what.dimensions; ++d) {
      const int64_t at = what.corner[d] + int64_t(index[d]) * (d ? what.steps[d] : 1);
      inside &= at >= 0 && at < int64_t(what.sizes[d]);
      offset += at * int64_t(map.strides[d]);
    }
    const uint64_t unit = linear / 16 ^ linear / 128 % (1u << what.swizzleBits);
    visit(unit * 16 + linear % 16, inside ? offset : -1);
    unsigned d = 0;
    while (d < what.dimensions && ++index[d] == map.count(d))
      index[d++] = 0;
    if (d == what.dimensions)
      return;
  }
}

/// `maker`: the kernel that makes the map again, if any.
void checkLoad(Fixture& f, const Case& what, const char* maker = nullptr) {
  const TensorMap map = place(f, what);
  if (maker) {
    std::memset(f.words + kMap, 0, sizeof map);
    CHECK(f.run(maker, {1}, {32}).empty());
  }
  std::vector<uint8_t> want(kTileWords * 4, 0);
  eachElement(what, map, [&](uint64_t to, int64_t from) {
    if (from >= 0)
      std::memcpy(&want[to], bytesOf(f) + from, what.elementBytes);
  });
  const std::string name = "load" + std::to_string(what.dimensions);
  const std::string message = f.run(name.c_str(), {1}, {64});
  const bool good = std::memcmp(want.data(), f.words + kTile, f.words[kBytes]) == 0;
  if (!message.empty() || !good)
    std::printf("%s: %s\n", name.c_str(), message.c_str());
  CHECK(message.empty() && good);
}

/// change(old, value) is what the kernel leaves of an element of 4 bytes.
template <class Change>
void checkStore(Fixture& f, const char* name, const Case& what, Change change) {
  const TensorMap map = place(f, what);
  std::vector<uint8_t> want(bytesOf(f), bytesOf(f) + kMap * 4);
  eachElement(what, map, [&](uint64_t from, int64_t to) {
    if (to < 0)
      return;
    uint32_t old, value;
    std::memcpy(&old, &want[to], 4);
    std::memcpy(&value, bytesOf(f) + kTile * 4 + from, 4);
    value = change(old, value);
    std::memcpy(&want[to], &value, 4);
  });
  const std::string message = f.run(name, {1}, {64});
  const bool good = std::memcmp(want.data(), f.words, want.size()) == 0;
  if (!message.empty() || !good)
    std::printf("%s: %s\n", name, message.c_str());
  CHECK(message.empty() && good);
}

void multicast() {
  Fixture f(kMulticast, {.workers = 2}, 2);
  const Case what{2, {32, 32}, {16, 8}, {1, 1}, {4, 5}};
  const TensorMap map = place(f, what);
  const uint32_t want = f.words[(map.strides[1] * 6 + 4 * 4) / 4]; // row 1 of the box
  Launch launch = f.launch("multicast", {2}, {64});
  launch.cluster = {2, 1, 1};
  launch.explicitCluster = true;
  std::string message;
  launch.completion = [&](const auto& outcome) { message = outcome.status.message(); };
  CHECK(f.gpu->submit(std::move(launch)).ok());
  f.gpu->drain();
  CHECK(message.empty());
  for (unsigned i = 0; i < 64; ++i)
    CHECK(f.words[kTile + i] == want && f.words[kTile + 1024 + i] == want);
}

void mistakes(Fixture& f) {
  Case what{2, {32, 32}, {16, 8}, {1, 1}, {0, 0}};
  place(f, what);
  f.words[kMap] = 0;
  CHECK(f.run("load2", {1}, {64}).find("was not made by cuTensorMapEncodeTiled") !=
        std::string::npos);
  place(f, what);
  CHECK(f.run("load3", {1}, {64}).find("another number of dimensions") != std::string::npos);
  place(f, what);
  reinterpret_cast<TensorMap*>(f.words + kMap)->setBox(0, 300);
  CHECK(f.run("load2", {1}, {64}).find("outside CUDA's limits") != std::string::npos);
  what.box[0] = 128, what.box[1] = 64;
  place(f, what);
  CHECK(f.run("load2", {1}, {64}).find("reaches outside") != std::string::npos);
}

} // namespace

int main() {
  std::string text = kMaking;
  for (unsigned d = 1; d <= 5; ++d)
    text += loadKernel(d);
  text += storeKernel("store3", "cp.async.bulk.tensor", 3);
  text += storeKernel("store2", "cp.async.bulk.tensor", 2);
  text += storeKernel("add", "cp.reduce.async.bulk.tensor.add", 2);
  text += storeKernel("max", "cp.reduce.async.bulk.tensor.max", 1);
  Fixture f(text, {.workers = 1}, 1);
  if (!f.loaded)
    return finish();
  checkLoad(f, {1, {100}, {64}, {1}, {10}});
  checkLoad(f, {1, {100}, {64}, {1}, {-5}, 2});
  checkLoad(f, {2, {40, 50}, {16, 20}, {1, 1}, {30, -3}});
  checkLoad(f, {2, {40, 50}, {16, 20}, {1, 3}, {-3, 40}});
  checkLoad(f, {2, {40, 50}, {16, 8}, {1, 1}, {100, 100}}); // outside altogether
  checkLoad(f, {2, {64, 64}, {32, 32}, {1, 1}, {16, 8}, 4, 3});
  checkLoad(f, {2, {64, 64}, {16, 32}, {1, 1}, {16, 8}, 4, 2});
  checkLoad(f, {2, {64, 64}, {32, 64}, {1, 1}, {33, 1}, 1, 1});
  checkLoad(f, {2, {40, 50}, {16, 20}, {1, 1}, {30, -3}, 4, 2}, "making");
  checkLoad(f, {3, {20, 10, 6}, {8, 4, 5}, {1, 2, 1}, {3, 2, 3}, 8});
  checkLoad(f, {4, {20, 10, 6, 3}, {8, 4, 3, 2}, {1, 1, 1, 1}, {14, 7, -1, 1}, 2});
  checkLoad(f, {5, {20, 5, 4, 3, 3}, {4, 4, 3, 2, 2}, {1, 1, 2, 1, 1}, {3, 2, -1, 1, 2}});
  const auto replace = [](uint32_t, uint32_t value) { return value; };
  checkStore(f, "store2", {2, {40, 50}, {16, 20}, {1, 1}, {30, -3}}, replace);
  checkStore(f, "store2", {2, {64, 64}, {32, 32}, {1, 1}, {40, 8}, 4, 3}, replace);
  checkStore(f, "store3", {3, {20, 10, 6}, {8, 4, 5}, {1, 2, 1}, {3, 2, 3}}, replace);
  checkStore(f, "add", {2, {40, 50}, {16, 20}, {1, 1}, {30, -3}},
             [](uint32_t old, uint32_t value) { return old + value; });
  checkStore(f, "max", {1, {100}, {64}, {1}, {50}},
             [](uint32_t old, uint32_t value) { return std::max(old, value); });
  multicast();
  mistakes(f);
  return finish();
}
