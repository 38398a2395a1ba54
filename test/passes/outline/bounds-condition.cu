// Launch bounds that depend on the architecture: kernel and twin have those of the pass, if all
// architectures have the same.
// RUN: %gpusched-opt --explain %s 2>&1 | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --explain --arch=sm_90,sm_75 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=TWO
// RUN: %gpusched-opt %s | %reparse
// CHECK-NOT: remark
__global__
#if __CUDA_ARCH__ >= 600
// CHECK: } __global__ __launch_bounds__ ( 64 , 2 ) void same(int * a) {
// CHECK-SAME: __global__ __launch_bounds__ ( 64 , 2 ) void same__gs(
__launch_bounds__(64, 2)
#else
__launch_bounds__(32)
#endif
void same(int* a) { a[blockIdx.x] = 1; }

__global__ void
#if __CUDA_ARCH__ >= 800
// CHECK: } __global__ void __launch_bounds__ ( 128 ) newer(int * a) {
__launch_bounds__(128)
#endif
// TWO: remark: kernel 'newer' kept native: [GS002] {{.*}}its launch bounds differ between the architectures
newer(int* a) { a[blockIdx.x] = 2; }
// TWO-NOT: remark
