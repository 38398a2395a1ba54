// nvcc takes calls of dependent member templates without `template`. The parse gets the word, nvcc
// the text as it was; remarks name columns of that, also in a file with CRLF and a mark in front.
// RUN: %gpusched-opt --explain %s > %t.cu 2> %t.remarks
// RUN: grep -v CHECK %t.cu | FileCheck %s && FileCheck --check-prefix=REMARK %s < %t.remarks && %reparse %t.cu -diag-suppress=174
// RUN: printf '\357\273\277' > %t.crlf.cu && sed 's/$/\r/' %s >> %t.crlf.cu
// RUN: %gpusched-opt --explain --name=%s %t.crlf.cu 2>&1 > %t.out.cu | diff - %t.remarks
// RUN: grep -v CHECK %t.out.cu | tr -d '\r' | FileCheck %s && %reparse %t.out.cu -diag-suppress=174

template <int Size> struct Row {
  float values[Size];
  template <int Index> __device__ float get(float factor) const { return factor * values[Index]; }
  template <int Index> __device__ float get(float factor, int more) const { return get<Index>(factor) + more; }
  template <int From, int To> __device__ void move(float factor) { values[To] = factor * values[From]; }
  template <int Index> static __device__ float about(float a) { return a + Index; }
  struct Inner {
    template <int Index> static __device__ int twice(int a) { return 2 * a + Index; }
  };
};
template <class T> struct Traits { using Type = T; };

// CHECK-NOT: template {{get|move|about|twice}}
// CHECK: void members__gs_body({{.*}}
// CHECK-NEXT: row.move<0, 1>(2.f);
// CHECK-NEXT: out[blockIdx.x] = row.get<Index>(1.f) + row.get<Index>(2.f, 3)
// CHECK: void members__gs(
template <class T, int Index> __global__ void members(T row, float* out) {
  row.move<0, 1>(2.f);
  out[blockIdx.x] = row.get<Index>(1.f) + row.get<Index>(2.f, 3);
}

// CHECK: void qualified__gs(
template <class T, int Index> __global__ void qualified(T*, float* out) {
  out[blockIdx.x] = T::about<Index>(2) + Traits<T>::Type::about<(Index > 0)>(3.f) + T::Inner::twice<Index + 1>(4);
}

// A name in a macro's body, and one in what the macro is given.
#define ASK(row, more) (row.get<1>(1.f) + more)
// CHECK: void macros__gs(
template <class T> __global__ void macros(T row, float* out) {
  out[blockIdx.x] = ASK(row, row.about<0>(2));
}

// The missing word is seen when the function is instantiated, which another one delayed.
template <class T> __device__ float deeper(const T& row) { return row.get<0>(1.f); }
template <class T> __device__ float deep(T row) { row.move<1, 0>(1.f); return deeper(row); }
// CHECK: void nested__gs(
template <class T> __global__ void nested(T row, float* out) { out[blockIdx.x] = deep(row); }

// REMARK-NOT: remark
// REMARK: [[@LINE+3]]:43: remark: kernel 'refused' kept native: [GS028]
// REMARK-NOT: remark
template <class T> __global__ void refused(T row, float* out) {
  out[blockIdx.x] = row.get<0>(1.f); /**/ asm("mov.u32 %0, %%ctaid.x;" : "=r"(*(int*)out));
}

int main() {
  Row<2> row = {};
  float* out = nullptr;
  members<Row<2>, 1><<<1, 1>>>(row, out);
  qualified<Row<2>, 1><<<1, 1>>>(&row, out);
  macros<<<1, 1>>>(row, out);
  nested<<<1, 1>>>(row, out);
  refused<<<1, 1>>>(row, out);
}
