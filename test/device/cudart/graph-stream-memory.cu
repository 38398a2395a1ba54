// Stream-ordered memory in a captured graph is there in every launch of it; batches of copies work.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void square(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x] * from[threadIdx.x];
}

int main() {
  cudaStream_t stream;
  CHECK_OK(cudaStreamCreate(&stream));
  int *in, *out, *scratch;
  CHECK_OK(cudaMallocManaged(&in, 32 * sizeof(int)));
  CHECK_OK(cudaMallocManaged(&out, 32 * sizeof(int)));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_OK(cudaMallocAsync(&scratch, 32 * sizeof(int), stream));
  square<<<1, 32, 0, stream>>>(in, scratch);
  square<<<1, 32, 0, stream>>>(scratch, out);
  CHECK_OK(cudaFreeAsync(scratch, stream));
  CHECK_OK(cudaStreamEndCapture(stream, &graph));
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 1; round < 4; ++round) {
    for (int i = 0; i < 32; ++i)
      in[i] = i % 5 + round;
    CHECK_OK(cudaGraphLaunch(executable, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; ++i)
      CHECK_IS(out[i], in[i] * in[i] * in[i] * in[i]);
  }

  int host[2] = {7, 9};
  void* to[] = {in, in + 1};
  const void* from[] = {&host[1], &host[0]};
  size_t bytes[] = {sizeof(int), sizeof(int)}, first = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK_OK(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, stream));
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK_IS(in[0] * 10 + in[1], 97);
}
