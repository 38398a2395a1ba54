// A kernel of a header that the command line includes is named, one of a compiler's header is not.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %S/../Inputs/library/LibraryKernel.cuh %t.lib
// RUN: %gpusched-opt --explain %s -- -isystem %t.lib -include %S/../Inputs/kernel.cuh \
// RUN:   2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <LibraryKernel.cuh>
// CHECK-NOT: remark
// CHECK: kernel.cuh:3:24: remark: kernel 'inHeader' kept native: [GS003] {{.*}}kernel.cuh' is included by an option
// CHECK-NOT: remark
