// A parameter pack of a class that only the host can copy.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
struct Host {
  int value;
  Host(const Host& other) : value(other.value) {}
};
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS010] {{.*}}'host'
template <class... T> __global__ void k(int* a, T... host) {
  a[blockIdx.x] = (host.value + ...);
}
void launch(Host host, int* a) { k<<<1, 1>>>(a, host); }
