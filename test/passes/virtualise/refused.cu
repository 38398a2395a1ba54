// Forms of calls and functions that an object cannot stand for: the kernel stays native and the
// remark names the function, what it reads and why it cannot be told.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int over(int) { return blockIdx.x; }
namespace ns { __device__ int over(float) { return 0; } }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS020] {{.*}}: calls 'over' (blockIdx at {{.*}}refused.cu:5:{{[0-9]+}}); whose name means another function as well
__global__ void a(int* p) { p[over(1)] = ns::over(1.0f); }

__device__ int read() { return blockIdx.x; }
// CHECK: kernel 'b' {{.*}} 'read' {{.*}}; which is not called in the plain way everywhere
__global__ void b(int* p) { int (*pointer)() = read; p[pointer() + read()] = 0; }

struct Grid {
  __device__ int operator*() const { return gridDim.x; }
  int at;
  __device__ Grid() : at(blockIdx.x) {}
  __device__ int size() const { return gridDim.x; }
};
// CHECK: kernel 'c1' {{.*}} 'operator*' (gridDim {{.*}}; which is an operator, a copy constructor or a conversion
__global__ void c1(int* p, const Grid& grid) { p[*grid] = 0; }
// CHECK: kernel 'c2' {{.*}} 'Grid' (blockIdx {{.*}}; where a parameter would not be seen or could not be given
__global__ void c2(int* p) { Grid grid; p[grid.at] = 0; }
#define SIZE(grid) grid.size()
// CHECK: kernel 'c3' {{.*}} 'size' (gridDim {{.*}}; which a macro calls
__global__ void c3(int* p, const Grid& grid) { p[SIZE(grid)] = 0; }
struct Plain { __device__ static int size() { return 1; } };
struct Other { __device__ int operator()() const { return gridDim.x; } };
struct Both { Other size; };
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'c4' {{.*}} calls 'operator()' (gridDim {{.*}}; and means another function in other instantiations, which cannot be told as well
template <class T> __global__ void c4(int* p) { p[reinterpret_cast<T*>(p)->size()] = 0; }
template __global__ void c4<Plain>(int*);
template __global__ void c4<Both>(int*);
struct Counted { __device__ Counted(int n = 0) : at(read() + n) {} int at; };
// CHECK: kernel 'c5' {{.*}} 'Counted' (blockIdx {{.*}}; which is a constructor whose initialisers call such functions
__global__ void c5(int* p) { p[Counted(1).at] = 0; }
__global__ void c6(int* p, const Grid& grid) {
  // CHECK: kernel 'c6' {{.*}} 'of' {{.*}}; which is a member of a local class
  struct Local { __device__ static int of(const Grid& grid) { return grid.size(); } };
  p[Local::of(grid) + grid.size()] = 0;
}

class Secret {
  int value;
  friend __device__ int reveal(const Secret& secret) { return secret.value + blockIdx.x; }
};
// CHECK: kernel 'c7' {{.*}} 'reveal' (blockIdx {{.*}}; which is a friend of a class that cannot befriend its object
__global__ void c7(int* p, const Secret* secret) { p[reveal(*secret)] = 0; }

#define DEVICE static __device__
DEVICE int hidden() { return blockIdx.x; }
// CHECK: kernel 'e' {{.*}}; whose specifiers cannot be taken
__global__ void e(int* p) { p[hidden()] = 0; }
