// The twin has the launch parameters in front, the kernel's attributes, and the worker's loop.
// RUN: %gpusched-opt --persist %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --persist %s | %reparse
// CHECK: __global__ void __launch_bounds__ ( 64 ) add__gs(const ::gpusched_params gpusched_launch, float * a , int n) { ::gpusched::AheadWorker gpusched_worker(gpusched_launch); if (::gpusched::never()) goto gpusched_after; if (gpusched_worker.more()) do { gpusched_worker.begin(); add__gs_body(gpusched_worker.block(), gpusched_worker.grid(), a, n); gpusched_after: gpusched_worker.advance(); } while (gpusched_worker.more()); gpusched_worker.end(); }{{$}}
__global__ void __launch_bounds__(64) add(float* a, int n) { a[blockIdx.x] += n; }
