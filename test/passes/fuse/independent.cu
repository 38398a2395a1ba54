// In a block with a gpusched::Independent the program answers for the streams and for what stands between the launches, not for
// what the first one's arguments do. Other blocks are not meant.
// RUN: %gpusched-opt --splice %s -- -I%root/rt/include | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s -- -I%root/rt/include | %reparse -I %root/rt/include --cicc-prefix %build/bin/gpusched-cicc
#include "gpusched/Independent.h"

__global__ void set(int* a, int n) { a[blockIdx.x] = n; }
int size();

void run(int* a, int n, cudaStream_t s, cudaStream_t t) {
  {
    gpusched::Independent independent;
    // CHECK: {{^}}    { const ::gpusched::LaunchPair gpusched_pair(true); set<<<1, 32>>>(a, n);{{$}}
    set<<<1, 32>>>(a, n);
    // CHECK: {{^}}    set<<<1, 32>>>(a + 1, size()); }{{$}}
    set<<<1, 32>>>(a + 1, size());
    // CHECK: const ::gpusched::LaunchPair gpusched_pair_at_{{[0-9]+}}(true); set<<<1, 32>>>(a + 2, n);
    set<<<1, 32>>>(a + 2, n);
    const int next = n + 1;
    set<<<1, 32>>>(a + 3, next + size());
    if (n > next) {
      // CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); set<<<2, 32, 0, s>>>(a, n);
      set<<<2, 32, 0, s>>>(a, n);
      set<<<2, 32, 0, t>>>(a, n);
      // CHECK-NOT: LaunchPair
      set<<<1, 32>>>(a, n);
      set<<<1, 32>>>(a, size());
    }
    size();
    set<<<1, 32>>>(a + 2, size());
    set<<<1, 32>>>(a + 3, n);
  }
}
