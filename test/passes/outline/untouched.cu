// A file with nothing to convert comes out byte for byte: host code, a kernel declared only, an
// uninstantiated template.
// RUN: %gpusched-opt --explain %s > %t.out 2> %t.remarks && cmp %s %t.out
// RUN: FileCheck %s < %t.remarks
__global__ void elsewhere(int* a);
template <class T> __global__ void unused(T* a) { a[blockIdx.x] = T(); }
int main() { elsewhere<<<1, 1>>>(nullptr); }
// CHECK: untouched.cu:6:{{[0-9]+}}: remark: kernel 'unused' kept native: [GS013]
