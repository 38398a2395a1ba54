// Pitched and three-dimensional copies and fills touch exactly their boxes.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

int main() {
  unsigned char host[4][6][8], back[4][6][8];
  for (int i = 0; i < int(sizeof host); ++i)
    (&host[0][0][0])[i] = (unsigned char)i;
  cudaExtent whole = make_cudaExtent(8, 6, 4);
  cudaPitchedPtr device;
  CHECK_OK(cudaMalloc3D(&device, whole));
  CHECK_TRUE(device.pitch >= 8);
  CHECK_OK(cudaMemset3D(device, 0xEE, whole));

  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host, 8, 8, 6);
  in.dstPtr = device;
  in.srcPos = make_cudaPos(1, 2, 1);
  in.dstPos = make_cudaPos(3, 1, 2);
  in.extent = make_cudaExtent(4, 3, 2);
  in.kind = cudaMemcpyHostToDevice;
  CHECK_OK(cudaMemcpy3D(&in));

  cudaMemcpy3DParms out = {};
  out.srcPtr = device;
  out.dstPtr = make_cudaPitchedPtr(back, 8, 8, 6);
  out.extent = whole;
  out.kind = cudaMemcpyDeviceToHost;
  CHECK_OK(cudaMemcpy3D(&out));
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 8; ++x) {
        bool inside = x >= 3 && x < 7 && y >= 1 && y < 4 && z >= 2;
        CHECK_IS(int(back[z][y][x]), inside ? int(host[z - 1][y + 1][x - 2]) : 0xEE);
      }

  CHECK_OK(cudaMemset2D(device.ptr, device.pitch, 7, 2, 2));
  CHECK_OK(cudaMemcpy2D(back, 8, device.ptr, device.pitch, 8, 3, cudaMemcpyDeviceToHost));
  CHECK_IS(int(back[0][1][1]), 7);
  CHECK_IS(int(back[0][1][2]), 0xEE);
  CHECK_IS(int(back[0][2][0]), 0xEE);
  CHECK_IS(cudaMemcpy2D(back, 4, device.ptr, device.pitch, 8, 3, cudaMemcpyDeviceToHost),
           cudaErrorInvalidPitchValue);
}
