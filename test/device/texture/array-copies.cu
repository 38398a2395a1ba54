// Copies into, out of and between arrays touch exactly their boxes.
// RUN: %nvcc -arch=sm_90 -Wno-deprecated-declarations %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

#include <cstring>

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  cudaArray_t one, two, volume;
  CHECK_OK(cudaMallocArray(&one, &format, 6, 4));
  CHECK_OK(cudaMallocArray(&two, &format, 6, 4));
  short host[4][6], back[4][6];
  for (int i = 0; i < 24; ++i)
    host[i / 6][i % 6] = short(i);
  CHECK_OK(cudaMemcpy2DToArray(one, 0, 0, host, 12, 12, 4, cudaMemcpyHostToDevice));
  std::memset(back, 0xFF, sizeof back);
  CHECK_OK(cudaMemcpy2DToArray(two, 0, 0, back, 12, 12, 4, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpy2DArrayToArray(two, 4, 1, one, 2, 2, 6, 2));
  CHECK_OK(cudaMemcpy2DFromArray(back, 12, two, 0, 0, 12, 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x)
      CHECK_IS(back[y][x], x >= 2 && x < 5 && (y == 1 || y == 2) ? (y + 1) * 6 + x - 1 : -1);
  CHECK_IS(cudaMemcpy2DToArray(one, 2, 0, host, 12, 12, 4, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);

  // The line copies go from row to row.
  CHECK_OK(cudaMemcpyFromArray(back, one, 8, 1, 16, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; ++i)
    CHECK_IS(back[i / 6][i % 6], 10 + i);

  // Three dimensions count texels, in a stream and in a graph.
  CHECK_OK(cudaMalloc3DArray(&volume, &format, make_cudaExtent(6, 2, 2)));
  cudaMemcpy3DParms in = {}, out = {};
  in.srcPtr = make_cudaPitchedPtr(host, 12, 6, 2);
  in.dstArray = volume;
  in.extent = make_cudaExtent(6, 2, 2);
  in.kind = cudaMemcpyHostToDevice;
  out.srcArray = volume;
  out.srcPos = make_cudaPos(2, 1, 0);
  out.dstPtr = make_cudaPitchedPtr(back, 12, 6, 1);
  out.dstPos = make_cudaPos(2, 0, 0);
  out.extent = make_cudaExtent(3, 1, 2);
  out.kind = cudaMemcpyDeviceToHost;
  CHECK_OK(cudaMemcpy3DAsync(&in, cudaStreamPerThread));
  CHECK_OK(cudaStreamSynchronize(cudaStreamPerThread));
  std::memset(back, 0, sizeof back);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  CHECK_OK(cudaGraphCreate(&graph, 0));
  CHECK_OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &out));
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_OK(cudaGraphLaunch(executable, 0));
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(back[0][0], 0);
  for (int i = 0; i < 6; ++i)
    CHECK_IS(back[i / 3][1 + i % 3], 6 + 12 * (i / 3) + 2 + i % 3);
  CHECK_OK(cudaFreeArray(volume));
  CHECK_IS(cudaFreeArray(volume), cudaErrorInvalidValue);
}
