// nvcc's atomic built-ins are declared nowhere; a kernel with them is understood all the same.
// RUN: %gpusched-opt --explain %s > %t.cu 2> %t.remarks && count 0 < %t.remarks
// RUN: grep -v CHECK %t.cu | FileCheck %s && %reparse %t.cu
// CHECK: void atomics__gs(
__global__ void atomics(unsigned* a, const unsigned* b, unsigned long long* c) {
  const unsigned old = __nv_atomic_load_n(a, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(a, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_store_n(a + 1, __nv_atomic_load_n((unsigned*)b, __NV_ATOMIC_RELAXED), __NV_ATOMIC_RELEASE);
  __nv_atomic_max(a + 2, blockIdx.x, __NV_ATOMIC_RELAXED);
  unsigned expected = old;
  while (!__nv_atomic_compare_exchange_n(a, &expected, old + 1, true, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED)) {}
  *c = __nv_atomic_exchange_n(c + 1, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}
