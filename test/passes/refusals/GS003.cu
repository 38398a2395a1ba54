// A kernel of a header that the command line includes is named, one of a system header is not.
// RUN: %gpusched-opt --explain %s -- -isystem %S/../Inputs/library -include %S/../Inputs/kernel.cuh \
// RUN:   2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <LibraryKernel.cuh>
// CHECK-NOT: remark
// CHECK: kernel.cuh:3:24: remark: kernel 'inHeader' kept native: [GS003] {{.*}}kernel.cuh' is included by an option
// CHECK-NOT: remark
