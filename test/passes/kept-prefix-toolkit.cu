// A toolkit that is installed again in its place: its headers' kept parse is made anew.
// RUN: rm -rf %t && mkdir -p %t/bin %t/include %t/cache && ln -s %cuda/include/* %t/include/
// RUN: rm %t/include/vector_types.h && cp %cuda/include/vector_types.h %t/include/
// RUN: %gpusched-opt --cuda=%t --cache=%t/cache %s > %t/plain
// RUN: %gpusched-opt --cuda=%t --cache=%t/cache %s > %t/kept && ls %t/cache | grep pch
// RUN: touch -d "2 days ago" %t/include/vector_types.h
// RUN: %gpusched-opt --explain --cuda=%t --cache=%t/cache %s > %t/after 2> %t/said && count 0 < %t/said
// RUN: grep -c k__gs %t/after && cmp %t/plain %t/kept && cmp %t/plain %t/after
// RUN: ls %t/cache | not grep pch
// RUN: %gpusched-opt --cuda=%t --cache=%t/cache %s | cmp - %t/plain && ls %t/cache | grep pch
__global__ void k(float4* p) { p[blockIdx.x].x = 1; }
