// Two source files of a relocatable program link into one module that is complete: ptxas
// accepts it without -c, and it has the code of both.
// RUN: %nvcc -ptx -rdc=true -arch=compute_90 %s -o %t.first.ptx
// RUN: %nvcc -ptx -rdc=true -arch=compute_90 -DSECOND %s -o %t.second.ptx
// RUN: not %cuda/bin/ptxas -arch=sm_90 %t.first.ptx -o %t.first.cubin
// RUN: %build/test-bin/ptx-ModulePrinter %t.first.ptx %t.second.ptx > %t.linked.ptx
// RUN: %cuda/bin/ptxas -arch=sm_90 %t.linked.ptx -o %t.linked.cubin
// RUN: %build/test-bin/image-ListImages --resources %t.linked.cubin | FileCheck %s
// CHECK-DAG: first
// CHECK-DAG: second
#include <cstdio>

struct Shape {
  __device__ virtual float area() = 0; // a weak virtual table in both files
};
struct Square : Shape {
  float side = 2;
  __device__ float area() override { return side * side; }
};
#ifdef SECOND
__device__ int counter = 3;
static __device__ int mine = 4;
__device__ int twice(int x) { return 2 * x + mine + counter; }
__global__ void second(float* out) {
  Shape* shape = new Square;
  printf("second %f\n", shape->area());
  out[0] = shape->area();
}
#else
extern __device__ int counter;
static __device__ int mine = 5;
extern __device__ int twice(int);
__global__ void first(int* out) {
  Shape* shape = new Square;
  printf("first %f\n", shape->area());
  out[0] = twice(counter) + mine;
}
#endif
