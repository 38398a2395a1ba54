// DriverTensorMap.cpp - cuTensorMapEncodeTiled and cuTensorMapReplaceAddress.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits are those that cuda.h documents. Not there: interleaved layouts, 4- and 6-bit
// elements, NaN in place of what is outside, im2col, and the swizzles of sm_100.
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/device/cpu/engine/TensorMap.h"
#include "rt/support/Log.h"

#include <cstring>
#include <optional>

using namespace gpusched::cudart;
using gpusched::cpu::TensorMap;
namespace ptx = gpusched::ptx;

namespace {

constexpr uint64_t kUnit = 16; // of addresses

struct Element {
  unsigned bytes;
  ptx::Type type; // of reductions
};

std::optional<Element> element(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return Element{1, ptx::Type::B8};
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    return Element{2, ptx::Type::U16};
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    return Element{4, ptx::Type::U32};
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
    return Element{4, ptx::Type::S32};
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    return Element{8, ptx::Type::U64};
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
    return Element{8, ptx::Type::S64};
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    return Element{2, ptx::Type::F16};
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return Element{2, ptx::Type::BF16};
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
    return Element{4, ptx::Type::F32};
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return Element{8, ptx::Type::F64};
  default:
    return {};
  }
}

CUresult missing(const char* what) {
  gpusched::log(gpusched::LogLevel::Error,
                "cuTensorMapEncodeTiled: %s is not implemented on the cpu device", what);
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace

GPUSCHED_DRIVER cuTensorMapEncodeTiled(CUtensorMap* out, CUtensorMapDataType type, cuuint32_t rank,
                                       void* address, const cuuint64_t* sizes,
                                       const cuuint64_t* strides, const cuuint32_t* box,
                                       const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                       CUtensorMapFloatOOBfill fill) {
  const std::optional<Element> held = element(type);
  if (!held)
    return missing("an element of 4 or 6 bits");
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
    return missing("an interleaved layout");
  if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return missing("a swizzle with wider atoms");
  if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    return missing("NaN for elements outside the tensor");
  if (!out || rank > TensorMap::kMostDimensions || !sizes || !box || !steps ||
      (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  map.mark = TensorMap::kMark;
  map.address = reinterpret_cast<uint64_t>(address);
  map.strides[0] = held->bytes;
  map.type = held->type;
  map.dimensions = static_cast<uint8_t>(rank);
  map.swizzleBits = static_cast<uint8_t>(swizzle);
  for (unsigned d = 0; d < rank; ++d) {
    map.sizes[d] = sizes[d];
    map.setBox(d, box[d]);
    map.setStep(d, steps[d]);
    if (d)
      map.strides[d] = strides[d - 1];
  }
  if (!map.valid())
    return CUDA_ERROR_INVALID_VALUE;
  std::memset(out, 0, sizeof *out);
  std::memcpy(out, &map, sizeof map);
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuTensorMapReplaceAddress(CUtensorMap* out, void* address) {
  TensorMap map;
  if (!out || !address || reinterpret_cast<uint64_t>(address) % kUnit)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(static_cast<void*>(&map), out, sizeof map);
  if (map.mark != TensorMap::kMark)
    return CUDA_ERROR_INVALID_VALUE;
  map.address = reinterpret_cast<uint64_t>(address);
  std::memcpy(out, &map, sizeof map);
  return CUDA_SUCCESS;
}
