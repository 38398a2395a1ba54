// Every way in which nvcc stores device code in an object gives the same PTX back.
// RUN: bash -c 'for mode in default size speed balance none; do %nvcc -compress-mode=$mode -gencode arch=compute_90,code=[compute_90,sm_90] -gencode arch=compute_75,code=compute_75 -c %S/Inputs/kernels.cu -o %t.o; %build/test-bin/image-ListImages %t.o; done' > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: %nvcc -no-compress -arch=sm_90 -c %S/Inputs/kernels.cu -o %t.plain.o
// RUN: %build/test-bin/image-ListImages %t.plain.o | FileCheck --check-prefix=PLAIN %s
// CHECK-COUNT-5: {{PTX compute_90 whole[[:space:]]+ELF sm_90[[:space:]]+PTX compute_75 whole[[:space:]]+3 images}}
// CHECK-NOT: images
// PLAIN: ELF sm_90
// PLAIN-NEXT: PTX compute_90 whole
