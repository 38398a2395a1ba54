// Resource numbers read from cubins of every target are those that ptxas reports.
// RUN: bash -c 'for sm in 75 80 86 89 90 100 120; do %nvcc -arch=sm_$sm -cubin -Xptxas -v %S/Inputs/kernels.cu -o %t.cubin 2> %t.txt; %build/test-bin/image-CompareReport %t.cubin %t.txt || exit 1; done' > %t.out
// RUN: FileCheck %s < %t.out
// CHECK: 7 kernels for sm_75, 0 differ
// CHECK-NEXT: 7 kernels for sm_80, 0 differ
// CHECK-NEXT: 7 kernels for sm_86, 0 differ
// CHECK-NEXT: 7 kernels for sm_89, 0 differ
// CHECK-NEXT: 7 kernels for sm_90, 0 differ
// CHECK-NEXT: 7 kernels for sm_100, 0 differ
// CHECK-NEXT: 7 kernels for sm_120, 0 differ

// Launch bounds, parameters and limits are there too.
// RUN: %nvcc -arch=sm_90 -cubin %S/Inputs/kernels.cu -o %t.90.cubin
// RUN: %build/test-bin/image-ListImages --resources %t.90.cubin | FileCheck --check-prefix=LIST %s
// LIST-DAG: tile{{.*}}shared 512 {{.*}}parameters 0+8 8+8 16+4 20+4 max 128,1,1
// LIST-DAG: limited{{.*}}parameters 0+16 16+1 24+8{{.*}}maxregisters 24
// LIST-DAG: inCallee{{.*}}shared 256
// LIST-DAG: dynamicOnly{{.*}}shared 0
