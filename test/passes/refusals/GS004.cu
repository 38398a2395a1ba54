// A friend has access rights that a new function would not have.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
class Secret {
  int value = 0;
  friend __global__ void look(Secret* s);
};
// CHECK: [[@LINE+1]]:17: remark: kernel 'look' kept native: [GS004]
__global__ void look(Secret* s) { s->value = blockIdx.x; }
