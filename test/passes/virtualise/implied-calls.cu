// Calls that no text spells, so that no name in it can be an object: ends of objects, allocation,
// what a range, a binding or an inherited constructor asks for. And names that a declaration in the
// body takes away from the body's parameters.
// RUN: %gpusched-opt --explain %s -- -std=c++17 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
namespace std {
template <class T> struct tuple_size;
template <decltype(sizeof 0) N, class T> struct tuple_element;
}
struct Ends { int* p; __device__ ~Ends() { *p += blockIdx.x; } };
struct Holds { int n; Ends ends[2]; };
struct Derived : Ends {};
// CHECK: kernel 'temporary' kept native: [GS020] {{.*}} '~Ends' (blockIdx
__global__ void temporary(int* p) { Ends{p}; }
// CHECK: kernel 'member' {{.*}} '~Ends'
__global__ void member(int* p) { Holds holds{1, {{p}, {p}}}; }
// CHECK: kernel 'base' {{.*}} '~Ends'
__global__ void base(int* p) { Derived derived{{p}}; }
// CHECK: kernel 'deleted' {{.*}} '~Ends'
__global__ void deleted(Holds* p) { delete p; }
__device__ int take(Ends ends) { return *ends.p; }
// CHECK: kernel 'argument' {{.*}} '~Ends'
__global__ void argument(int* p) { take(Ends{p}); }
// CHECK: kernel 'captured' {{.*}} '~Ends'
__global__ void captured(int* p) { const Ends* ends = new Ends{p}; auto f = [=, e = *ends] { return 1; }; *p = f(); }

struct Shape { __device__ virtual ~Shape() {} };
struct Square : Shape { int* p; __device__ ~Square() { *p = gridDim.x; } };
// CHECK: kernel 'any' kept native: [GS022] {{.*}} '~Square' (gridDim
__global__ void any(Shape* shape) { delete shape; }

struct Made {
  int v;
  __device__ static void* operator new(decltype(sizeof 0)) { return (char*)nullptr + blockIdx.x; }
  __device__ explicit Made(int n) : v(blockIdx.x) {}
};
// CHECK: kernel 'made' {{.*}} 'operator new' (blockIdx
__global__ void made(Made** p) { *p = new Made(1); }
struct Heir : Made { using Made::Made; };
// CHECK: kernel 'inherits' {{.*}} 'Made' (blockIdx
__global__ void inherits(int* p) { Heir heir(1); *p = heir.v; }

struct Arena { char* base; };
__device__ void* operator new(decltype(sizeof 0), Arena& arena) { return arena.base + blockIdx.x; }
// CHECK: kernel 'placed' {{.*}} 'operator new' (blockIdx
__global__ void placed(Arena* arena) { new (*arena) int(1); }
struct Here { int v; __device__ Here() : v(blockIdx.x) {} __device__ explicit Here(int n) : v(n) {} };
struct Row { int n; Here here[2]; };
// CHECK: kernel 'filled' {{.*}} 'Here' (blockIdx
__global__ void filled(int* p) { Here all[3] = {Here(7)}; *p = all[2].v; }
// CHECK: kernel 'filledPart' {{.*}} 'Here' (blockIdx
__global__ void filledPart(int* p) { Row row{1}; *p = row.here[1].v; }
// CHECK: kernel 'filledHeap' {{.*}} 'Here' (blockIdx
__global__ void filledHeap(Here** p) { *p = new Here[3]{Here(1)}; }

namespace space {
struct Range {};
__device__ const int* begin(Range) { return (const int*)nullptr + blockIdx.x; }
__device__ const int* end(Range) { return nullptr; }
struct Two {};
template <int N> __device__ int get(Two) { return N + blockIdx.x; }
__device__ int read(Two = {}) { return blockIdx.x; }
}
// CHECK: kernel 'range' {{.*}} 'begin' (blockIdx {{.*}}; which is not called in the plain way everywhere
__global__ void range(int* p) { for (int n : space::Range{}) *p += n; }
template <> struct std::tuple_size<space::Two> { static constexpr int value = 2; };
template <decltype(sizeof 0) N> struct std::tuple_element<N, space::Two> { using type = int; };
// CHECK: kernel 'binding' {{.*}} 'get' (blockIdx {{.*}}; which is not called in the plain way everywhere
__global__ void binding(int* p) { auto [a, b] = space::Two{}; *p = a + b; }

// CHECK: kernel 'usingFunction' {{.*}} 'read' (blockIdx {{.*}}; which is not called in the plain way everywhere
__global__ void usingFunction(int* p) { if (*p) { using space::read; *p = read(); } }
__device__ int later() { return blockIdx.x; }
// CHECK: kernel 'declares' {{.*}} 'later' (blockIdx {{.*}}; which is not called in the plain way everywhere
__global__ void declares(int* p) { if (*p) { __device__ int later(); *p = later(); } }
// CHECK: kernel 'usingBuiltin' kept native: [GS023]
__global__ void usingBuiltin(int* p) { if (*p) { using ::blockIdx; *p = blockIdx.x; } }
