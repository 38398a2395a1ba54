// Clusters, by attribute and by query.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS026]
__global__ void __cluster_dims__(2, 1, 1) a(int* p) { p[blockIdx.x] = 1; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'b' kept native: [GS026]
__global__ void b(int* p) { p[0] = cooperative_groups::this_cluster().num_threads(); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'c' kept native: [GS026]
__global__ void c(int* p) { asm("mov.u32 %0, %%nclusterid.x;" : "=r"(p[0])); }
