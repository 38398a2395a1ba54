// Lambdas with a default capture see the parameters; grid constants are passed by reference.
// RUN: %gpusched-opt --outline %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
struct Big { int values[64]; };
// CHECK: void capture__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* out, const  Big &big) {
__global__ void capture(int* out, const __grid_constant__ Big big) {
  auto index = [=] { return blockIdx.x * gridDim.x; };
  auto add = [&](int value) { out[blockIdx.x] += value + big.values[threadIdx.x % 64]; };
  add(index());
}
// CHECK: } __global__ void capture(int * out , const __grid_constant__ Big big) {
// Initialisers of captures stand outside of the lambda.
// CHECK: void initialised__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim,
__global__ void initialised(int* out) { *out = [n = blockIdx.x, &out] { return n + *out; }(); }

int main() { capture<<<1, 1>>>(nullptr, Big()); }
