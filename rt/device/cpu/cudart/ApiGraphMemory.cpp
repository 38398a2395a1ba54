// ApiGraphMemory.cpp - what a graph owns: allocations and user objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph's allocation has its address when the node is made and keeps it (GraphMemory.h): a free
// node is only a place in the order. Programs that build graphs without end keep that memory.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/CurrentDevice.h"
#include "rt/device/cpu/cudart/GraphHandles.h"
#include "rt/device/cpu/cudart/GraphMemory.h"

#include <atomic>

using namespace gpusched::cudart;

/// A node that does nothing at run time and remembers an address.
static void addMemoryNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                          size_t count, cudaGraphNodeType type, NodeParameters parameters) {
  TaskNode* made = graphOf(graph)->add({}, nodesOf(after, count));
  made->type = type;
  made->parameters = parameters;
  *node = handleOf(made);
}

GPUSCHED_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* after, size_t count,
                                                  cudaMemAllocNodeParams* parameters) {
  return apiCall("cudaGraphAddMemAllocNode", [&](Runtime& runtime) {
    if (!node || !graph || !parameters || parameters->bytesize == 0)
      return cudaErrorInvalidValue;
    parameters->dptr = runtime.memory().allocate(parameters->bytesize);
    if (!parameters->dptr)
      return cudaErrorMemoryAllocation;
    GraphMemory::instance().add(parameters->dptr);
    addMemoryNode(node, graph, after, count, cudaGraphNodeTypeMemAlloc, *parameters);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                        cudaMemAllocNodeParams* parameters) {
  return apiQuery("cudaGraphMemAllocNodeGetParams", [&] {
    const cudaMemAllocNodeParams* known =
        node ? std::get_if<cudaMemAllocNodeParams>(&nodeOf(node)->parameters) : nullptr;
    if (!known || !parameters)
      return cudaErrorInvalidValue;
    *parameters = *known;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* after, size_t count,
                                                 void* pointer) {
  return apiCall("cudaGraphAddMemFreeNode", [&](Runtime& runtime) {
    if (!node || !graph || !runtime.memory().find(pointer))
      return cudaErrorInvalidValue;
    addMemoryNode(node, graph, after, count, cudaGraphNodeTypeMemFree, pointer);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* result) {
  return apiQuery("cudaGraphMemFreeNodeGetParams", [&] {
    void* const* known = node ? std::get_if<void*>(&nodeOf(node)->parameters) : nullptr;
    if (!known || !result)
      return cudaErrorInvalidValue;
    *static_cast<void**>(result) = *known;
    return cudaSuccess;
  });
}

/// Graphs hold no memory that could be given back.
GPUSCHED_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  return isDevice(device) ? cudaSuccess
                          : recordError("cudaDeviceGraphMemTrim", cudaErrorInvalidDevice);
}

GPUSCHED_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType,
                                                        void* value) {
  if (!isDevice(device) || !value)
    return recordError("cudaDeviceGetGraphMemAttribute", cudaErrorInvalidValue);
  *static_cast<uint64_t*>(value) = 0;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType,
                                                        void*) {
  return isDevice(device) ? cudaSuccess
                          : recordError("cudaDeviceSetGraphMemAttribute", cudaErrorInvalidDevice);
}

namespace {
/// Calls `destroy` when the last reference is given up.
struct UserObject {
  void* data;
  cudaHostFn_t destroy;
  std::atomic<unsigned> references;
};
} // namespace

static void release(UserObject* object, unsigned count) {
  if (object->references.fetch_sub(count) != count)
    return;
  object->destroy(object->data);
  delete object;
}

static UserObject* objectOf(cudaUserObject_t handle) {
  return reinterpret_cast<UserObject*>(handle);
}

GPUSCHED_API cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data,
                                              cudaHostFn_t destroy, unsigned references,
                                              unsigned flags) {
  if (!object || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync)
    return recordError("cudaUserObjectCreate", cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaUserObject_t>(new UserObject{data, destroy, {references}});
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  if (!object || count == 0)
    return recordError("cudaUserObjectRetain", cudaErrorInvalidValue);
  objectOf(object)->references += count;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  if (!object || count == 0)
    return recordError("cudaUserObjectRelease", cudaErrorInvalidValue);
  release(objectOf(object), count);
  return cudaSuccess;
}

/// Copies of the graph, executable ones too, share each reference; the last of them gives it up.
GPUSCHED_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                   unsigned count, unsigned flags) {
  if (!graph || !object || count == 0)
    return recordError("cudaGraphRetainUserObject", cudaErrorInvalidValue);
  if (!(flags & cudaGraphUserObjectMove))
    objectOf(object)->references += count;
  for (unsigned i = 0; i < count; ++i)
    graphOf(graph)->owned.emplace_back(objectOf(object),
                                       [](UserObject* last) { release(last, 1); });
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                    unsigned count) {
  std::vector<std::shared_ptr<void>>& owned = graphOf(graph)->owned;
  for (size_t i = owned.size(); i-- > 0 && count > 0;)
    if (owned[i].get() == object) {
      owned.erase(owned.begin() + std::ptrdiff_t(i));
      --count;
    }
  return count == 0 ? cudaSuccess
                    : recordError("cudaGraphReleaseUserObject", cudaErrorInvalidValue);
}
