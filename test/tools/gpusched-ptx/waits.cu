// Loops by which a block may wait for another one keep a kernel native; loops that count, walk, or try again do not.
// RUN: %nvcc -ptx -arch=sm_90 %s -o %t.ptx
// RUN: %build/bin/gpusched-ptx --explain %t.ptx -o %t.twins.ptx 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: %cuda/bin/ptxas -arch=sm_90 %t.twins.ptx -o %t.cubin
// RUN: grep -c "entry.*__gs(" %t.twins.ptx | grep -qx 14

// CHECK-DAG: kernel 'none(int*)' has a twin: claims batches, early
extern "C++" __global__ void none(int* a) { a[blockIdx.x] += 1; }

// CHECK-DAG: kernel 'counts(int*, int)' has a twin: claims batches{{$}}
__global__ void counts(int* a, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x)
    atomicAdd(&a[i % 7], i);
}

// CHECK-DAG: kernel 'bounded(int*, int const*)' has a twin: claims batches{{$}}
__global__ void bounded(int* a, const int* __restrict__ n) {
  for (int i = 0; i < *n; ++i)
    a[blockIdx.x * 64 + i % 64] += i;
}

// CHECK-DAG: kernel 'walks(int*, int const*)' has a twin: claims single blocks
__global__ void walks(int* a, const int* next) {
  int at = blockIdx.x;
  while (at >= 0) {
    atomicAdd(a, 1);
    at = next[at];
  }
}

// CHECK-DAG: kernel 'triesAgain(float*, float)' has a twin: claims single blocks
__global__ void triesAgain(float* sum, float value) {
  int* const bits = reinterpret_cast<int*>(sum);
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}

// CHECK-DAG: kernel 'addsAgain(unsigned int*, unsigned int*)' has a twin: claims single blocks
__global__ void addsAgain(unsigned* sum, unsigned* value) {
  unsigned old = *sum, assumed;
  do {
    assumed = old;
    old = atomicCAS(sum, assumed, assumed + *value);
  } while (assumed != old);
}

// CHECK-DAG: kernel 'takes(unsigned int*, int*, unsigned int)' has a twin: claims single blocks
__global__ void takes(unsigned* queue, int* a, unsigned n) {
  for (unsigned i; (i = atomicAdd(queue, 1)) < n;)
    a[i] += 1;
}

// CHECK-DAG: kernel 'inserts(unsigned int*, unsigned int)' has a twin: claims single blocks
__global__ void inserts(unsigned* table, unsigned key) {
  unsigned at = key % 64;
  for (unsigned found; (found = atomicCAS(&table[at], 0, key)) != 0 && found != key;)
    at = (at + 1) % 64;
}

// CHECK-DAG: kernel 'bound(int*, int const*)' has a twin: claims single blocks
__global__ void bound(int* a, const int* row) {
  for (int i = row[0]; i < row[1]; ++i)
    a[i] = i;
}

// CHECK-DAG: kernel 'ofBlock(unsigned int*)' has a twin: claims single blocks
__global__ void ofBlock(unsigned* flag) {
  unsigned seen = 0;
  while (seen == 0)
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
}

// CHECK-DAG: kernel 'unread(int*, int*)' has a twin: claims single blocks
__global__ void unread(int* a, int* count) {
  __shared__ int left;
  for (int round = 0; round == 0 || left > 0; ++round) {
    __syncthreads();
    if (threadIdx.x == 0)
      left = --a[blockIdx.x + round];
    atomicMax(count, 1);
    __syncthreads();
  }
}

// CHECK-DAG: kernel 'asksTwice(int*)' has a twin: claims batches, early
__device__ __noinline__ int first(volatile int* a) { return a[0]; }
__global__ void asksTwice(int* a) { a[blockIdx.x] = first(a) + first(a + 1); }

// CHECK-DAG: kernel 'pollsBeside(int*, int volatile*, int)' has a twin: claims batches{{$}}
__global__ void pollsBeside(int* a, volatile int* seen, int n) {
  for (int i = 0; i < n; ++i)
    a[i] += seen[blockIdx.x];
}

// CHECK-DAG: kernel 'locks(int*, int*)' has a twin: claims single blocks
__global__ void locks(int* lock, int* a) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *a += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// CHECK-DAG: kernel 'empties(int*, int*)' stays native: a block may wait for another one in a loop (atom.{{.*}}cas
__global__ void empties(int* full, int* a) {
  while (atomicCAS(full, 1, 0) != 1) {
  }
  *a += 1;
}

// CHECK-DAG: kernel 'asks(int*, int*)' stays native: a block may wait for another one in a loop (atom.{{.*}}cas
__global__ void asks(int* flag, int* a) {
  while (atomicCAS(flag, 1, 1) != 1) {
  }
  *a += 1;
}

// CHECK-DAG: kernel 'exchanges(int*)' stays native: a block may wait for another one in a loop (atom.{{.*}}exch
__global__ void exchanges(int* flag) {
  while (atomicExch(flag, 5) != 3) {
  }
}

// CHECK-DAG: kernel 'meets(unsigned int*)' stays native: a block may wait for another one in a loop ({{ld.volatile|atom}}
__global__ void meets(unsigned* arrived) {
  atomicAdd(arrived, 1);
  while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) {
  }
}

// CHECK-DAG: kernel 'looksBack(int volatile*)' stays native: a block may wait for another one in a loop (ld.volatile
__global__ void looksBack(volatile int* sums) {
  int sum;
  while ((sum = sums[blockIdx.x]) == 0) {
  }
  sums[blockIdx.x + 1] = sum + 1;
}

// CHECK-DAG: kernel 'told(unsigned int*)' stays native: a block may wait for another one in a loop ({{ld.volatile|atom}}
__global__ void told(unsigned* flag) {
  __shared__ unsigned seen;
  do {
    __syncthreads();
    if (threadIdx.x == 0)
      seen = atomicAdd(flag, 0);
    __syncthreads();
  } while (seen == 0);
}

// CHECK-DAG: kernel 'toldPlainly(int*)' stays native: a block may wait for another one in a loop (ld.global
__global__ void toldPlainly(int* flag) {
  __shared__ int go;
  do {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      go = flag[0] >= int(blockIdx.x);
    }
    __syncthreads();
  } while (!go);
}

// CHECK-DAG: kernel 'follows(int*)' stays native: a block may wait for another one in a loop (ld.global
__global__ void follows(int* next) {
  for (int at = 0; at < 9;) {
    __threadfence();
    const int further = next[at];
    if (further != 0)
      at = further;
  }
}

// CHECK-DAG: kernel 'recurs(int*, int*)' stays native: a block may wait for another one where '_Z5againPVii' calls itself (ld.volatile
__device__ __noinline__ int again(volatile int* flag, int depth) { return *flag ? depth : again(flag, depth + 1) + 1; }
__global__ void recurs(int* flag, int* a) { a[blockIdx.x] = again(flag, 0); }

// CHECK-DAG: kernel 'calls(unsigned int*)' stays native: a block may wait for another one in a loop (call
__device__ __noinline__ unsigned asked(unsigned* flag) { return *static_cast<volatile unsigned*>(flag); }
__global__ void calls(unsigned* flag) {
  while (asked(flag) == 0) {
  }
}

// CHECK-DAG: kernel 'onePlace(int*)' stays native: a block may wait for another one in a loop (ld.global
__global__ void onePlace(int* flag) {
  while (*flag == 0)
    __syncthreads();
}

// CHECK-DAG: kernel 'isDone(int volatile*, int)' stays native: a block may wait for another one in a loop (ld.volatile
__global__ void isDone(volatile int* flag, int n) {
  bool done = false;
  for (int i = 0; !done; ++i)
    if (i % n == 3 && *flag)
      done = true;
}

// CHECK-DAG: kernel 'endless(int*)' stays native: a block may wait for another one in a loop
__global__ void endless(int* a) {
  for (;;)
    atomicAdd(a, 1);
}
