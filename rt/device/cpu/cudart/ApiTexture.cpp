// ApiTexture.cpp - texture and surface objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Destroying an object waits for the device: a queued kernel may use it.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/CurrentDevice.h"

using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle,
                                                 const cudaResourceDesc* resource,
                                                 const cudaTextureDesc* texture,
                                                 const cudaResourceViewDesc* view) {
  return apiCall("cudaCreateTextureObject", [&](Runtime& runtime) {
    if (!handle || !resource || !texture)
      return cudaErrorInvalidValue;
    ImageDescription description;
    description.resource = *resource;
    description.texture = *texture;
    description.isTexture = true;
    description.hasView = view != nullptr;
    if (view)
      description.view = *view;
    return runtime.images.createTexture(description, *handle);
  });
}

GPUSCHED_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle,
                                                 const cudaResourceDesc* resource) {
  return apiCall("cudaCreateSurfaceObject", [&](Runtime& runtime) {
    return handle && resource ? runtime.images.createSurface(*resource, *handle)
                              : cudaErrorInvalidValue;
  });
}

static cudaError_t destroyImage(const char* function, unsigned long long handle) {
  return apiCall(function, [&](Runtime& runtime) {
    cudaError_t error = runtime.synchronizeDevice();
    // Object 0 is "none", as a null pointer is to free().
    return handle == 0 || runtime.images.destroy(handle) ? error : cudaErrorInvalidValue;
  });
}

GPUSCHED_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return destroyImage("cudaDestroyTextureObject", handle);
}

GPUSCHED_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return destroyImage("cudaDestroySurfaceObject", handle);
}

/// Copies one part of what the object was made from.
template <class Part, class Take>
static cudaError_t askImage(const char* function, Part* part, unsigned long long handle,
                            bool isTexture, Take&& take) {
  return apiCall(function, [&](Runtime& runtime) {
    std::optional<ImageDescription> found = runtime.images.find(handle);
    if (!part || !found || found->isTexture != isTexture)
      return cudaErrorInvalidValue;
    return take(*found);
  });
}

GPUSCHED_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                                          cudaTextureObject_t handle) {
  return askImage("cudaGetTextureObjectResourceDesc", resource, handle, true,
                  [&](const ImageDescription& found) {
                    *resource = found.resource;
                    return cudaSuccess;
                  });
}

GPUSCHED_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture,
                                                         cudaTextureObject_t handle) {
  return askImage("cudaGetTextureObjectTextureDesc", texture, handle, true,
                  [&](const ImageDescription& found) {
                    *texture = found.texture;
                    return cudaSuccess;
                  });
}

GPUSCHED_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                              cudaTextureObject_t handle) {
  return askImage("cudaGetTextureObjectResourceViewDesc", view, handle, true,
                  [&](const ImageDescription& found) {
                    *view = found.view;
                    return found.hasView ? cudaSuccess : cudaErrorInvalidValue;
                  });
}

GPUSCHED_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                                          cudaSurfaceObject_t handle) {
  return askImage("cudaGetSurfaceObjectResourceDesc", resource, handle, false,
                  [&](const ImageDescription& found) {
                    *resource = found.resource;
                    return cudaSuccess;
                  });
}

/// All of memory can be a linear texture, up to the limit of the texel index.
GPUSCHED_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* texels,
                                                              const cudaChannelFormatDesc* desc,
                                                              int device) {
  return apiCall("cudaDeviceGetTexture1DLinearMaxWidth", [&](Runtime& runtime) {
    if (!isDevice(device))
      return cudaErrorInvalidDevice;
    if (!texels || !desc)
      return cudaErrorInvalidValue;
    std::optional<ImageFormat> format = imageFormat(*desc);
    if (!format)
      return cudaErrorInvalidChannelDescriptor;
    *texels =
        std::min<size_t>(size_t(1) << 28, runtime.memory().capacity() / format->texel.bytes());
    return cudaSuccess;
  });
}
