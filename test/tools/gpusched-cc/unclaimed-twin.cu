// A twin in the object that no kernel is known by would never be launched, and nothing else would tell. Here it is
// a kernel of nvcc's alone that takes what only twins take.
// RUN: %gpusched-cc -arch=sm_90 -c %s -o %t.o --gpusched-profile=%t.json 2>&1 | FileCheck %s
// RUN: grep '"kernel": "scale"' %t.json && not grep 5stray %t.json
// CHECK: gpusched: warning: {{.*}}unclaimed-twin.cu: no kernel is known by the twin '_Z5strayP15gpusched_params'
// CHECK-NOT: warning
#if !__has_attribute(optnone)
struct gpusched_params;
__global__ void stray(gpusched_params* twin) {}
#endif
__global__ void scale(float* values) { values[blockIdx.x] *= 2; }
