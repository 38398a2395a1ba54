// A program linked with libcuda.so.1 runs: modules from PTX, fat binaries and files, both ways of
// passing arguments, contexts, arrays and textures of the driver API.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=compute_90 -fatbin -DDEVICE %s -o %t.fatbin
// RUN: rm -rf %t.stub && mkdir %t.stub
// RUN: %nvcc -x c++ -DSTUB -shared -cudart none %s -o %t.stub/libcuda.so \
// RUN:   -Xlinker -soname=libcuda.so.1
// RUN: %nvcc -arch=sm_90 %s -o %t -L%t.stub -lcuda
// RUN: readelf -d %t | FileCheck %s --check-prefix=NEEDED
// NEEDED: NEEDED{{.*}}[libcuda.so.1]
// RUN: %gpusched run --device=cpu -- %t %t.ptx
// RUN: %gpusched run --device=cpu -- %t %t.fatbin
#ifdef DEVICE
__device__ int offset = 5;
extern "C" __global__ void scale(int* data, int factor, short shift) {
  data[threadIdx.x] = data[threadIdx.x] * factor + shift + offset;
}
extern "C" __global__ void read(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}
#elif defined(STUB) // the toolkit's libcuda.so, which one links with where no driver is
// clang-format off
extern "C" {
void cuArrayCreate_v2() {}      void cuArrayDestroy() {}       void cuCtxCreate_v4() {}
void cuCtxDestroy_v2() {}       void cuCtxGetCurrent() {}      void cuInit() {}
void cuLaunchKernel() {}        void cuMemAlloc_v2() {}        void cuMemFree_v2() {}
void cuMemcpy2D_v2() {}         void cuMemcpyDtoH_v2() {}      void cuMemcpyHtoD_v2() {}
void cuMemsetD32_v2() {}        void cuModuleGetFunction() {}  void cuModuleGetGlobal_v2() {}
void cuModuleLoad() {}          void cuModuleUnload() {}       void cuTexObjectCreate() {}
void cuTexObjectDestroy() {}
}
// clang-format on
#else
#include "Inputs/Check.h"

#include <cuda.h>

static void checkArguments(CUmodule module) {
  CUfunction scale;
  CHECK_IS(cuModuleGetFunction(&scale, module, "missing"), CUDA_ERROR_NOT_FOUND);
  CHECK_IS(cuModuleGetFunction(&scale, module, "scale"), CUDA_SUCCESS);
  int host[32];
  for (int i = 0; i < 32; ++i)
    host[i] = i;
  CUdeviceptr data, offset;
  size_t bytes;
  CHECK_IS(cuMemAlloc(&data, sizeof host), CUDA_SUCCESS);
  CHECK_IS(cuMemcpyHtoD(data, host, sizeof host), CUDA_SUCCESS);
  CHECK_IS(cuModuleGetGlobal(&offset, &bytes, module, "offset"), CUDA_SUCCESS);
  CHECK_IS(bytes, sizeof(int));
  int factor = 3;
  short shift = 4;
  void* arguments[] = {&data, &factor, &shift};
  CHECK_IS(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  CHECK_IS(cuMemsetD32(offset, 0, 1), CUDA_SUCCESS);
  struct {
    CUdeviceptr data;
    int factor;
    short shift;
  } packed = {data, 2, 1};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CHECK_IS(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  CHECK_IS(cuMemcpyDtoH(host, data, sizeof host), CUDA_SUCCESS);
  for (int i = 0; i < 32; ++i)
    CHECK_IS(host[i], (i * 3 + 9) * 2 + 1);
  CHECK_IS(cuMemFree(data), CUDA_SUCCESS);
}

static void checkTexture(CUmodule module) {
  CUfunction read;
  CHECK_IS(cuModuleGetFunction(&read, module, "read"), CUDA_SUCCESS);
  unsigned char texels[2][4] = {{1, 2, 3, 4}, {0, 51, 102, 255}};
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR shape = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CHECK_IS(cuArrayCreate(&array, &shape), CUDA_SUCCESS);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.srcPitch = copy.WidthInBytes = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = 2;
  CHECK_IS(cuMemcpy2D(&copy), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how = {};
  CUtexObject texture;
  CHECK_IS(cuTexObjectCreate(&texture, &resource, &how, nullptr), CUDA_SUCCESS);
  CUdeviceptr out;
  float back[4];
  CHECK_IS(cuMemAlloc(&out, sizeof back), CUDA_SUCCESS);
  void* arguments[] = {&texture, &out};
  CHECK_IS(cuLaunchKernel(read, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  CHECK_IS(cuMemcpyDtoH(back, out, sizeof back), CUDA_SUCCESS);
  for (int i = 0; i < 4; ++i)
    CHECK_IS(back[i], texels[1][i] / 255.0f);
  CHECK_IS(cuTexObjectDestroy(texture), CUDA_SUCCESS);
  CHECK_IS(cuArrayDestroy(array), CUDA_SUCCESS);
}

int main(int, char** arguments) {
  CUcontext context, current;
  CHECK_IS(cuInit(0), CUDA_SUCCESS);
  CHECK_IS(cuCtxCreate(&context, nullptr, 0, 0), CUDA_SUCCESS);
  CHECK_IS(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  CHECK_TRUE(current == context);
  CUmodule module;
  CHECK_IS(cuModuleLoad(&module, "/nowhere"), CUDA_ERROR_FILE_NOT_FOUND);
  CHECK_IS(cuModuleLoad(&module, arguments[1]), CUDA_SUCCESS);
  checkArguments(module);
  checkTexture(module);
  CHECK_IS(cuModuleUnload(module), CUDA_SUCCESS);
  CHECK_IS(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  CHECK_IS(cuCtxDestroy(context), CUDA_SUCCESS);
}
#endif
