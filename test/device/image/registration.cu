// What a program hands to __cudaRegisterFatBinary: one unit per source file, and all units of
// a device-linked program at once.
// RUN: %nvcc -cudart=none -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=[compute_90,sm_90] -c %s -o %t.o
// RUN: %nvcc -cudart=none %t.o -o %t.exe -L%build/test-bin -limage-RegistrationProbe -Xlinker -rpath=%build/test-bin
// RUN: %t.exe | FileCheck --check-prefix=PLAIN %s
// PLAIN: {{^}}registered{{$}}
// PLAIN-NEXT: unit: PTX compute_75 PTX compute_90 ELF sm_90; runs PTX compute_90 readable

// RUN: %nvcc -DSECOND -rdc=true -gencode arch=compute_90,code=[compute_90,sm_90] -c %s -o %t.second.o
// RUN: %nvcc -rdc=true -gencode arch=compute_90,code=[compute_90,sm_90] -c %s -o %t.first.o
// RUN: %nvcc -cudadevrt=none -arch=sm_90 -dlink %t.first.o %t.second.o -o %t.link.o
// RUN: %nvcc -cudart=none -nodlink %t.first.o %t.second.o %t.link.o -o %t.linked -L%build/test-bin -limage-RegistrationProbe -Xlinker -rpath=%build/test-bin
// RUN: %t.linked | FileCheck --check-prefix=LINKED %s
// RUN: %build/test-bin/image-ListImages %t.linked | FileCheck --check-prefix=FILE %s
// LINKED: registered linked
// LINKED-NEXT: unit: PTX compute_90 ELF sm_90; runs PTX compute_90 readable
// LINKED-NEXT: unit: PTX compute_90 ELF sm_90; runs PTX compute_90 readable
// LINKED-NOT: registered
// FILE-DAG: PTX compute_90 relocatable whole
// FILE-DAG: {{^}}ELF sm_90{{$}}
#ifdef SECOND
__device__ int shared(int x) { return x + 3; }
#else
#ifdef __CUDACC_RDC__
extern __device__ int shared(int);
#else
__device__ int shared(int x) { return x + 3; }
#endif
__global__ void kernel(int* p) { *p = shared(*p); }
int main() { return 0; }
#endif
