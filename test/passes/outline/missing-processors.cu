// nvcc gives all declarations of a function the processors of each; Clang takes those that differ for overloads. The
// parse gets the words, nvcc the text as it was.
// RUN: %gpusched-opt --explain %s > %t.cu 2> %t.remarks && count 0 < %t.remarks
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s && %reparse %t.cu -diag-suppress=20036
#define BOTH __host__ __device__

BOTH int declaredForBoth(int value);
// CHECK: {{^}}/// Not for
// CHECK-NEXT: {{^}}inline __device__ int declaredForBoth(int value) {
/// Not for `}` or ";"; these end nothing here.
inline __device__ int declaredForBoth(int value) { return value + 1; }

// CHECK: {{^}}template <class T> __device__ T definedForBoth(T value);
template <class T> __device__ T definedForBoth(T value);
template <class T>
#define BEHIND_A_HEADER
BOTH T definedForBoth(T value) { return value + 2; }

class Count {
  int start = 3;
public: BOTH int from(int value) const;
  template <class T> BOTH T to(T value) const;
};
// CHECK: {{^}}inline __device__ int Count::from(int value) const {
inline __device__ int Count::from(int value) const { return start + value; }
template <class T> inline __device__ T Count::to(T value) const { return start - value; }

BOTH void inC(int* value); // no C linkage: another function
extern "C" BOTH void inC(int);
// CHECK: {{^}}extern "C" __device__ void inC(int) {}
extern "C" __device__ void inC(int) {}

// CHECK: void sums__gs_body(
__global__ void sums(Count count, int* out) {
  inC(1);
  out[blockIdx.x] = declaredForBoth(1) + definedForBoth(2) + count.from(3) + count.to(4);
}
