// LaunchAbi.h - what a rewritten program and libgpusched_rt say to each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data, C layout, no CUDA header needed: the injected header (host and device side), the
// runtime and the passes all include this file and nothing else of each other. Any change to a
// struct raises kGpuschedAbiVersion; a runtime that meets another version launches natively.
//
//   program                                  libgpusched_rt.so (dlopen, optional)
//   k<<<g,b,s,st>>>(args)
//     -> gpusched_launch (weak, in the object)
//          GPUSCHED unset, no runtime, any error -> the native kernel
//          else gpusched_rt_launch(request) ----> registry -> profile -> policy -> device
//                                                   -> native or persistent launch through
//                                                      request->cudart
//
// C++11 and later.
#pragma once

#include <stddef.h>

// Not <stdint.h>, which cuda_runtime.h does not include: a program may define its names itself.
typedef __UINT32_TYPE__ gpusched_u32;
typedef __UINT64_TYPE__ gpusched_u64;

#define GPUSCHED_ABI_VERSION 15u

/// Highest %smid a placement mask can name. H200 has 132; ids need not be contiguous.
#define GPUSCHED_MAX_SMS 512u

/// Largest logical grid of a persistent launch: block ids fit 32 bits, overshoot included.
/// Persistent launches are one-dimensional: gridDim = (workers, 1, 1); but for GPUSCHED_FITS.
#define GPUSCHED_MAX_LOGICAL_BLOCKS 0xfff00000ull

/// A workers_per_sm that no SM reaches.
#define GPUSCHED_NO_BUDGET 0x7fffffffu

/// Largest batch_shift: so the overshoot stays below 2^20 ids for any device's workers.
#define GPUSCHED_MAX_BATCH_SHIFT 3u

/// One persistent launch's mutable state, in device memory, zeroed before its first launch except
/// `workers_per_sm` and `sm_mask`. The host may write `workers_per_sm` while the kernel runs:
/// lower = workers leave at one of their next two claims, 0 = pause. A worker reads it before it
/// claims, so every id ever claimed is run: after a pause `next` alone says where to resume.
/// `next` and `finished` are counted on from launch to launch, from gpusched_params::base and
/// finished_before; where a launch may be helped, what the device has before it begins is not above
/// its base. When a launch's last worker leaves, `left` and `sm_slots` are 0 again, and if
/// all are claimed `next` is gpusched_params::end, and `finished` has moved by `total`; behind
/// GPUSCHED_ALONE `next` is `end` and the number of workers, for each asks until it finds nothing,
/// and `finished` has not moved.
/// `telemetry` is read by kernels compiled with GPUSCHED_TELEMETRY only.
struct gpusched_control {
  gpusched_u64 next; ///< next batch of logical block ids to claim, in increasing order
  gpusched_u32 left; ///< workers that have left: the last of the launch has all others behind it
  gpusched_u32 reserved;
  gpusched_u32 workers_per_sm; ///< budget: resident workers allowed on one SM
  gpusched_u32 finished;       ///< logical blocks whose body has returned in every thread
  gpusched_u32 sm_mask[GPUSCHED_MAX_SMS / 32]; ///< bit = this SM may be used
  gpusched_u32 sm_slots[GPUSCHED_MAX_SMS];     ///< workers now on each SM
  struct gpusched_telemetry* telemetry;        ///< device pointer; null: this launch is not sampled
};

/// What one worker says of itself when it leaves. Workers that ran no block say nothing.
struct gpusched_worker_record {
  gpusched_u64 begin_ns, end_ns; ///< %globaltimer when it had its slot, and behind its last block
  gpusched_u64 cycles;           ///< %clock64 between the two
  gpusched_u32 sm;               ///< %smid when it took its slot
  gpusched_u32 blocks;           ///< logical blocks that it ran
  gpusched_u32 lost_claims;      ///< claims that found no block left; else its budget went away
  gpusched_u32 reserved;
};

/// The head of a buffer of records, in device memory; `written` is 0 before the launch.
struct gpusched_telemetry {
  gpusched_u32 capacity; ///< records that have room behind the head
  gpusched_u32 written; ///< records that were to be written: above `capacity`, the rest was dropped
};

/// Division by a number that does not change: with h the high word of multiplier * n,
/// n / divisor = (h + ((n - h) >> first)) >> second for every 32-bit n.
struct gpusched_divisor {
  gpusched_u32 multiplier, first, second;
};

/// First parameter of every persistent kernel, by value (constant bank).
struct gpusched_params {
  struct gpusched_control* control;    ///< device pointer
  gpusched_u32 total;                  ///< logical blocks: grid_x * grid_y * grid_z, at most
                                       ///< GPUSCHED_MAX_LOGICAL_BLOCKS (launch natively beyond)
  gpusched_u32 grid_x, grid_y, grid_z; ///< logical grid
  struct gpusched_divisor by_x, by_y;  ///< for grid_x and grid_y
  gpusched_u32 role;                   ///< gpusched_role
  gpusched_u32 batch_shift;            ///< of the largest batch; 0 without the flag for batches
  gpusched_u32 batches; ///< claims for 1 << batch_shift ids each, the first ones. Behind them
  gpusched_u32 step;    ///< come this many for half as many ids, then for a quarter, and all
                        ///< others for one
  gpusched_u32 base; ///< what a claim's answer counts from: control->next as the launch finds it,
                     ///< less the claims that workers have by their numbers
  gpusched_u32 end;  ///< base and the number of claims for `total` ids
  gpusched_u32 finished_before; ///< control->finished likewise
  gpusched_u32* ended; ///< of GPUSCHED_ALONE, in pinned host memory: set to 1 by whoever makes the
                       ///< launch's last claim. Nobody needs the control block from then on
};

/// One of the two launches that a kernel for pairs runs.
struct gpusched_pair_side {
  gpusched_u32 grid_x, grid_y, grid_z; ///< its grid
  struct gpusched_divisor by_x, by_y;  ///< for grid_x and grid_y
};

/// First parameter of every kernel that runs the blocks of two launches (device/PairedBlocks.cuh),
/// by value. Its own grid is one-dimensional: the blocks of both, which are mixed evenly. So many
/// of the first i are the first launch's: the high word of i * share. With a blocks of the first
/// and b of the second launch, share = ceil(a * 2^32 / (a + b)).
struct gpusched_pair {
  gpusched_u32 share;
  struct gpusched_pair_side sides[2];
};

enum gpusched_role {
  GPUSCHED_LEADS = 0, ///< may have a budget and a mask, be helped, or continued by a second launch
  GPUSCHED_HELPS = 1, ///< adds workers to a launch in flight, which waits for the blocks they run
  GPUSCHED_ALONE = 2, ///< nothing of that: workers take no slots, they only claim; with the flag
                      ///< for batches worker i has claim i of itself
  GPUSCHED_FITS = 3,  ///< the same with a worker for each block: the launch has the kernel's grid,
                      ///< each worker runs its own block, and there is no control block
};

enum gpusched_kernel_flags {
  GPUSCHED_KERNEL_LOOK_BACK_SAFE = 1u << 0, ///< claims in increasing order (always set today)
  GPUSCHED_KERNEL_DRAIN_BARRIER = 1u << 1,  ///< early return and barriers: drain variant
  /// The twin may be launched only when block.x is a multiple of 32: its analysis took threads
  /// with neighbouring threadIdx.x for one warp. Otherwise launch natively.
  GPUSCHED_KERNEL_WHOLE_WARP_ROWS = 1u << 2,
  GPUSCHED_KERNEL_TELEMETRY = 1u << 3, ///< the twin writes records, see gpusched_telemetry
  /// No block waits for another one: workers may hold ids back, and take gpusched_params::batches.
  GPUSCHED_KERNEL_BATCHES = 1u << 4,
  GPUSCHED_KERNEL_NO_LOOPS = 1u << 5, ///< nothing in it runs twice, so a block is over soon
};

/// The flags from this bit on: dynamic shared memory that a launch of the twin asks for behind the
/// kernel's own, which is rounded up to 16 bytes; in units of that many bytes.
#define GPUSCHED_KERNEL_SHARED_SHIFT 16u
#define GPUSCHED_SHARED_UNIT 128u
/// How many: for the worker's words, for those and the table of mbarriers, for these and the words
/// about lanes. Each begins so far before the end.
#define GPUSCHED_WORKER_UNITS 1u
#define GPUSCHED_MBARRIER_UNITS 3u
#define GPUSCHED_LANE_UNITS 37u

/// One kernel of the program, registered by a static object before main. All pointers live as
/// long as the program (or the shared library) is loaded.
struct gpusched_kernel {
  const void* native;     ///< host stub of the original
  const void* persistent; ///< host stub of the persistent variant; null = native only
  const char* name;       ///< as in the source, qualified, with template arguments
  const char* file;       ///< source file, as given to the compiler
  gpusched_u32 line;
  gpusched_u32 parameters;            ///< number of kernel parameters of the native form
  gpusched_u32 flags;                 ///< gpusched_kernel_flags
  const gpusched_u32* parameterBytes; ///< size of each parameter; null = not known
  /// Of a kernel that runs the blocks of two launches: their host stubs. Its parameters are a
  /// gpusched_pair, those of the first and those of the second. Null of all others.
  const void *first, *second;
  struct gpusched_kernel* next; ///< list of this program or shared library
};

/// What a module (-ptx, -cubin, -fatbin) says of a kernel's twin: begins the value of the device
/// variable GPUSCHED_MODULE_TWIN_PREFIX<symbol of the kernel>. Three texts follow, each with a zero
/// behind it: the twin's symbol, the kernel's name and its source file, as in gpusched_kernel.
struct gpusched_module_twin {
  gpusched_u32 abi_version;
  gpusched_u32 flags; ///< gpusched_kernel_flags
  gpusched_u32 parameters, line;
};
#define GPUSCHED_MODULE_TWIN_PREFIX "gpusched_twin_of_"

struct gpusched_dim3 {
  gpusched_u32 x, y, z;
};

/// The CUDA runtime that this program or library is linked with, static or shared, as plain
/// function pointers; the runtime library never links cudart itself. Streams and events are
/// opaque; int results are cudaError_t. Appended to, never reordered.
struct gpusched_cudart {
  gpusched_u32 size; ///< sizeof(gpusched_cudart) as the program was compiled
  int (*launchKernel)(const void* function, struct gpusched_dim3 grid, struct gpusched_dim3 block,
                      void** arguments, size_t sharedBytes, void* stream);
  int (*getLastError)(void);
  int (*getDevice)(int* device);
  int (*deviceGetAttribute)(int* value, int attribute, int device);
  int (*funcGetAttributes)(void* attributes, const void* function); ///< cudaFuncAttributes
  int (*funcSetAttribute)(const void* function, int attribute, int value);
  int (*occupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, const void* function,
                                                   int blockThreads, size_t sharedBytes);
  int (*malloc)(void** pointer, size_t bytes);
  int (*free)(void* pointer);
  int (*mallocHost)(void** pointer, size_t bytes);
  int (*freeHost)(void* pointer);
  int (*memcpyAsync)(void* to, const void* from, size_t bytes, int kind, void* stream);
  int (*memsetAsync)(void* to, int value, size_t bytes, void* stream);
  int (*streamCreateWithFlags)(void** stream, unsigned flags);
  int (*streamSynchronize)(void* stream);
  int (*streamIsCapturing)(void* stream, int* status);
  int (*streamWaitEvent)(void* stream, void* event, unsigned flags);
  int (*eventCreateWithFlags)(void** event, unsigned flags);
  int (*eventRecord)(void* event, void* stream);
  int (*eventQuery)(void* event);
  int (*eventDestroy)(void* event);
  /// cudaGetDriverEntryPointByVersion; null when the toolkit has none.
  int (*getDriverEntryPoint)(const char* symbol, void** function, unsigned version,
                             unsigned long long flags, int* status);
  int (*threadExchangeStreamCaptureMode)(int* mode);
  int (*eventElapsedTime)(float* milliseconds, void* from, void* to);
  int (*launchHostFunc)(void* stream, void (*function)(void*), void* data);
  int (*getFuncBySymbol)(void** handle, const void* function); ///< a CUfunction
  int (*peekAtLastError)(void);
  /// A cudaLaunchConfig_t; null where launches take no attributes.
  int (*launchKernelExC)(const void* config, const void* function, void** arguments);
  int (*streamGetPriority)(void* stream, int* priority);
  int (*deviceGetStreamPriorityRange)(int* least, int* greatest);
};

/// What a request without a function says of the launches of its thread that follow: two of them
/// stand side by side in the source, with nothing of CUDA between them (passes/Fuse.cpp).
enum gpusched_pair_mark {
  GPUSCHED_NO_PAIR = 0,       ///< a launch, as every request with a function
  GPUSCHED_PAIR_BEGINS = 1,   ///< in front of the first: it may be held until the second comes
  GPUSCHED_PAIR_PROMISED = 2, ///< the same, and the program says that neither needs the other's
                              ///< results: they may be of one stream
  GPUSCHED_PAIR_ENDS = 3,     ///< behind the second: what is held is launched
};

/// One intercepted launch. Lives on the caller's stack: the runtime copies what it keeps.
struct gpusched_launch_request {
  gpusched_u32 abi_version;
  const void* function; ///< host stub that the program launched
  struct gpusched_dim3 grid, block;
  void** arguments; ///< one pointer per kernel parameter
  size_t sharedBytes;
  void* stream;                    ///< cudaStream_t; null = default stream of the caller's kind
  struct gpusched_kernel* kernels; ///< list of the caller's program or library
  const struct gpusched_cudart* cudart;
  /// 1: the first launch of the caller's program or library since it was loaded. Another library
  /// may have been where it is now.
  gpusched_u32 first;
  gpusched_u32 pair; ///< gpusched_pair_mark; if not 0, `function` is null and so is all of a launch
};

/// Exported by libgpusched_rt.so. Returns 1 when it launched (then *error is the cudaError_t the
/// program shall see) and 0 when the caller must launch the native kernel. Thread-safe.
typedef int (*gpusched_rt_launch_function)(const struct gpusched_launch_request* request,
                                           int* error);
#define GPUSCHED_RT_LAUNCH_SYMBOL "gpusched_rt_launch"

/// Exported, too: a launch that only the caller can make, of a kernel that no compiler of ours has
/// seen, with attributes that a twin cannot have, or, where there is no function, of a whole graph.
/// No policy decides about it, but kernels of lower priority step back for it. Returns 1 when
/// `make(data)` was called, which makes it and returns what CUDA says; then *error is that.
/// Thread-safe.
typedef int (*gpusched_rt_launch_unmanaged_function)(const struct gpusched_launch_request* request,
                                                     int (*make)(void* data), void* data,
                                                     int* error);
#define GPUSCHED_RT_LAUNCH_UNMANAGED_SYMBOL "gpusched_rt_launch_unmanaged"

/// Exported, too. To be called before code that was launched goes away, with whatever it was
/// launched by: its handles may be given to other code then. Thread-safe.
typedef void (*gpusched_rt_unloading_function)(void);
#define GPUSCHED_RT_UNLOADING_SYMBOL "gpusched_rt_unloading"
