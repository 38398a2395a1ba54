// cuda12_program - calls what CUDA 12 declares otherwise than CUDA 13; compiled with 12's headers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

static_assert(CUDART_VERSION >= 12000 && CUDART_VERSION < 13000);

static int failures = 0;
static void check(bool ok, const char* what) {
  failures += !ok;
  if (!ok)
    std::printf("wrong: %s\n", what);
}

/// A struct and what must stay as it is behind it.
template <class T> struct Guarded {
  Guarded() { std::memset(guard, 0x5a, sizeof(guard)); }
  bool isWhole() const {
    for (const unsigned char byte : guard)
      if (byte != 0x5a)
        return false;
    return true;
  }
  T value;
  unsigned char guard[256];
};

static int attribute(cudaDeviceAttr which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

static void properties() {
  Guarded<cudaDeviceProp> got;
  const cudaDeviceProp& all = got.value;
  check(cudaGetDeviceProperties(&got.value, 0) == cudaSuccess && got.isWhole(), "properties");
  check(std::strstr(all.name, "H200") != nullptr, "name");
  check(all.maxThreadsPerBlock == 1024 && all.maxGridSize[0] == 2147483647, "maxGridSize");
  check(all.clockRate == attribute(cudaDevAttrClockRate) && all.clockRate > 0, "clockRate");
  check(all.totalConstMem == 65536 && all.major == 9 && all.texturePitchAlignment == 32, "major");
  check(all.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount), "SMs");
  check(all.canMapHostMemory == 1 && all.deviceOverlap == 1, "canMapHostMemory");
  check(all.maxTexture1D == 131072 && all.maxTexture2D[1] == 65536, "textures");
  check(all.surfaceAlignment == 512 && all.concurrentKernels == 1, "surfaceAlignment");
  check(all.unifiedAddressing == 1 && all.pciBusID == 1, "unifiedAddressing");
  check(all.memoryClockRate == attribute(cudaDevAttrMemoryClockRate), "memoryClockRate");
  check(all.l2CacheSize == attribute(cudaDevAttrL2CacheSize), "l2CacheSize");
  check(all.localL1CacheSupported == 1 && all.managedMemory == 1, "managedMemory");
  check(all.sharedMemPerMultiprocessor ==
            size_t(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)),
        "sharedMemPerMultiprocessor");
  check(all.singleToDoublePrecisionPerfRatio == 2, "singleToDoublePrecisionPerfRatio");
  check(all.concurrentManagedAccess == 1 && all.cooperativeLaunch == 1, "cooperativeLaunch");
  check(all.sharedMemPerBlockOptin == size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
        "sharedMemPerBlockOptin");
  check(all.maxBlocksPerMultiProcessor == 32 && all.reservedSharedMemPerBlock == 1024,
        "maxBlocksPerMultiProcessor");
  check(all.memoryPoolsSupported == 1 && all.clusterLaunch == 1, "clusterLaunch");
  check(all.unifiedFunctionPointers == 1, "unifiedFunctionPointers");
}

static void memory() {
  void* managed = nullptr;
  cudaMallocManaged(&managed, 4096);
  check(cudaMemPrefetchAsync(managed, 4096, 0, nullptr) == cudaSuccess, "prefetch");
  check(cudaMemPrefetchAsync(managed, 4096, cudaCpuDeviceId, nullptr) == cudaSuccess, "to host");
  check(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, 0) == cudaSuccess, "advice");
  cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  check(cudaMemPrefetchAsync_v2(managed, 4096, device, 0, nullptr) == cudaSuccess, "prefetch 2");
  Guarded<cudaPointerAttributes> of;
  check(cudaPointerGetAttributes(&of.value, managed) == cudaSuccess && of.isWhole() &&
            of.value.type == cudaMemoryTypeManaged && of.value.devicePointer == managed,
        "pointer");
  check(cudaThreadSynchronize() == cudaSuccess, "cudaThreadSynchronize");
}

static void batches() {
  int from[2] = {3, 5}, back[2] = {};
  void* device = nullptr;
  cudaMalloc(&device, sizeof(from));
  void *to[] = {device, static_cast<int*>(device) + 1}, *of[] = {from, from + 1};
  size_t bytes[] = {sizeof(int), sizeof(int)}, first = 0, failed = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  check(cudaMemcpyBatchAsync(to, of, bytes, 2, &attributes, &first, 1, &failed, stream) ==
            cudaSuccess,
        "batch");
  cudaMemcpyAsync(back, device, sizeof(back), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  check(failed == SIZE_MAX && back[0] == 3 && back[1] == 5, "copies of the batch");
}

static void textures() {
  void* line = nullptr;
  cudaMalloc(&line, 1024);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {line, cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat), 1024};
  cudaTextureDesc texture = {};
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &resource, &texture, nullptr) == cudaSuccess, "texture");
  Guarded<cudaResourceDesc> asked;
  check(cudaGetTextureObjectResourceDesc(&asked.value, object) == cudaSuccess && asked.isWhole() &&
            asked.value.res.linear.devPtr == line,
        "resource");
}

static void graphs() {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t nodes[3] = {}, other = nullptr, from[4] = {}, to[4] = {};
  cudaGraphCreate(&graph, 0);
  for (cudaGraphNode_t& node : nodes)
    cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  check(cudaGraphAddDependencies(graph, nodes, nodes + 1, 2) == cudaSuccess, "add");
  size_t count = 4;
  check(cudaGraphGetEdges(graph, from, to, &count) == cudaSuccess && count == 2, "edges");
  count = 4;
  check(cudaGraphNodeGetDependencies(nodes[1], from, &count) == cudaSuccess && count == 1 &&
            from[0] == nodes[0],
        "dependencies");
  count = 4;
  check(cudaGraphNodeGetDependentNodes_v2(nodes[1], to, nullptr, &count) == cudaSuccess &&
            count == 1 && to[0] == nodes[2],
        "dependents");
  check(cudaGraphRemoveDependencies(graph, nodes + 1, nodes + 2, 1) == cudaSuccess, "remove");
  cudaGraphNodeParams empty = {};
  empty.type = cudaGraphNodeTypeEmpty;
  check(cudaGraphAddNode(&other, graph, nodes, 2, &empty) == cudaSuccess, "node");
  count = 0;
  check(cudaGraphNodeGetDependencies(other, nullptr, &count) == cudaSuccess && count == 2, "two");
}

static void captures() {
  cudaStream_t stream = nullptr;
  void* bytes = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&bytes, 64);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaMemsetAsync(bytes, 0, 64, stream);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* dependencies = nullptr;
  size_t count = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, &count) ==
                cudaSuccess &&
            status == cudaStreamCaptureStatusActive && graph && count == 1,
        "capture");
  check(cudaStreamUpdateCaptureDependencies(stream, nullptr, 0,
                                            cudaStreamSetCaptureDependencies) == cudaSuccess,
        "update");
  check(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, &count) ==
                cudaSuccess &&
            count == 0,
        "updated");
}

static void version() {
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime) == cudaSuccess && runtime / 1000 == 12, "version");
}

int main() {
  version();
  properties();
  memory();
  batches();
  textures();
  graphs();
  captures();
  std::printf("%d wrong\n", failures);
  return failures != 0;
}
