// The twin has the launch parameters in front, the kernel's attributes, and the worker's loop.
// RUN: %gpusched-opt --persist %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --persist %s | %reparse
// CHECK: __global__ void __launch_bounds__ ( 64 ) add__gs(const ::gpusched_params gpusched_launch, float * a , int n) { for (::gpusched::BatchWorker gpusched_worker(gpusched_launch); gpusched_worker.more(); gpusched_worker.advance()) add__gs_body(gpusched_worker.block(), gpusched_worker.grid(), a, n); }{{$}}
__global__ void __launch_bounds__(64) add(float* a, int n) { a[blockIdx.x] += n; }
