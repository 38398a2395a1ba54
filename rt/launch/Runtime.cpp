// Runtime.cpp - the launch path.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions stand in the order of the pipeline in Runtime.h. Pausing is in Pausing.cpp, tracing in
// Tracing.cpp, what makes one launch of two in PairedLaunch.cpp.
#include "rt/launch/Runtime.h"

#include "rt/launch/NativeLaunch.h"
#include "rt/launch/RelaxedCapture.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "rt/support/ProgramName.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace gpusched {
namespace {

constexpr uint32_t kWarp = 32;

/// What the ABI demands of a persistent launch, whoever asks for it.
bool twinMayRun(const gpusched_launch_request& request, const gpusched_kernel& kernel) {
  bool wholeRows = request.block.x % kWarp == 0;
  return cudart::count(request.grid) <= GPUSCHED_MAX_LOGICAL_BLOCKS &&
         (wholeRows || !(kernel.flags & GPUSCHED_KERNEL_WHOLE_WARP_ROWS));
}

/// 0 = not known: of a graph.
uint64_t blocksOf(const gpusched_launch_request& request) {
  return request.function ? cudart::count(request.grid) : 0;
}

ProfileStore loadStore(const Settings& settings, const Policy* policy) {
  if (!policy || !policy->wantsProfiles())
    return ProfileStore();
  std::string path = settings.profilePath;
  if (path.empty())
    path = ProfileStore::dynamicPath(profileHome(), runningProgram());
  Result<ProfileFile> file = readProfile(path);
  if (file)
    return ProfileStore(std::move(*file));
  log(LogLevel::Warning,
      "%s; every kernel has class unknown and runs alone. Make a profile with `gpusched profile "
      "-- <program> <arguments>`",
      file.message().c_str());
  return ProfileStore();
}

std::unique_ptr<Policy> loadPolicy(const Settings& settings) {
  // "1": the runtime without a policy, for GPUSCHED_VARIANT and its companions.
  if (settings.policy.empty() || settings.policy == "1")
    return nullptr;
  Result<std::unique_ptr<Policy>> policy = makePolicy(settings.policy);
  if (!policy) {
    log(LogLevel::Error, "%s; kernels launch natively", policy.message().c_str());
    return nullptr;
  }
  if (Status configured = (*policy)->configure(settings.parameters); !configured)
    log(LogLevel::Warning, "GPUSCHED_PARAMETERS: %s", configured.message().c_str());
  return std::move(*policy);
}

} // namespace

Runtime::Runtime(Settings settings, std::unique_ptr<Policy> policy)
    : process_(getpid()), settings_(std::move(settings)),
      policy_(policy ? std::move(policy) : loadPolicy(settings_)),
      store_(loadStore(settings_, policy_.get())),
      trace_(settings_.tracePath, settings_.traceTimed, policy_ ? policy_->name() : ""),
      telemetry_(settings_.telemetryEvery, settings_.telemetryTimed, settings_.telemetryPath),
      measures_(policy_ && policy_->wantsProfiles() && !settings_.pairsPath.empty()),
      pairsNatively_(measures_ && settings_.nativePairs && !policy_->preempts() &&
                     settings_.spareLaunches == 0 && !alwaysHasBudget(settings_.priority)),
      heedsStreams_(policy_ && policy_->wantsProfiles()) {
  for (const auto& [name, blocks] : settings_.blocksPerSm.named)
    namesToCome_.insert(name);
  for (const auto& [name, sms] : settings_.sms.named)
    namesToCome_.insert(name);
  joinBoard();
  if (!measures_ || !std::filesystem::exists(settings_.pairsPath))
    return;
  if (Result<PairHistoryFile> file = readPairHistory(settings_.pairsPath); file)
    loaded_ = PairHistory(*file);
  else
    log(LogLevel::Warning, "%s; measuring pairs anew", file.message().c_str());
}

Runtime::~Runtime() {
  stopAttendant();
  for (std::atomic<PerDevice*>& device : devices_)
    for (PerDevice *each = device.load(), *next = nullptr; each; each = next) {
      next = each->next;
      delete each;
    }
}

/// A fork writes nothing, and has locks that nobody may ever give back.
void Runtime::finish() {
  if (getpid() != process_)
    return;
  stopAttendant();
  sayNamesThatDidNotCome();
  finishTimes();
  trace_.write();
  telemetry_.write();
  if (measures_)
    writeHistory();
}

void Runtime::sayNamesThatDidNotCome() {
  std::lock_guard<std::shared_mutex> lock(plansMutex_);
  for (const std::string& name : namesToCome_)
    log(LogLevel::Warning,
        "no kernel '%s' was launched, which GPUSCHED_BLOCKS_PER_SM or GPUSCHED_SMS name; "
        "GPUSCHED_TRACE shows the names",
        name.c_str());
}

/// Of the devices' histories the one with the most pairs.
void Runtime::writeHistory() {
  PairHistoryFile longest;
  forEachDevice([&](PerDevice& on) {
    PairHistoryFile file = on.history.file();
    if (file.pairs.size() > longest.pairs.size())
      longest = std::move(file);
  });
  if (longest.pairs.empty())
    return;
  longest.program = runningProgram();
  if (Status written = writePairHistory(settings_.pairsPath, longest); !written)
    log(LogLevel::Info, "%s", written.message().c_str());
}

bool Runtime::launch(const gpusched_launch_request& request, int& error) {
  error = cudart::kSuccess;
  if (request.first)
    forgetPrograms();
  if (request.pair == GPUSCHED_NO_PAIR)
    return launchInPair(request, error);
  markPair(request);
  return true;
}

/// Where nobody could step back for it, nor wants to know, it costs one question to CUDA at most.
bool Runtime::launchUnmanaged(const gpusched_launch_request& request,
                              const UnmanagedLaunch& unmanaged, int& error) {
  error = cudart::kSuccess;
  return (board_ || trace_.enabled() || streamPriority(request) > 0) &&
         launchAlone(request, error, nullptr, &unmanaged);
}

bool Runtime::launchAlone(const gpusched_launch_request& request, int& error, FusedLaunch* fused,
                          const UnmanagedLaunch* unmanaged) {
  bool forced = settings_.variant == ForcedVariant::Persistent || settings_.limitsKernels();
  if ((!policy_ && !forced && !trace_.enabled()) || !mayTakeOver(request))
    return false;
  RelaxedCapture relaxed(*request.cudart);
  PerDevice* on = relaxed ? currentDevice(*request.cudart) : nullptr;
  if (!on || !on->device.takes(request))
    return false; // an invalid configuration: the native launch says so
  on->device.use(*request.cudart);
  Flight flight{*on, request, plan(request, *on)};
  flight.fused = fused;
  flight.unmanaged = unmanaged;
  rank(flight);
  try {
    policy_ ? launchScheduled(flight, error) : launchForced(flight, error);
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error, "the runtime failed inside (most likely out of memory)");
  }
  return flight.enqueued;
}

void Runtime::unloading() {
  forgetPrograms();
  forEachDevice([](PerDevice& on) {
    for (ControlSlot* slot : on.device.pool.busy())
      slot->saved.cudart = nullptr;
  });
}

/// Launches in flight still refer to the plans.
void Runtime::forgetPrograms() {
  std::lock_guard<std::shared_mutex> lock(plansMutex_);
  registry_.forget();
  for (auto& [key, plan] : plans_)
    formerPlans_.push_back(std::move(plan));
  plans_.clear();
}

/// Where a call of ours fails, CUDA replaces the error that the program has not asked for yet, and
/// nothing can put it back. "Not ready" is no error of the program.
bool Runtime::mayTakeOver(const gpusched_launch_request& request) const {
  const int waiting = request.cudart->peekAtLastError();
  if (waiting != cudart::kSuccess && waiting != cudart::kErrorNotReady) {
    GPUSCHED_LOG_ONCE(LogLevel::Warning,
                      "the program has not asked for its last CUDA error (%d); kernels launch "
                      "natively until it calls cudaGetLastError",
                      waiting);
    return false;
  }
  int status = cudart::kCaptureStatusNone;
  if (request.cudart->streamIsCapturing(request.stream, &status) != cudart::kSuccess) {
    cudart::discardError(*request.cudart);
    return false;
  }
  return status == cudart::kCaptureStatusNone;
}

Runtime::PerDevice* Runtime::currentDevice(const gpusched_cudart& runtime) {
  int ordinal = 0;
  if (runtime.getDevice(&ordinal) != cudart::kSuccess)
    return cudart::discardError(runtime), nullptr;
  if (ordinal < 0 || ordinal >= kMaxDevices)
    return nullptr;
  uint64_t context = contexts_.current(runtime);
  auto find = [&] {
    PerDevice* known = devices_[ordinal].load(std::memory_order_acquire);
    while (known && known->context != context)
      known = known->next;
    return known;
  };
  if (PerDevice* known = find())
    return known;
  std::lock_guard<std::mutex> lock(devicesMutex_);
  if (PerDevice* known = find())
    return known;
  PerDevice* made =
      new PerDevice(runtime, ordinal, context, devices_[ordinal].load(), settings_.deepQueue);
  made->history = loaded_;
  if (board_)
    made->foreign = ForeignKernels::of(runtime, ordinal);
  devices_[ordinal].store(made, std::memory_order_release);
  return made;
}

const LaunchPlan& Runtime::plan(const gpusched_launch_request& request, const PerDevice& on) {
  PlanKey key{request.function, request.block, request.sharedBytes, on.device.ordinal(),
              on.context};
  {
    std::shared_lock<std::shared_mutex> lock(plansMutex_);
    if (auto found = plans_.find(key); found != plans_.end())
      return *found->second;
  }
  std::unique_ptr<LaunchPlan> made = std::make_unique<LaunchPlan>();
  if (request.function)
    makePlan(*made, request, registry_.find(request.function, request.kernels), &store_);
  else
    makeGraphPlan(*made, on.device.limits());
  std::lock_guard<std::shared_mutex> lock(plansMutex_);
  if (made->kernel)
    takeOwnLimits(*made);
  return *plans_.try_emplace(key, std::move(made)).first->second;
}

/// What the user gave this kernel.
void Runtime::takeOwnLimits(LaunchPlan& plan) {
  const char* name = plan.kernel->name;
  plan.budget = settings_.blocksPerSm.of(name);
  const std::optional<SmMask>& sms = settings_.sms.of(name);
  plan.mask = sms ? &*sms : nullptr;
  namesToCome_.erase(std::string(settings_.blocksPerSm.nameFor(name)));
  namesToCome_.erase(std::string(settings_.sms.nameFor(name)));
}

/// With a policy under the device's lock: then those of a stream are in the stream's order.
void Runtime::number(Flight& flight) {
  flight.sequence = board_ ? board_->nextSequence() : nextSequence_++;
}

void Runtime::launchForced(Flight& flight, int& error) {
  number(flight);
  settleWish(flight);
  std::unique_lock<std::mutex> lock(flight.on.device.mutex, std::defer_lock);
  if (trace_.timed()) {
    lock.lock();
    makeTimes(flight);
    lock.unlock();
  }
  beginTimes(flight);
  const bool wanted = wantsTwin(flight);
  if (wanted)
    planTwin(flight);
  if (wanted && flight.options.role == GPUSCHED_FITS)
    enqueueFittingTwin(flight);
  else if (wanted)
    enqueueWithSlot(flight, lock);
  if (!flight.enqueued && flight.isTimed)
    enqueueNative(flight, error); // the end comes behind it
  endTimes(flight);
  if (trace_.timed() && !lock.owns_lock())
    lock.lock();
  settleTimes(flight);
  trace(flight);
}

/// Takes the lock.
void Runtime::enqueueWithSlot(Flight& flight, std::unique_lock<std::mutex>& lock) {
  lock.lock();
  ControlSlot* slot = acquire(flight);
  if (!slot)
    return;
  const gpusched_cudart& runtime = *flight.request.cudart;
  LaunchDevice& device = flight.on.device;
  const bool says = flight.options.role == GPUSCHED_ALONE;
  Completion* end = says ? nullptr : device.completions.announce(runtime);
  if (!settings_.pauseEveryUs)
    lock.unlock(); // launch and event may block on a full queue
  const bool launched = enqueueTwin(flight, slot);
  const bool recorded = end && Completions::recordEvent(runtime, flight.request.stream, *end);
  if (!lock.owns_lock())
    lock.lock();
  if (end)
    Completions::settle(*end, recorded);
  else if (!launched)
    end = device.completions.record(runtime, flight.request.stream);
  keepSlot(flight, *slot, end);
  device.completions.release(end);
}

void Runtime::enqueueNative(Flight& flight, int& error) {
  flight.enqueued = true;
  if (flight.unmanaged)
    error = flight.unmanaged->make(flight.unmanaged->data);
  else
    error = flight.wish.decision.urgent ? launchUrgently(flight.on.device, flight.request)
                                        : launchNatively(flight.request);
}

void Runtime::launchScheduled(Flight& flight, int& error) {
  PerDevice& on = flight.on;
  std::unique_lock<std::mutex> lock(on.device.mutex);
  awaitStreams(flight, lock);
  number(flight);
  reap(on);
  if (measures_)
    on.trials.collect(on.device.runtime(), on.history);
  decide(flight);
  settleWish(flight);
  order(flight);
  ControlSlot* slot = nullptr;
  if (wantsTwin(flight)) {
    planTwin(flight);
    slot = acquire(flight);
  }
  if (measures_ && isMeasurable(flight) && !flight.unmanaged)
    takeTrial(flight);
  makeTimes(flight);
  enqueueDecided(flight, slot, error, lock);
  releaseAwaited(flight);
  settleTimes(flight);
  trace(flight);
  if (settings_.attends && on.running.anyMayRise()) {
    startAttendant();
    wakeAttendant();
  }
}

bool Runtime::enqueue(Flight& flight, ControlSlot* slot, const Completion* end, int& error) {
  const gpusched_cudart& runtime = *flight.request.cudart;
  void* const stream = flight.request.stream;
  makeWaits(flight);
  const bool begun = flight.trial && Trials::begin(runtime, *flight.trial, stream);
  beginTimes(flight);
  if (!slot || !enqueueTwin(flight, slot))
    enqueueNative(flight, error);
  endTimes(flight);
  const bool launched = error == cudart::kSuccess;
  // An error of the launch is the program's to ask for.
  const bool recorded =
      end && (launched ? Completions::recordEvent(runtime, stream, *end)
                       : runtime.eventRecord(end->event, stream) == cudart::kSuccess);
  if (flight.joins() && launched)
    joinOther(*flight.fused, recorded ? end : nullptr);
  flight.isMeasured = begun && Trials::end(runtime, *flight.trial, stream);
  return recorded;
}

void Runtime::reap(PerDevice& on) {
  on.running.reap(on.device.runtime(), on.device.completions,
                  [this](const RunningEntry& entry) { trace_.completed(entry.seen.lastSequence); });
  settleReliefs(on);
}

/// Of unlike priorities one steps back, as far as the policy would not have it do.
bool Runtime::isMeasurable(const Flight& flight) const {
  if (hasCompany(flight.on))
    return false;
  const std::vector<RunningEntry>& running = flight.on.running.entries();
  const bool areAlike = std::all_of(running.begin(), running.end(), [&](const RunningEntry& entry) {
    return entry.seen.streamPriority == flight.streamPriority || !beside(entry, flight.before);
  });
  if (!areAlike)
    flight.on.trials.spoil();
  return areAlike;
}

void Runtime::takeTrial(Flight& flight) {
  TrialLaunch& launch = flight.on.trialLaunch;
  launch.kernel = &flight.plan.policyKernel;
  launch.native = !flight.wanted;
  launch.blocks = cudart::count(flight.request.grid);
  launch.stream = streamId(flight.request.stream);
  launch.waits = !flight.wish.decision.after.empty() || flight.joins();
  launch.neighbours.clear();
  launch.busyStreams.clear();
  for (const RunningEntry& entry : flight.on.running.entries()) {
    if (entry.seen.unmanaged)
      continue;
    launch.busyStreams.push_back(entry.seen.stream);
    if (entry.alsoOf != 0)
      launch.busyStreams.push_back(entry.alsoOf);
    if (entry.seen.stream != launch.stream && beside(entry, flight.before))
      launch.neighbours.push_back({entry.seen.kernel, entry.slot == nullptr});
  }
  flight.trial = flight.on.trials.take(*flight.request.cudart, launch, flight.on.history);
}

/// Of its stream; what CUDA does not know has the default one.
int32_t Runtime::streamPriority(const gpusched_launch_request& request) const {
  if (!heedsStreams_)
    return 0;
  return -cudart::streamPriority(*request.cudart, request.stream).value_or(0);
}

void Runtime::rank(Flight& flight) const {
  std::atomic<int32_t>& highest = flight.on.mostUrgent;
  flight.streamPriority = streamPriority(flight.request);
  int32_t known = highest.load();
  while (known < flight.streamPriority &&
         !highest.compare_exchange_weak(known, flight.streamPriority)) {
  }
  flight.keepsBudget = alwaysHasBudget(settings_.priority) || flight.streamPriority < known;
}

void Runtime::decide(Flight& flight) {
  PolicyState& state = flight.on.state;
  state.limits = flight.on.device.limits();
  state.explain = trace_.enabled();
  state.memo = &flight.on.memo;
  state.waiting.assign(1, {flight.sequence, streamId(flight.request.stream),
                           &flight.plan.policyKernel, settings_.priority, flight.streamPriority,
                           flight.keepsBudget, blocksOf(flight.request)});
  resumeYielding(flight.on, &state.waiting.front());
  state.running.clear();
  for (const RunningEntry& entry : flight.on.running.entries())
    state.running.push_back(entry.seenFrom(state.waiting.front().stream));
  Session session = beginSharing(flight);
  std::vector<Decision> decisions =
      decideByPriority(state, [&] { return decideManaged(flight, session.has_value()); });
  for (Decision& decision : decisions)
    if (decision.sequence == flight.sequence && !flight.unmanaged)
      flight.wish.decision = std::move(decision);
  if (session)
    endSharing(flight, std::move(session), decisions);
  applyToRunning(flight.on, decisions);
  std::sort(flight.wish.decision.after.begin(), flight.wish.decision.after.end());
}

/// The policy and the rules over it, of what flight.on.state shows.
std::vector<Decision> Runtime::decideManaged(Flight& flight, bool inSession) {
  if (flight.unmanaged)
    return {};
  PolicyState& state = flight.on.state;
  std::vector<Decision> decisions = policy_->decide(state);
  if (inSession)
    ForeignKernels::removeFrom(state.running);
  if (pairsNatively_)
    pairNatively(state, flight.on.history, decisions);
  if (measures_)
    keepWithoutRegret(state, flight.on.history, decisions);
  return decisions;
}

void Runtime::applyToRunning(PerDevice& on, const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions) {
    RunningEntry* entry = on.running.find(decision.sequence);
    if (!entry || !entry->slot)
      continue;
    for (Pausable& launch : on.pausable) {
      if (launch.sequence != decision.sequence)
        continue;
      if (decision.action == Action::Pause) {
        pause(on, launch);
        askForStops(on);
      } else if (decision.action == Action::Resume) {
        std::lock_guard<std::mutex> lock(on.pausing);
        resume(launch);
      }
    }
    if (decision.action == Action::SetBudget)
      setBudget(on, *entry, decision);
  }
}

/// The user's own settings go before the policy's.
void Runtime::settleWish(Flight& flight) const {
  Wish& wish = flight.wish;
  const LaunchPlan& plan = flight.plan;
  wish.budget = plan.budget ? plan.budget : wish.decision.blocksPerSm;
  wish.masked = plan.mask || !wish.decision.sms.empty();
  wish.mask = plan.mask ? *plan.mask : fullSmMask();
  if (plan.mask || wish.decision.sms.empty())
    return;
  wish.mask.fill(0);
  for (uint32_t sm : wish.decision.sms)
    if (sm < GPUSCHED_MAX_SMS)
      wish.mask[sm / 32] |= 1u << (sm % 32);
}

/// What the stream itself orders, and what others wait for, need not be waited for again.
void Runtime::order(Flight& flight) {
  const std::vector<uint64_t>& after = flight.wish.decision.after;
  const RunningSet& running = flight.on.running;
  const uint64_t stream = streamId(flight.request.stream);
  flight.after.swap(flight.on.awaited);
  StreamClock known = running.before(stream);
  if (flight.joins())
    known.merge(running.before(flight.fused->otherStream));
  flight.before = running.waitForAll(
      std::move(known),
      [&](const RunningEntry& entry) {
        return std::binary_search(after.begin(), after.end(), entry.seen.lastSequence);
      },
      [&](const RunningEntry& entry) {
        flight.after.push_back(Completions::share(entry.completion));
      });
  running.prune(flight.before);
  flight.before.reach(stream, flight.sequence - 1);
}

void Runtime::releaseAwaited(Flight& flight) {
  for (Completion* end : flight.after)
    flight.on.device.completions.release(end);
  flight.after.clear();
  flight.after.swap(flight.on.awaited);
}

void Runtime::makeWaits(const Flight& flight) {
  const gpusched_launch_request& request = flight.request;
  for (const Completion* end : flight.after)
    if (!Completions::makeWait(*request.cudart, request.stream, *end))
      GPUSCHED_LOG_ONCE(LogLevel::Warning, "cannot make a launch wait for another; it starts now");
}

bool Runtime::wantsTwin(Flight& flight) const {
  bool asked = settings_.variant == ForcedVariant::Persistent || flight.wish.budget != 0 ||
               flight.wish.masked;
  if (!asked || flight.unmanaged || settings_.variant == ForcedVariant::Native ||
      !flight.plan.hasPersistent() || !twinMayRun(flight.request, *flight.plan.kernel))
    return false;
  flight.guarded = guarded(flight);
  flight.wanted = !flight.guarded;
  return flight.wanted;
}

/// The occupancy guard. A twin that lost resident blocks to its registers costs speed where its own
/// occupancy is what bounds it. Beside other kernels that is the price of a budget at all; alone
/// it buys nothing. What the user asked for himself is not guarded.
bool Runtime::guarded(const Flight& flight) const {
  if (!settings_.occupancyGuard || settings_.variant == ForcedVariant::Persistent ||
      flight.plan.budget != 0 || flight.wish.masked || flight.plan.lostBlocks() == 0 ||
      flight.wish.budget < flight.plan.persistentOccupancy || hasCompany(flight.on) ||
      flight.keepsBudget)
    return false;
  const std::vector<RunningEntry>& running = flight.on.running.entries();
  return std::none_of(running.begin(), running.end(), [&](const RunningEntry& entry) {
    return !entry.seen.unmanaged && beside(entry, flight.before);
  });
}

void Runtime::planTwin(Flight& flight) {
  PersistentOptions& options = flight.options;
  const uint64_t total = cudart::count(flight.request.grid);
  const uint32_t sms = flight.on.device.limits().sms;
  options.workers = planWorkers(total, sms, flight.plan.persistentOccupancy, flight.wish.budget,
                                flight.wish.masked ? countSms(flight.wish.mask, sms) : sms);
  options.mask = &flight.wish.mask;
  options.spareLaunches = settings_.pauseEveryUs ? 0 : settings_.spareLaunches;
  options.role = roleOf(flight);
  planClaims(flight, total);
  // What a twin cannot exceed is no budget: kernels with unlike occupancy share a control block.
  const bool fits = options.workers.blocksPerSm == flight.plan.persistentOccupancy;
  options.budget = fits && !policy_ ? GPUSCHED_NO_BUDGET : options.workers.blocksPerSm;
}

/// One by one where workers must not hold ids back, where each has a block of itself, and where a
/// budget may change while blocks last.
void Runtime::planClaims(Flight& flight, uint64_t total) const {
  const gpusched_u32 flags = flight.plan.kernel->flags;
  PersistentOptions& options = flight.options;
  const bool mayChange = options.role != GPUSCHED_ALONE && !(flags & GPUSCHED_KERNEL_NO_LOOPS);
  const bool single = !(flags & GPUSCHED_KERNEL_BATCHES) || options.role == GPUSCHED_FITS ||
                      (mayChange && settings_.claimBatch == 0);
  if (!single)
    options.workers.batches = planBatches(total, options.workers.residents, settings_.claimBatch);
}

/// The least that the launch needs of its workers.
gpusched_role Runtime::roleOf(const Flight& flight) const {
  const PersistentOptions& options = flight.options;
  if (policy_ || settings_.pauseEveryUs || options.spareLaunches > 0)
    return GPUSCHED_LEADS;
  const WorkerPlan& workers = options.workers;
  const bool measured =
      telemetry_.enabled() && flight.plan.kernel->flags & GPUSCHED_KERNEL_TELEMETRY;
  if (flight.wish.masked || measured || workers.blocksPerSm < flight.plan.persistentOccupancy)
    return GPUSCHED_LEADS;
  return workers.workers < cudart::count(flight.request.grid) ? GPUSCHED_ALONE : GPUSCHED_FITS;
}

ControlSlot* Runtime::acquire(const Flight& flight) {
  LaunchDevice& device = flight.on.device;
  ControlSlot* const slot = device.pool.acquire(device.runtime(), device.completions,
                                                flight.options.budget, flight.wish.mask);
  // Whoever resumes must not take it for the launch that had it.
  dropPausables(flight.on, [slot](const Pausable& launch) { return launch.slot == slot; });
  return slot;
}

void Runtime::enqueueFittingTwin(Flight& flight) {
  flight.twin = flight.enqueued = enqueueFitting(flight.request, flight.plan, flight.options);
}

bool Runtime::enqueueTwin(Flight& flight, ControlSlot* slot) {
  PersistentOptions& options = flight.options;
  TelemetryBuffer* sample = beginTelemetry(flight);
  options.telemetry = sample ? sample->device : nullptr;
  slot->sequence = flight.sequence;
  slot->stream = streamId(flight.request.stream);
  slot->owner = 0;
  slot->saved.cudart = nullptr;
  if (!enqueuePersistent(flight.on.device, flight.request, flight.plan, *slot, options))
    return false;
  flight.slot = slot;
  flight.twin = flight.enqueued = true;
  if (policy_)
    saveLaunch(*slot, flight.request, flight.plan, options);
  if (settings_.pauseEveryUs)
    stress(flight);
  if (sample)
    TelemetryBuffers::end(*flight.request.cudart, *sample, flight.request.stream);
  return true;
}

TelemetryBuffer* Runtime::beginTelemetry(Flight& flight) {
  const gpusched_launch_request& request = flight.request;
  if (!(flight.plan.kernel->flags & GPUSCHED_KERNEL_TELEMETRY) || !telemetry_.due(flight.plan))
    return nullptr;
  SampledLaunch launch{flight.plan.kernel->name,
                       uint32_t(cudart::count(request.block)),
                       request.sharedBytes,
                       cudart::count(request.grid),
                       flight.options.workers.blocksPerSm,
                       flight.options.workers.workers};
  return flight.on.telemetry.begin(*request.cudart, telemetry_, std::move(launch), request.stream);
}

RunningKernel Runtime::asRunning(const Flight& flight, uint32_t blocksPerSm) const {
  RunningKernel running;
  running.firstSequence = running.lastSequence = flight.sequence;
  running.stream = streamId(flight.request.stream);
  running.set = flight.wish.decision.set;
  running.blocksPerSm = blocksPerSm;
  running.kernel = &flight.plan.policyKernel;
  running.priority = settings_.priority;
  running.streamPriority = flight.streamPriority;
  running.blocks = blocksOf(flight.request);
  running.unmanaged = flight.unmanaged != nullptr;
  return running;
}

/// Where the launch failed, a copy of the slot's image may wait in the stream all the same.
void Runtime::keepSlot(const Flight& flight, ControlSlot& slot, Completion* end) {
  PerDevice& on = flight.on;
  if (flight.slot && flight.options.spareLaunches > 0 && end) {
    if (settings_.attends)
      startAttendant();
    dropEndedPausables(on);
    std::lock_guard<std::mutex> lock(on.pausing);
    on.pausable.push_back({&slot, Completions::share(end), flight.sequence,
                           flight.options.workers.blocksPerSm, flight.options.spareLaunches});
  }
  on.device.pool.inFlight(&slot, Completions::share(end));
}

void Runtime::enter(const Flight& flight, Completion* end, ControlSlot* slot) {
  PerDevice& on = flight.on;
  RunningKernel seen = asRunning(flight, slot ? flight.options.workers.blocksPerSm : 0);
  seen.yields = slot && flight.wish.decision.blocksPerSmAfter != 0;
  on.depths.add(*flight.request.cudart, on.device.completions, seen.stream, end);
  RunningEntry* const entry =
      on.running.add(seen, Completions::share(end), slot, on.device.completions);
  if (!entry)
    return;
  entry->alone = flight.wish.decision.blocksPerSmAlone;
  if (seen.yields) // also where the entry had its full budget when the launch was decided
    entry->seen.yields = true, entry->after = flight.wish.decision.blocksPerSmAfter,
    entry->alone = std::max(entry->alone, entry->after);
  entry->before = flight.before;
  entry->alsoOf = flight.joins() ? flight.fused->otherStream : 0;
}

} // namespace gpusched
