// FakeCudart.cpp - the table's functions over step-driven streams.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function attributes are written at the offsets of cudaFuncAttributes through the runtime's
// own mirror of it (rt/launch/Cudart.h). Arguments are kept as pointers, as in most tests the
// pointed-to values outlive the run; those of kernels that say their sizes are copied.
#include "test/rt/FakeCudart.h"

#include "rt/launch/Cudart.h"
#include "rt/launch/WorkerPlan.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace cudart = gpusched::cudart;

constexpr uint64_t kStepNs = 1'000'000;

FakeCudart& FakeCudart::instance() {
  static FakeCudart fake;
  return fake;
}

bool FakeCudart::refused(const char* name) {
  bool unsafe = std::strcmp(name, "malloc") == 0 || std::strcmp(name, "eventQuery") == 0;
  spoiltCapture |= unsafe && captureElsewhere && captureMode != 2;
  bool no = fail.count(name) != 0;
  lastError = no ? 999 : lastError;
  return no;
}

void* FakeCudart::makeStream() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  return &streamHandles_.emplace_back();
}

void* FakeCudart::makeStream(int priority) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  void* const stream = makeStream();
  streamPriorities[stream] = priority;
  return stream;
}

void FakeCudart::forget() {
  started.clear();
  launched.clear();
  together.clear();
  mostWorkersOnSm.clear();
  nativeLaunches = persistentLaunches = lastWorkers = workersLeft = waits = 0;
  copies = records = 0;
}

bool FakeCudart::idle() const {
  for (const auto& [handle, stream] : streams_)
    if (!stream.queue.empty())
      return false;
  return true;
}

uint32_t FakeCudart::workersOf(const FakeKernel* twin) const {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  size_t workers = 0;
  for (const auto& [handle, stream] : streams_)
    if (!stream.queue.empty() && stream.queue.front().kernel == twin)
      workers += stream.queue.front().workers.size();
  return uint32_t(workers);
}

bool FakeCudart::contended() const {
  int kernels = 0, twins = 0;
  for (const auto& [handle, stream] : streams_)
    if (!stream.queue.empty() && stream.queue.front().begun) {
      ++kernels;
      twins += stream.queue.front().kernel->persistentOf != nullptr;
    }
  return (contend || (twinsContend && twins > 0)) && kernels > 1;
}

bool FakeCudart::allClaimed(const Operation& operation) {
  const gpusched_params& params = operation.params;
  return params.control->next >= params.end;
}

/// Its workers run blocks of another launch, and count for nothing else.
static bool helps(const gpusched_params& params) {
  return params.role == GPUSCHED_HELPS;
}

/// As Worker::findsWork.
bool FakeCudart::findsWork(const Operation& operation) {
  const gpusched_params& params = operation.params;
  return !allClaimed(operation) && (!helps(params) || params.control->next > params.base);
}

bool FakeCudart::step() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::set<std::string> running;
  bool moved = false;
  ++steps;
  for (auto& [handle, stream] : streams_) {
    if (stream.queue.empty())
      continue;
    Operation& head = stream.queue.front();
    bool waits = (head.kind == Operation::WaitEvent && head.event->reached < head.ticket) ||
                 (head.kind == Operation::WaitValue &&
                  int32_t(__atomic_load_n(static_cast<uint32_t*>(head.to), __ATOMIC_SEQ_CST) -
                          uint32_t(head.value)) < 0);
    if (waits)
      continue;
    moved = true;
    if (head.begun && steps % 4 != 0 && contended())
      continue;
    const bool untimely = head.kind == Operation::Kernel && helps(head.params) && !findsWork(head);
    bool finished = advance(head);
    if (head.kind == Operation::Kernel && !untimely)
      running.insert((head.kernel->persistentOf ? head.kernel->persistentOf : head.kernel)->name);
    if (finished)
      stream.queue.pop_front();
  }
  if (running.size() > 1)
    together.insert(running);
  return moved;
}

void FakeCudart::drain() {
  while (step()) {
  }
}

bool FakeCudart::advance(Operation& operation) {
  switch (operation.kind) {
  case Operation::Copy:
    std::memcpy(operation.to, operation.from, operation.bytes);
    return true;
  case Operation::Set:
    std::memset(operation.to, operation.value, operation.bytes);
    return true;
  case Operation::Host:
    operation.hostFunction(operation.to);
    return true;
  case Operation::Record:
    operation.event->reached = std::max(operation.event->reached, operation.ticket);
    operation.event->step = steps;
    return true;
  case Operation::WaitEvent:
  case Operation::WaitValue:
    return true;
  case Operation::Kernel:
    break;
  }
  if (!operation.begun)
    started.push_back(
        (operation.kernel->persistentOf ? operation.kernel->persistentOf : operation.kernel)->name);
  operation.begun = true;
  return operation.kernel->persistentOf ? advancePersistent(operation) : advanceNative(operation);
}

bool FakeCudart::advanceNative(Operation& operation) {
  uint64_t total = cudart::count(operation.grid);
  for (int i = 0; i < blocksPerStep && operation.nextBlock < total; ++i)
    operation.kernel->body(operation.nextBlock++, operation.arguments.data());
  return operation.nextBlock == total;
}

/// One worker decides to stay or to leave, as Worker::enter does.
void FakeCudart::arrive(Operation& operation) {
  gpusched_control& control = *operation.params.control;
  uint32_t sm = nextSm_++ % uint32_t(sms);
  uint32_t limit = findsWork(operation) ? control.workers_per_sm : 0;
  bool stays = (control.sm_mask[sm / 32] >> (sm % 32) & 1u) && control.sm_slots[sm] < limit;
  --operation.notArrived;
  if (!stays && !helps(operation.params) && ++control.left == operation.grid.x && limit > 0) {
    stays = true;
    --control.left;
  }
  if (!stays)
    return;
  mostWorkersOnSm[sm] = std::max(mostWorkersOnSm[sm], ++control.sm_slots[sm]);
  operation.workers.push_back({sm, control.sm_slots[sm] - 1, steps * kStepNs});
}

/// As writeWorkerRecord in Telemetry.cuh.
void FakeCudart::record(const gpusched_control& control, const Worker& worker) const {
  gpusched_telemetry* buffer = control.telemetry;
  if (!telemetry || !buffer || worker.blocks == 0 || buffer->written++ >= buffer->capacity)
    return;
  const uint64_t now = steps * kStepNs;
  reinterpret_cast<gpusched_worker_record*>(buffer + 1)[buffer->written - 1] = {
      worker.begin, now, now - worker.begin, worker.sm, worker.blocks, 1, 0};
}

/// Runs the ids of a claim, by what its launch says of batches.
static uint64_t runClaim(const gpusched_params& params, uint64_t claim,
                         const std::function<void(uint64_t)>& body) {
  const gpusched::Batches batches = {params.batch_shift, params.batches, params.step};
  const uint64_t first = gpusched::claimedBlocks(claim, batches);
  const uint64_t end =
      std::min<uint64_t>(gpusched::claimedBlocks(claim + 1, batches), params.total);
  for (uint64_t id = first; id < end; ++id)
    body(id);
  return end > first ? end - first : 0;
}

/// Without slots: one claim after the other, and what the worker was given where they are not made.
bool FakeCudart::advanceAlone(Operation& operation) {
  const gpusched_params& params = operation.params;
  const bool claims = params.role == GPUSCHED_ALONE;
  const uint32_t needed = params.end - params.base;
  const auto claim = [&] { return uint32_t(params.control->next++) - params.base; };
  // Where the launch begins to count behind its workers' numbers, each has a claim of itself.
  const bool given =
      !claims || (!operation.entered && uint32_t(params.control->next) != params.base);
  const uint64_t workers = cudart::count(operation.grid);
  for (uint32_t i = 0; !operation.entered && i < workers; ++i)
    operation.workers.push_back({0, 0, 0, 0, given ? i : claim()});
  operation.entered = true;
  for (int i = 0; i < blocksPerStep && !operation.workers.empty(); ++i) {
    Worker worker = operation.workers.front();
    operation.workers.erase(operation.workers.begin());
    if (worker.claim >= needed) {
      ++workersLeft;
      if (claims && worker.claim == needed + workers - 1)
        *params.ended = 1;
      continue;
    }
    runClaim(params, worker.claim, [&](uint64_t id) {
      operation.kernel->persistentOf->body(id, operation.arguments.data());
    });
    worker.claim = claims ? claim() : needed;
    operation.workers.push_back(worker);
  }
  return operation.workers.empty();
}

bool FakeCudart::advancePersistent(Operation& operation) {
  if (operation.params.role >= GPUSCHED_ALONE)
    return advanceAlone(operation);
  gpusched_control& control = *operation.params.control;
  if (!operation.entered)
    operation.notArrived = operation.grid.x;
  operation.entered = true;
  while (operation.notArrived > 0)
    arrive(operation);
  for (int i = 0; i < blocksPerStep && !operation.workers.empty(); ++i) {
    Worker worker = operation.workers.front();
    operation.workers.erase(operation.workers.begin());
    if (worker.slot >= control.workers_per_sm || allClaimed(operation)) {
      ++workersLeft;
      record(control, worker);
      --control.sm_slots[worker.sm];
      control.left += !helps(operation.params);
      continue;
    }
    const uint32_t claim = uint32_t(control.next++) - operation.params.base;
    const uint64_t ran = runClaim(operation.params, claim, [&](uint64_t id) {
      operation.kernel->persistentOf->body(id, operation.arguments.data());
    });
    control.finished += uint32_t(ran);
    worker.blocks += uint32_t(ran);
    operation.workers.push_back(worker);
  }
  if (!operation.workers.empty())
    return false;
  bool waitsForHelp = allClaimed(operation) &&
                      control.finished - operation.params.finished_before < operation.params.total;
  if (!helps(operation.params) && waitsForHelp)
    return false;
  if (helps(operation.params))
    return true;
  control.left = 0;
  if (allClaimed(operation))
    control.next = operation.params.end;
  return true;
}

/// The table's entries; a struct so that one friend declaration covers them.
struct FakeEntries {
  static FakeCudart& fake() { return FakeCudart::instance(); }
  using Operation = FakeCudart::Operation;

  static int push(void* stream, Operation operation) {
    std::lock_guard<std::recursive_mutex> lock(fake().mutex_);
    fake().streams_[stream].queue.push_back(std::move(operation));
    return 0;
  }

  static void copyValues(Operation& operation) {
    const std::vector<uint32_t>& bytes = operation.kernel->parameterBytes;
    if (bytes.empty())
      return;
    operation.values = std::make_shared<std::vector<std::vector<char>>>();
    for (size_t i = 0; i < bytes.size(); ++i) {
      const char* value = static_cast<const char*>(operation.arguments[i]);
      operation.values->emplace_back(value, value + bytes[i]);
      operation.arguments[i] = operation.values->back().data();
    }
  }

  static int launchKernel(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                          void** arguments, size_t sharedBytes, void* stream) {
    const auto own = fake().streamPriorities.find(stream);
    return launch(function, grid, block, arguments, sharedBytes, stream,
                  own == fake().streamPriorities.end() ? 0 : own->second);
  }
  static int launchKernelExC(const void* asked, const void* function, void** arguments) {
    if (fake().refused("launchKernelExC"))
      return 999;
    const auto& config = *static_cast<const cudart::LaunchConfig*>(asked);
    if (config.attributeCount != 1 || config.attributes->id != cudart::kLaunchAttributePriority)
      return 1;
    return launch(function, config.grid, config.block, arguments, config.sharedBytes, config.stream,
                  config.attributes->priority);
  }
  static int streamGetPriority(void* stream, int* priority) {
    if (fake().refused("streamGetPriority"))
      return 999;
    const auto own = fake().streamPriorities.find(stream);
    return *priority = own == fake().streamPriorities.end() ? 0 : own->second, 0;
  }
  static int streamPriorityRange(int* lowest, int* highest) {
    return *lowest = 0, *highest = fake().highestPriority, 0;
  }
  static int launch(const void* function, gpusched_dim3 grid, gpusched_dim3 block, void** arguments,
                    size_t sharedBytes, void* stream, int priority) {
    if (fake().refused("launchKernel") ||
        fake().refused(static_cast<const FakeKernel*>(function)->name))
      return 999;
    Operation operation;
    operation.kind = Operation::Kernel;
    operation.kernel = static_cast<const FakeKernel*>(function);
    operation.grid = grid;
    bool twin = operation.kernel->persistentOf != nullptr;
    if (twin && fake().refused("launchTwin"))
      return 999;
    if (twin)
      fake().lastParams = operation.params = *static_cast<gpusched_params*>(*arguments++);
    operation.arguments.assign(arguments, arguments + operation.kernel->parameters);
    copyValues(operation);
    {
      std::lock_guard<std::recursive_mutex> lock(fake().mutex_);
      fake().launched.push_back({operation.kernel, grid, block, sharedBytes, stream, priority});
    }
    (twin ? fake().persistentLaunches : fake().nativeLaunches) += 1;
    fake().lastShared = sharedBytes;
    if (twin && helps(operation.params))
      fake().lastHelpersShared = sharedBytes, ++fake().helpingLaunches;
    fake().lastWorkers = twin ? cudart::count(grid) : 0;
    return push(stream, std::move(operation));
  }
  static int getLastError() { return std::exchange(fake().lastError, 0); }
  static int getDevice(int* device) { return *device = 0; }
  /// 0 is not known.
  static int answer(int* value, int known) {
    *value = known;
    fake().lastError = known == 0 ? 1 : fake().lastError;
    return known == 0;
  }
  static int deviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
    case cudart::kAttributeMultiProcessorCount:
      *value = fake().sms;
      return 0;
    case cudart::kAttributeMaxThreadsPerMultiProcessor:
      *value = 2048;
      return 0;
    case cudart::kAttributeMaxSharedMemoryPerMultiprocessor:
      *value = 98304;
      return 0;
    case cudart::kAttributeMaxRegistersPerMultiprocessor:
      *value = 65536;
      return 0;
    case cudart::kAttributeMaxBlocksPerMultiprocessor:
      *value = 32;
      return 0;
    case cudart::kAttributeComputeCapabilityMajor:
      *value = fake().computeMajor;
      return 0;
    case cudart::kAttributeComputeCapabilityMinor:
      return answer(value, fake().computeMinor);
    case cudart::kAttributeClockRateKhz:
      return answer(value, fake().clockKhz);
    case cudart::kAttributeMemoryBusBits:
      return answer(value, fake().memoryBusBits);
    case cudart::kAttributeMemoryClockKhz:
      return answer(value, fake().memoryClockKhz);
    case cudart::kAttributeL2Bytes:
      return answer(value, fake().l2Bytes);
    default:
      fake().lastError = 1;
      return 1;
    }
  }
  static int funcGetAttributes(void* out, const void* function) {
    if (fake().refused("funcGetAttributes"))
      return 999;
    const FakeKernel& kernel = *static_cast<const FakeKernel*>(function);
    cudart::FunctionAttributes attributes;
    attributes.sharedSizeBytes = kernel.staticShared;
    attributes.maxThreadsPerBlock = kernel.maxThreads;
    attributes.numRegs = kernel.registers;
    attributes.binaryVersion = kernel.binaryVersion;
    attributes.maxDynamicSharedSizeBytes = kernel.maxDynamicShared;
    attributes.preferredShmemCarveout = kernel.carveout;
    std::memcpy(out, &attributes, offsetof(cudart::FunctionAttributes, tail));
    return 0;
  }
  static int funcSetAttribute(const void* function, int attribute, int value) {
    FakeKernel& kernel = *static_cast<FakeKernel*>(const_cast<void*>(function));
    if (attribute == cudart::kFuncMaxDynamicSharedMemorySize && value > kernel.mostDynamicShared)
      return 1;
    if (attribute == cudart::kFuncMaxDynamicSharedMemorySize)
      kernel.maxDynamicShared = value;
    if (attribute == cudart::kFuncPreferredSharedMemoryCarveout)
      kernel.carveout = value;
    return 0;
  }
  static int occupancy(int* blocks, const void* function, int, size_t shared) {
    const FakeKernel& kernel = *static_cast<const FakeKernel*>(function);
    *blocks = shared > size_t(kernel.maxDynamicShared) ? 0 : kernel.occupancy;
    return 0;
  }
  static int allocate(void** pointer, size_t bytes) {
    if (fake().refused("malloc"))
      return 999;
    ++fake().mallocs;
    *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    // As uninitialised as device memory, and as plausible.
    std::fill_n(static_cast<uint32_t*>(*pointer), (bytes + 3) / 4, 7u);
    return 0;
  }
  static int allocateHost(void** pointer, size_t bytes) {
    return fake().refused("mallocHost") ? 999 : allocate(pointer, bytes);
  }
  static int release(void* pointer) {
    if (fake().refused("free"))
      return 999;
    return std::free(pointer), 0;
  }
  static int memcpyAsync(void* to, const void* from, size_t bytes, int, void* stream) {
    if (fake().refused("memcpyAsync"))
      return 999;
    Operation operation;
    operation.to = to, operation.from = from, operation.bytes = bytes;
    ++fake().copies;
    return push(stream, operation);
  }
  static int memsetAsync(void* to, int value, size_t bytes, void* stream) {
    Operation operation;
    operation.kind = Operation::Set;
    operation.to = to, operation.value = value, operation.bytes = bytes;
    return push(stream, operation);
  }
  static int streamCreate(void** stream, unsigned) {
    if (fake().refused("streamCreateWithFlags"))
      return 999;
    return *stream = fake().makeStream(), 0;
  }
  static int streamSynchronize(void* stream) {
    while (true) {
      std::lock_guard<std::recursive_mutex> lock(fake().mutex_);
      if (fake().streams_[stream].queue.empty())
        return 0;
      fake().step();
    }
  }
  static int streamIsCapturing(void* stream, int* status) {
    return *status = fake().capturing || fake().capturingStreams.count(stream), 0;
  }
  static int streamWaitEvent(void* stream, void* event, unsigned) {
    if (fake().refused("streamWaitEvent"))
      return 999;
    Operation operation;
    operation.kind = Operation::WaitEvent;
    operation.event = static_cast<FakeCudart::Event*>(event);
    operation.ticket = operation.event->recorded;
    ++fake().waits;
    return push(stream, operation);
  }
  static int eventCreate(void** event, unsigned) {
    if (fake().refused("eventCreate"))
      return 999;
    std::lock_guard<std::recursive_mutex> lock(fake().mutex_);
    ++fake().eventsMade;
    return *event = &fake().events_.emplace_back(), 0;
  }
  static int eventRecord(void* event, void* stream) {
    if (fake().refused("eventRecord"))
      return 999;
    Operation operation;
    operation.kind = Operation::Record;
    operation.event = static_cast<FakeCudart::Event*>(event);
    operation.ticket = ++operation.event->recorded;
    ++fake().records;
    return push(stream, operation);
  }
  static int eventQuery(void* event) {
    if (fake().refused("eventQuery"))
      return 999;
    std::lock_guard<std::recursive_mutex> lock(fake().mutex_);
    FakeCudart::Event& asked = *static_cast<FakeCudart::Event*>(event);
    if (asked.reached >= asked.recorded)
      return 0;
    return fake().lastError = cudart::kErrorNotReady;
  }
  static int eventDestroy(void*) { return 0; }
  static int waitValue(void* stream, uint64_t address, uint32_t value, unsigned) {
    Operation operation;
    operation.kind = Operation::WaitValue;
    operation.to = reinterpret_cast<void*>(address);
    operation.value = int(value);
    return push(stream, operation);
  }
  static int eventElapsedTime(float* milliseconds, void* from, void* to) {
    if (fake().refused("eventElapsedTime"))
      return 999;
    auto step = [](void* event) { return double(static_cast<FakeCudart::Event*>(event)->step); };
    *milliseconds = float(step(to) - step(from));
    return 0;
  }
  static int launchHostFunc(void* stream, void (*function)(void*), void* data) {
    if (fake().refused("launchHostFunc"))
      return 999;
    Operation operation;
    operation.kind = Operation::Host;
    operation.hostFunction = function, operation.to = data;
    return push(stream, operation);
  }
  static int exchangeCaptureMode(int* mode) {
    if (fake().refused("threadExchangeStreamCaptureMode"))
      return 999;
    return std::swap(*mode, fake().captureMode), 0;
  }
  static int contextId(void*, unsigned long long* id) { return *id = fake().context, 0; }
  static int deviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
  static int deviceUuid(char* uuid, int device) {
    std::memset(uuid, 'f', 16);
    uuid[0] = char(device);
    return 0;
  }
  static int contextGet(void** context) { return *context = &fake(), 0; }
  static int contextSet(void* context) {
    fake().contextSetTo = context;
    while (fake().contextSetWaits)
      std::this_thread::yield();
    return fake().refused("contextSet") ? 201 : 0;
  }
  static int peekAtLastError() { return fake().lastError; }
  static int functionModule(void** module, void* function) {
    *module = reinterpret_cast<void*>(intptr_t(1 + static_cast<FakeKernel*>(function)->module));
    return 0;
  }
  static int getFuncBySymbol(void** handle, const void* function) {
    if (fake().refused("getFuncBySymbol"))
      return 98;
    *handle = const_cast<void*>(function);
    return 0;
  }
  static int getDriverEntryPoint(const char* symbol, void** function, unsigned, unsigned long long,
                                 int*) {
    if (fake().refused(symbol))
      return fake().lastError = 500;
    const std::pair<const char*, void*> known[] = {
        {"cuCtxGetCurrent", reinterpret_cast<void*>(&contextGet)},
        {"cuCtxGetId", reinterpret_cast<void*>(&contextId)},
        {"cuCtxSetCurrent", reinterpret_cast<void*>(&contextSet)},
        {"cuDeviceGet", reinterpret_cast<void*>(&deviceGet)},
        {"cuDeviceGetUuid", reinterpret_cast<void*>(&deviceUuid)},
        {"cuFuncGetModule", reinterpret_cast<void*>(&functionModule)},
    };
    for (const auto& [name, entry] : known)
      if (std::strcmp(symbol, name) == 0)
        return *function = entry, 0;
    if (!fake().waitValue || std::strcmp(symbol, "cuStreamWaitValue32") != 0)
      return fake().lastError = 500;
    *function = reinterpret_cast<void*>(&waitValue);
    return 0;
  }
};

const gpusched_cudart* FakeCudart::table() {
  using E = FakeEntries;
  static const gpusched_cudart kTable = {sizeof(gpusched_cudart),
                                         E::launchKernel,
                                         E::getLastError,
                                         E::getDevice,
                                         E::deviceGetAttribute,
                                         E::funcGetAttributes,
                                         E::funcSetAttribute,
                                         E::occupancy,
                                         E::allocate,
                                         E::release,
                                         E::allocateHost,
                                         E::release,
                                         E::memcpyAsync,
                                         E::memsetAsync,
                                         E::streamCreate,
                                         E::streamSynchronize,
                                         E::streamIsCapturing,
                                         E::streamWaitEvent,
                                         E::eventCreate,
                                         E::eventRecord,
                                         E::eventQuery,
                                         E::eventDestroy,
                                         E::getDriverEntryPoint,
                                         E::exchangeCaptureMode,
                                         E::eventElapsedTime,
                                         E::launchHostFunc,
                                         E::getFuncBySymbol,
                                         E::peekAtLastError,
                                         E::launchKernelExC,
                                         E::streamGetPriority,
                                         E::streamPriorityRange};
  return &kTable;
}
