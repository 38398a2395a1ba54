// DriverCudart.cpp - one function per entry of the table, for each kind of default stream.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/modules/DriverCudart.h"

#include "rt/launch/Cudart.h"

namespace gpusched::modules {
namespace {

CUfunction functionOf(const void* function) {
  return static_cast<CUfunction>(const_cast<void*>(function));
}

CUstream streamOf(void* stream) {
  return static_cast<CUstream>(stream);
}

CUevent eventOf(void* event) {
  return static_cast<CUevent>(event);
}

CUdeviceptr addressOf(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

int noError() {
  return CUDA_SUCCESS;
}

template <DefaultStream kind> struct Table {
  static const ModuleDriver& api() { return *driver(kind); }

  static int launchKernel(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                          void** arguments, size_t sharedBytes, void* stream) {
    return api().cuLaunchKernel(functionOf(function), grid.x, grid.y, grid.z, block.x, block.y,
                                block.z, unsigned(sharedBytes), streamOf(stream), arguments,
                                nullptr);
  }
  static int getDevice(int* device) { return api().cuCtxGetDevice(device); }
  static int deviceGetAttribute(int* value, int attribute, int ordinal) {
    CUdevice device = 0;
    const CUresult result = api().cuDeviceGet(&device, ordinal);
    return result == CUDA_SUCCESS
               ? api().cuDeviceGetAttribute(value, CUdevice_attribute(attribute), device)
               : result;
  }
  static int funcGetAttributes(void* attributes, const void* function) {
    cudart::FunctionAttributes& all = *static_cast<cudart::FunctionAttributes*>(attributes);
    CUresult result = CUDA_SUCCESS;
    const auto read = [&](CUfunction_attribute attribute) {
      int value = 0;
      const CUresult error = api().cuFuncGetAttribute(&value, attribute, functionOf(function));
      result = result == CUDA_SUCCESS ? error : result;
      return value;
    };
    all.sharedSizeBytes = size_t(read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    all.constSizeBytes = size_t(read(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    all.localSizeBytes = size_t(read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    all.maxThreadsPerBlock = read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    all.numRegs = read(CU_FUNC_ATTRIBUTE_NUM_REGS);
    all.ptxVersion = read(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    all.binaryVersion = read(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    all.maxDynamicSharedSizeBytes = read(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    all.preferredShmemCarveout = read(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return result;
  }
  static int funcSetAttribute(const void* function, int attribute, int value) {
    return api().cuFuncSetAttribute(functionOf(function), CUfunction_attribute(attribute), value);
  }
  static int occupancy(int* blocks, const void* function, int threads, size_t sharedBytes) {
    return api().cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, functionOf(function), threads,
                                                             sharedBytes);
  }
  static int allocate(void** pointer, size_t bytes) {
    CUdeviceptr address = 0;
    const CUresult result = api().cuMemAlloc(&address, bytes);
    *pointer = reinterpret_cast<void*>(address);
    return result;
  }
  static int release(void* pointer) {
    return pointer ? api().cuMemFree(addressOf(pointer)) : CUDA_SUCCESS;
  }
  static int allocateHost(void** pointer, size_t bytes) {
    return api().cuMemAllocHost(pointer, bytes);
  }
  static int releaseHost(void* pointer) { return api().cuMemFreeHost(pointer); }
  static int copyAsync(void* to, const void* from, size_t bytes, int direction, void* stream) {
    if (direction == cudart::kHostToDevice)
      return api().cuMemcpyHtoDAsync(addressOf(to), from, bytes, streamOf(stream));
    if (direction == cudart::kDeviceToHost)
      return api().cuMemcpyDtoHAsync(to, addressOf(from), bytes, streamOf(stream));
    return api().cuMemcpyAsync(addressOf(to), addressOf(from), bytes, streamOf(stream));
  }
  static int setAsync(void* to, int value, size_t bytes, void* stream) {
    return api().cuMemsetD8Async(addressOf(to), static_cast<unsigned char>(value), bytes,
                                 streamOf(stream));
  }
  static int createStream(void** stream, unsigned flags) {
    return api().cuStreamCreate(reinterpret_cast<CUstream*>(stream), flags);
  }
  static int synchronizeStream(void* stream) { return api().cuStreamSynchronize(streamOf(stream)); }
  static int isCapturing(void* stream, int* status) {
    return api().cuStreamIsCapturing(streamOf(stream),
                                     reinterpret_cast<CUstreamCaptureStatus*>(status));
  }
  static int waitEvent(void* stream, void* event, unsigned flags) {
    return api().cuStreamWaitEvent(streamOf(stream), eventOf(event), flags);
  }
  static int createEvent(void** event, unsigned flags) {
    return api().cuEventCreate(reinterpret_cast<CUevent*>(event), flags);
  }
  static int recordEvent(void* event, void* stream) {
    return api().cuEventRecord(eventOf(event), streamOf(stream));
  }
  static int queryEvent(void* event) { return api().cuEventQuery(eventOf(event)); }
  static int destroyEvent(void* event) { return api().cuEventDestroy(eventOf(event)); }
  static int entryPoint(const char* symbol, void** function, unsigned version,
                        unsigned long long flags, int* status) {
    return api().cuGetProcAddress(symbol, function, int(version), flags,
                                  reinterpret_cast<CUdriverProcAddressQueryResult*>(status));
  }
  static int exchangeCaptureMode(int* mode) {
    return api().cuThreadExchangeStreamCaptureMode(reinterpret_cast<CUstreamCaptureMode*>(mode));
  }
  static int elapsedTime(float* milliseconds, void* from, void* to) {
    return api().cuEventElapsedTime(milliseconds, eventOf(from), eventOf(to));
  }
  static int callHost(void* stream, void (*function)(void*), void* data) {
    return api().cuLaunchHostFunc(streamOf(stream), function, data);
  }
  /// The only attribute that the runtime asks for.
  static int launchWithPriority(const void* given, const void* function, void** arguments) {
    const auto& from = *static_cast<const cudart::LaunchConfig*>(given);
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute.value.priority = from.attributes->priority;
    const CUlaunchConfig config = {from.grid.x,
                                   from.grid.y,
                                   from.grid.z,
                                   from.block.x,
                                   from.block.y,
                                   from.block.z,
                                   unsigned(from.sharedBytes),
                                   streamOf(from.stream),
                                   &attribute,
                                   1};
    return api().cuLaunchKernelEx(&config, functionOf(function), arguments, nullptr);
  }
  static int streamPriority(void* stream, int* priority) {
    return api().cuStreamGetPriority(streamOf(stream), priority);
  }
  static int streamPriorityRange(int* least, int* greatest) {
    return api().cuCtxGetStreamPriorityRange(least, greatest);
  }
  static int functionItself(void** handle, const void* function) {
    *handle = functionOf(function);
    return CUDA_SUCCESS;
  }

  static constexpr gpusched_cudart kTable = {sizeof(gpusched_cudart),
                                             launchKernel,
                                             noError,
                                             getDevice,
                                             deviceGetAttribute,
                                             funcGetAttributes,
                                             funcSetAttribute,
                                             occupancy,
                                             allocate,
                                             release,
                                             allocateHost,
                                             releaseHost,
                                             copyAsync,
                                             setAsync,
                                             createStream,
                                             synchronizeStream,
                                             isCapturing,
                                             waitEvent,
                                             createEvent,
                                             recordEvent,
                                             queryEvent,
                                             destroyEvent,
                                             entryPoint,
                                             exchangeCaptureMode,
                                             elapsedTime,
                                             callHost,
                                             functionItself,
                                             noError,
                                             launchWithPriority,
                                             streamPriority,
                                             streamPriorityRange};
};

} // namespace

const gpusched_cudart& driverCudart(DefaultStream kind) {
  return kind == DefaultStream::PerThread ? Table<DefaultStream::PerThread>::kTable
                                          : Table<DefaultStream::Legacy>::kTable;
}

} // namespace gpusched::modules
