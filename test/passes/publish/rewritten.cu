// A variable behind each plain kernel of a module, and one per instantiation at the end of the file. Other files
// have none, nor has relocatable code.
// RUN: %gpusched-opt --module --name='dir/a "b".cu' %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --module %s > %t.cu
// RUN: %nvcc -arch=sm_90 -ptx -Werror=all-warnings -include %root/rt/include/gpusched/Launch.h %t.cu -o %t.ptx
// RUN: %gpusched-opt %s | grep -v '^// ' | not grep -q gpusched_twin_of_
// RUN: %gpusched-opt --module --rdc %s | grep -v '^// ' | not grep -q gpusched_twin_of_
// CHECK: } static const ::gpusched::Registrar plain__gs_registrar({{.*}}); extern "C" __device__ ::gpusched::ModuleTwin<29> gpusched_twin_of_plain = {{[{]}}{GPUSCHED_ABI_VERSION, 49u | GPUSCHED_FORM_FLAGS, 2u, [[@LINE+1]]u}, "plain__gs" "\0" "plain" "\0" "dir/a \"b\".cu"};
extern "C" __global__ void plain(int* a, int n) { a[blockIdx.x] = n; }
namespace space {
// CHECK: gpusched_twin_of__ZN5space5loopsEi = {{[{]}}{GPUSCHED_ABI_VERSION, 17u | GPUSCHED_FORM_FLAGS, 1u, [[@LINE+1]]u}, "_ZN5space9loops__gsE15gpusched_paramsi" "\0" "space::loops"
__global__ void loops(int n) {
  for (int i = 0; i < n; ++i)
    printf("%d", i);
}
// CHECK: gpusched_twin_of__ZN5space5loopsEf = {{.*}} "_ZN5space10loops__gs2E15gpusched_paramsf"
__global__ void loops(float) {}
// CHECK-NOT: gpusched_twin_of__ZN5space5shape
template <class T> __global__ void shape(T* a) { a[blockIdx.x] = T(); }
#define KERNEL(name) __global__ void name(int* out) { out[blockIdx.x] = 1; }
// CHECK: gpusched_twin_of__ZN5space4madeEPi
KERNEL(made)
} // namespace space
// CHECK: {{^}}extern "C" __device__ ::gpusched::ModuleTwin<{{[0-9]+}}> gpusched_twin_of__ZN5space5shapeIfEEvPT_ = {{.*}} "_ZN5space9shape__gsIfEEv15gpusched_paramsPT_" "\0" "space::shape<float>" "\0"
template __global__ void space::shape<float>(float*);
