// Damaged objects, fat binaries and cubins never crash the readers.
// RUN: %nvcc -arch=sm_90 -c %S/Inputs/kernels.cu -o %t.o
// RUN: %nvcc -arch=sm_90 -compress-mode=speed -fatbin %S/Inputs/kernels.cu -o %t.fatbin
// RUN: %nvcc -arch=sm_90 -compress-mode=size -fatbin %S/Inputs/kernels.cu -o %t.small.fatbin
// RUN: %nvcc -arch=sm_75 -cubin %S/Inputs/kernels.cu -o %t.cubin
// RUN: rm -f %t.a
// RUN: ar qc %t.a %t.o
// RUN: %build/test-bin/image-ImageFuzz 20000 1 %t.o %t.fatbin %t.small.fatbin %t.cubin %t.a | FileCheck %s
// CHECK: 20000 mutants
