// Lengths of arrays asked of an object that is no constant: Clang makes them variable, which code for the device may
// not have, and says why only in a warning. In code for the host it stays one.
// RUN: %gpusched-opt --explain %s > %t.cu 2> %t.remarks && count 0 < %t.remarks
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s && %reparse %t.cu
template <class T> struct Bins {
  enum { kCount = 16 };
  T values[kCount];
};

template <class T> __device__ T last(const Bins<T>& bins) {
  // CHECK: {{^}}  T doubled[bins.kCount], tripled[(int)bins.kCount - 1];
  T doubled[bins.kCount], tripled[(int)bins.kCount - 1];
  for (int i = 0; i < bins.kCount - 1; ++i)
    doubled[i] = tripled[i] = bins.values[i];
  return doubled[3] + tripled[2];
}
// CHECK: void fills__gs_body(
template <class T> __global__ void fills(Bins<T> bins, T* out) { out[blockIdx.x] = last(bins); }
template __global__ void fills(Bins<float>, float*);

int onTheHost(const Bins<int>& bins, int count) {
  int copies[bins.kCount], others[count];
  return sizeof(copies) + sizeof(others);
}
