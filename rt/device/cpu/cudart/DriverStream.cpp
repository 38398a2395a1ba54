// DriverStream.cpp - driver functions: streams, events, waiting for and writing words.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/DriverCall.h"

#include <atomic>
#include <type_traits>

using namespace gpusched::cudart;

GPUSCHED_DRIVER cuStreamCreate(CUstream* stream, unsigned flags) {
  return driverResult(cudaStreamCreateWithFlags(stream, flags));
}

GPUSCHED_DRIVER cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return driverResult(cudaStreamCreateWithPriority(stream, flags, priority));
}

GPUSCHED_DRIVER cuStreamDestroy(CUstream stream) {
  return driverResult(cudaStreamDestroy(stream));
}

GPUSCHED_DRIVER cuStreamSynchronize(CUstream stream) {
  return driverResult(cudaStreamSynchronize(stream));
}

GPUSCHED_DRIVER cuStreamQuery(CUstream stream) {
  return driverResult(cudaStreamQuery(stream));
}

GPUSCHED_DRIVER cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return driverResult(cudaStreamGetFlags(stream, flags));
}

GPUSCHED_DRIVER cuStreamGetPriority(CUstream stream, int* priority) {
  return driverResult(cudaStreamGetPriority(stream, priority));
}

GPUSCHED_DRIVER cuStreamGetId(CUstream stream, unsigned long long* id) {
  return driverResult(cudaStreamGetId(stream, id));
}

GPUSCHED_DRIVER cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return driverResult(cudaStreamGetDevice(stream, device));
}

GPUSCHED_DRIVER cuStreamGetCtx(CUstream stream, CUcontext* context) {
  int device = 0;
  const cudaError_t error = cudaStreamGetDevice(stream, &device);
  return error == cudaSuccess ? cuCtxGetCurrent(context) : driverResult(error);
}

/// There are no green contexts.
GPUSCHED_DRIVER cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green)
    *green = nullptr;
  return cuStreamGetCtx(stream, context);
}

GPUSCHED_DRIVER cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                       unsigned flags) {
  return driverResult(cudaStreamAttachMemAsync(stream, hostPointer(address), bytes, flags));
}

GPUSCHED_DRIVER cuStreamCopyAttributes(CUstream to, CUstream from) {
  return driverResult(cudaStreamCopyAttributes(to, from));
}

GPUSCHED_DRIVER cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return driverResult(cudaStreamWaitEvent(stream, event, flags));
}

GPUSCHED_DRIVER cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                                    unsigned flags) {
  return driverResult(
      cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags));
}

GPUSCHED_DRIVER cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return driverResult(cudaLaunchHostFunc(stream, function, data));
}

GPUSCHED_DRIVER cuEventCreate(CUevent* event, unsigned flags) {
  return driverResult(cudaEventCreateWithFlags(event, flags));
}

GPUSCHED_DRIVER cuEventDestroy(CUevent event) {
  return driverResult(cudaEventDestroy(event));
}

GPUSCHED_DRIVER cuEventRecord(CUevent event, CUstream stream) {
  return driverResult(cudaEventRecord(event, stream));
}

GPUSCHED_DRIVER cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return driverResult(cudaEventRecordWithFlags(event, stream, flags));
}

GPUSCHED_DRIVER cuEventQuery(CUevent event) {
  return driverResult(cudaEventQuery(event));
}

GPUSCHED_DRIVER cuEventSynchronize(CUevent event) {
  return driverResult(cudaEventSynchronize(event));
}

GPUSCHED_DRIVER cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return driverResult(cudaEventElapsedTime(milliseconds, from, to));
}

template <class Word> static bool holds(Word now, Word value, unsigned condition) {
  using Signed = std::make_signed_t<Word>;
  switch (condition) {
  case CU_STREAM_WAIT_VALUE_EQ:
    return now == value;
  case CU_STREAM_WAIT_VALUE_AND:
    return (now & value) != 0;
  case CU_STREAM_WAIT_VALUE_NOR:
    return Word(~(now | value)) != 0;
  default:
    return Signed(now - value) >= 0;
  }
}

template <class Word>
static CUresult waitValue(const char* function, CUstream handle, CUdeviceptr address, Word value,
                          unsigned flags) {
  return driverResult(streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (!address || address % sizeof(Word) != 0)
      return cudaErrorInvalidValue;
    unsigned condition = flags & 3;
    OperationRef operation = makeOperation(Operation::Kind::ValueWait);
    operation->satisfied = [word = static_cast<Word*>(hostPointer(address)), value, condition] {
      return holds(std::atomic_ref<Word>(*word).load(std::memory_order_acquire), value, condition);
    };
    runtime.streams.append(stream, operation);
    return cudaSuccess;
  }));
}

template <class Word>
static CUresult writeValue(const char* function, CUstream handle, CUdeviceptr address, Word value) {
  return driverResult(streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (!address || address % sizeof(Word) != 0)
      return cudaErrorInvalidValue;
    Word* word = static_cast<Word*>(hostPointer(address));
    runtime.streams.append(stream, makeOperation(Operation::Kind::Copy, [word, value] {
                             std::atomic_ref<Word>(*word).store(value, std::memory_order_release);
                           }));
    return cudaSuccess;
  }));
}

GPUSCHED_DRIVER cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                    unsigned flags) {
  return waitValue<uint32_t>("cuStreamWaitValue32", stream, address, value, flags);
}

GPUSCHED_DRIVER cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                    unsigned flags) {
  return waitValue<uint64_t>("cuStreamWaitValue64", stream, address, value, flags);
}

GPUSCHED_DRIVER cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                     unsigned) {
  return writeValue<uint32_t>("cuStreamWriteValue32", stream, address, value);
}

GPUSCHED_DRIVER cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                     unsigned) {
  return writeValue<uint64_t>("cuStreamWriteValue64", stream, address, value);
}
