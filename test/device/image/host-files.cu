// Device code is found in objects, executables, shared objects, archives and bare files.
// RUN: %nvcc -gencode arch=compute_90,code=[compute_90,sm_90] -c %S/Inputs/kernels.cu -o %t.o
// RUN: %nvcc -arch=sm_80 -c %s -o %t.main.o
// RUN: %nvcc %t.main.o %t.o -o %t.exe
// RUN: %build/test-bin/image-ListImages %t.exe | FileCheck --check-prefix=EXE %s
// EXE: ELF sm_80
// EXE: PTX compute_80 whole
// EXE: PTX compute_90 whole
// EXE: ELF sm_90
// RUN: %nvcc -arch=sm_90 -shared -Xcompiler -fPIC %S/Inputs/kernels.cu -o %t.so
// RUN: %build/test-bin/image-ListImages %t.so | FileCheck --check-prefix=SHARED %s
// SHARED: PTX compute_90 whole
// RUN: rm -f %t.a
// RUN: ar qc %t.a %t.main.o %t.o
// RUN: %build/test-bin/image-ListImages %t.a | FileCheck --check-prefix=ARCHIVE %s
// ARCHIVE: PTX compute_80 in host-files.cu.tmp.main.o whole
// ARCHIVE: PTX compute_90 in host-files.cu.tmp.o whole
// RUN: %nvcc -arch=sm_90 -fatbin %S/Inputs/kernels.cu -o %t.fatbin
// RUN: %build/test-bin/image-ListImages %t.fatbin | FileCheck --check-prefix=SHARED %s
// RUN: %nvcc -arch=compute_90a -ptx %S/Inputs/kernels.cu -o %t.ptx
// RUN: %build/test-bin/image-ListImages %t.ptx | FileCheck --check-prefix=TEXT %s
// TEXT: PTX compute_90a whole
// RUN: %llvm/bin/clang++ -x c++ -c %S/Inputs/SameCode.cpp -I%root -std=c++20 -o %t.none.o
// RUN: %build/test-bin/image-ListImages %t.none.o | FileCheck --check-prefix=NONE %s
// NONE: {{^}}0 images
// RUN: not %build/test-bin/image-ListImages %t.missing | FileCheck --check-prefix=MISSING %s
// MISSING: cannot open {{.*}}.missing
__global__ void kernel(int* p) { *p = 1; }
int main() { return 0; }
