// DriverOlderForms.cpp - driver functions as programs of CUDA 12 and before know them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   no edge data of graphs                             the newer form without it
//   devices by number in prefetch and advice           the newer form has locations
//   contexts without, or with other, parameters        ours looks at none
//
// The driver exports both, the newer one as name_v2; cuda.h gives the plain name to the newer one,
// so each of its macros must go before the older form is defined. Who asks by cuGetProcAddress says
// for which version. Versions are those of cudaTypedefs.h.
#include "rt/device/cpu/cudart/DriverOlderForms.h"

#include "rt/device/cpu/cudart/DriverCall.h"

#include <cstring>

using namespace gpusched::cudart;

#undef cuCtxCreate
#undef cuGetProcAddress
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddNode
#undef cuGraphGetEdges
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuStreamUpdateCaptureDependencies
#undef cuGraphExecUpdate

static CUmemLocation locationOf(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}

GPUSCHED_DRIVER cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

GPUSCHED_DRIVER cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int, unsigned flags,
                               CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

GPUSCHED_DRIVER cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

GPUSCHED_DRIVER cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                            CUdevice device) {
  return cuMemAdvise_v2(address, bytes, advice, locationOf(device));
}

GPUSCHED_DRIVER cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                                   CUstream stream) {
  return cuMemPrefetchAsync_v2(address, bytes, locationOf(device), 0, stream);
}

GPUSCHED_DRIVER cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                               size_t count, CUgraphNodeParams* parameters) {
  return cuGraphAddNode_v2(node, graph, after, nullptr, count, parameters);
}

GPUSCHED_DRIVER cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

GPUSCHED_DRIVER cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                       const CUgraphNode* to, size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

GPUSCHED_DRIVER cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                          const CUgraphNode* to, size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

GPUSCHED_DRIVER cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}

GPUSCHED_DRIVER cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}

GPUSCHED_DRIVER cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* after, size_t count,
                                                  unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, after, nullptr, count, flags);
}

GPUSCHED_DRIVER cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status,
                                          cuuint64_t* id, CUgraph* graph, const CUgraphNode** after,
                                          size_t* count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, after, nullptr, count);
}

GPUSCHED_DRIVER cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* errorNode,
                                  CUgraphExecUpdateResult* why) {
  CUgraphExecUpdateResultInfo info = {};
  const CUresult result = cuGraphExecUpdate_v2(executable, graph, &info);
  *errorNode = info.errorNode;
  *why = info.result;
  return result;
}

GPUSCHED_DRIVER cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode*,
                                      char* log, size_t logBytes) {
  if (log && logBytes > 0)
    *log = 0;
  return cuGraphInstantiateWithFlags(executable, graph, 0);
}

namespace {
struct OlderForm {
  const char* name;
  int before; // the version that has the next form
  void* function;
};
} // namespace

std::optional<void*> gpusched::cudart::olderForm(const char* name, int version) {
  // Of one name, oldest first.
  static const OlderForm kForms[] = {
      {"cuCtxCreate", 11040, address(cuCtxCreate_v2)},
      {"cuCtxCreate", 12050, address(cuCtxCreate_v3)},
      {"cuGetProcAddress", 12000, address(cuGetProcAddress)},
      {"cuGraphAddDependencies", 12030, address(cuGraphAddDependencies)},
      {"cuGraphAddKernelNode", 12000, nullptr},
      {"cuGraphAddNode", 12030, address(cuGraphAddNode)},
      {"cuGraphExecKernelNodeSetParams", 12000, nullptr},
      {"cuGraphExecUpdate", 12000, address(cuGraphExecUpdate)},
      {"cuGraphGetEdges", 12030, address(cuGraphGetEdges)},
      {"cuGraphInstantiate", 12000, address(cuGraphInstantiate_v2)},
      {"cuGraphKernelNodeGetParams", 12000, nullptr},
      {"cuGraphKernelNodeSetParams", 12000, nullptr},
      {"cuGraphNodeGetDependencies", 12030, address(cuGraphNodeGetDependencies)},
      {"cuGraphNodeGetDependentNodes", 12030, address(cuGraphNodeGetDependentNodes)},
      {"cuGraphRemoveDependencies", 12030, address(cuGraphRemoveDependencies)},
      {"cuMemAdvise", 12020, address(cuMemAdvise)},
      {"cuMemPrefetchAsync", 12020, address(cuMemPrefetchAsync)},
      {"cuStreamGetCaptureInfo", 11030, nullptr},
      {"cuStreamGetCaptureInfo", 12030, address(cuStreamGetCaptureInfo_v2)},
      {"cuStreamUpdateCaptureDependencies", 12030, address(cuStreamUpdateCaptureDependencies)},
  };
  for (const OlderForm& form : kForms)
    if (version < form.before && std::strcmp(form.name, name) == 0)
      return form.function;
  return std::nullopt;
}
