// cluster_test - clusters: special registers, barrier, addresses and copies between blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Each thread writes its special registers, 8 words.
const std::string kRegisters = kernel("registers", R"(
  mul.wide.u32 d0, %g, 28;
  add.u64 %p, %p, d0;
  mov.u32 r0, %cluster_ctaid.x; st.global.u32 [%p], r0;
  mov.u32 r0, %cluster_ctarank; st.global.u32 [%p+4], r0;
  mov.u32 r0, %clusterid.x; st.global.u32 [%p+8], r0;
  mov.u32 r0, %nclusterid.x; st.global.u32 [%p+12], r0;
  mov.u32 r0, %cluster_nctarank; st.global.u32 [%p+16], r0;
  mov.u32 r0, %cluster_nctaid.x; st.global.u32 [%p+20], r0;
  mov.pred p0, %is_explicit_cluster; selp.u32 r0, 1, 0, p0; st.global.u32 [%p+24], r0;
  mov.u32 r0, %ctaid.x; st.global.u32 [%p+28], r0;)");

/// A ring: every thread writes to the next block's shared memory, once through a shared::cluster
/// address, once through a generic one, and adds to a word there.
const std::string kRing = kernel("ring", R"(
  .shared .align 4 .b8 tile[512];
  mov.u32 r0, tile;
  mad.lo.u32 r1, %t, 4, r0;
  setp.eq.u32 p0, %t, 0;
  @p0 st.shared.u32 [tile+508], 0;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 r2, %cluster_ctarank;
  mov.u32 r3, %cluster_nctarank;
  add.u32 r4, r2, 1;
  rem.u32 r4, r4, r3;
  mapa.shared::cluster.u32 r5, r1, r4;
  st.shared::cluster.u32 [r5], %g;
  getctarank.shared::cluster.u32 r8, r5;
  cvt.u64.u32 d0, r1;
  cvta.shared.u64 d0, d0;
  mapa.u64 d1, d0, r4;
  st.u32 [d1+128], %g;
  getctarank.u64 r9, d1;
  isspacep.shared p1, d1;
  isspacep.shared::cluster p2, d1;
  isspacep.global p3, d1;
  cvta.to.shared.u64 d2, d1;
  cvt.u32.u64 r6, d2;
  atom.shared::cluster.add.u32 r7, [r6+256], 0;
  mapa.shared::cluster.u32 r6, r0, r4;
  red.shared::cluster.add.u32 [r6+508], 1;
  barrier.cluster.arrive.release;
  barrier.cluster.wait.acquire;
  ld.shared.u32 r0, [r1];
  ld.shared.u32 r2, [r1+128];
  ld.shared.u32 r3, [tile+508];
  setp.eq.and.u32 p4, r8, r4, !p1;
  setp.eq.and.u32 p4, r9, r4, p4;
  and.pred p4, p4, p2;
  not.pred p3, p3;
  and.pred p4, p4, p3;
  selp.u32 r8, 1, 0, p4;
  mul.wide.u32 d0, %g, 12;
  add.u64 %p, %p, d0;
  st.global.v4.u32 [%p], {r0, r2, r3, r8};)");

/// Blocks pass on their number by bulk copy, st.async and multicast, each to an mbarrier.
const std::string kCopies = kernel("copies", R"(
  .shared .align 16 .b8 from[64];
  .shared .align 16 .b8 to[192];
  .shared .align 8 .b8 gate[8];
  mov.u32 r0, from; mov.u32 r1, to; mov.u32 r2, gate;
  mov.u32 r3, %cluster_ctarank;
  xor.b32 r4, r3, 1;
  setp.ne.u32 p0, %t, 0;
  @p0 bra JOIN;
  add.u32 r5, r3, 100;
  st.shared.v4.u32 [from], {r5, r5, r5, r5};
  mbarrier.init.shared.b64 [r2], 2;
  mbarrier.arrive.expect_tx.shared.b64 d0, [r2], 52;
JOIN:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @p0 bra WAIT;
  mapa.shared::cluster.u32 r6, r1, r4;
  mapa.shared::cluster.u32 r7, r2, r4;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r6], [r0], 16, [r7];
  add.u32 r8, r3, 200;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r6+16], r8, [r7];
  setp.ne.u32 p1, r3, 0;
  @!p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r1+32], [%base+4096], 32, [r2], 3;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r7];
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p2, [r2], 0;
  @!p2 bra WAIT;
  ld.shared.u32 r5, [to+12];
  ld.shared.u32 r6, [to+16];
  ld.shared.u32 r7, [to+60];
  mul.wide.u32 d0, %g, 8;
  add.u64 %p, %p, d0;
  st.global.u32 [%p], r5;
  st.global.u32 [%p+4], r6;
  st.global.u32 [%p+8], r7;)");

gpusched::cpu::Launch clusters(Fixture& f, const char* name, uint32_t blocks, uint32_t threads,
                               uint32_t cluster) {
  gpusched::cpu::Launch launch = f.launch(name, {blocks}, {threads});
  launch.cluster = {cluster};
  launch.explicitCluster = true;
  return launch;
}

std::string run(Fixture& f, gpusched::cpu::Launch launch) {
  std::string message;
  launch.completion = [&](const gpusched::cpu::LaunchOutcome& outcome) {
    message = outcome.status.message();
  };
  const gpusched::Status submitted = f.gpu->submit(std::move(launch));
  f.gpu->drain();
  return submitted ? message : submitted.message();
}

void checkRegisters(Fixture& f) {
  f.clear();
  CHECK(run(f, clusters(f, "registers", 6, 1, 3)).empty());
  bool good = true;
  for (uint32_t i = 0; i < 6; ++i) {
    const uint32_t want[8] = {i % 3, i % 3, i / 3, 2, 3, 3, 1, i};
    good &= std::memcmp(f.words + i * 8, want, sizeof want) == 0;
  }
  CHECK(good);
  CHECK(f.run("registers", {2}, {1}).empty());
  const uint32_t alone[8] = {0, 0, 1, 2, 1, 1, 0, 1};
  CHECK(std::memcmp(f.words + 8, alone, sizeof alone) == 0);
}

void checkRing(Fixture& f, uint32_t cluster) {
  f.clear();
  const std::string message = run(f, clusters(f, "ring", 8, 32, cluster));
  CHECK(message.empty());
  bool good = message.empty();
  for (uint32_t block = 0; block < 8; ++block)
    for (uint32_t thread = 0; thread < 32; ++thread) {
      const uint32_t first = block / cluster * cluster;
      const uint32_t before = first + (block - first + cluster - 1) % cluster;
      const uint32_t* got = f.words + (block * 32 + thread) * 4;
      // A block alone is its own neighbour: the generic address is then in shared::cta too.
      good &= got[0] == before * 32 + thread && got[1] == got[0] && got[2] == 32 &&
              got[3] == (cluster > 1);
    }
  CHECK(good);
  if (!good)
    std::printf("ring of %u: %s\n", cluster, message.c_str());
}

} // namespace

int main() {
  for (const unsigned workers : {1u, 3u}) {
    Fixture f(kRegisters + kRing + kCopies, {.workers = workers, .seed = workers - 1});
    if (!f.loaded)
      return finish();
    checkRegisters(f);
    for (const uint32_t cluster : {1u, 2u, 4u, 8u})
      checkRing(f, cluster);
    f.clear();
    f.words[1024 + 7] = 300;
    CHECK(run(f, clusters(f, "copies", 2, 2, 2)).empty());
    for (uint32_t i = 0; i < 4; ++i)
      CHECK(f.words[i * 3] == 100 + 1 - i / 2 && f.words[i * 3 + 1] == 200 + 1 - i / 2 &&
            f.words[i * 3 + 2] == 300);
    CHECK(run(f, clusters(f, "ring", 9, 32, 2)).find("multiple") != std::string::npos);
    CHECK(run(f, clusters(f, "ring", 32, 1, 32)).find("1 to 16") != std::string::npos);
  }
  return finish();
}
