// Arguments whose class copies its members itself: the function that keeps the name hands them on,
// and one copy more changes nothing. A copy that does more, or less, keeps its kernel native.
// RUN: %gpusched-opt --explain %s 2>%t.err | grep -v CHECK | FileCheck %s
// RUN: FileCheck %s --check-prefix=NATIVE --input-file=%t.err --implicit-check-not='kept native'
// RUN: %gpusched-opt %s | %reparse
template <class T> struct Vector {
  T x, y;
  __device__ Vector(T a, T b) : x(a), y(b) {}
  __device__ Vector(const Vector& other) : x(other.x), y{other.y} {}
};
struct Point : Vector<float> {
  Vector<int> cell;
  __device__ Point() : Vector(0, 0), cell(0, 0) {}
  __device__ Point(const Point& other) : Vector(other), cell(other.cell) {}
};
// CHECK: __device__ float scaled(const Point point) { return ::scaled__gs_call{::blockIdx, ::gridDim}(point); }
__device__ float scaled(const Point point) { return point.x * blockIdx.x; }
// CHECK: __global__ void fine(float * out) { fine__gs_body(::blockIdx, ::gridDim, ::scaled__gs_call{::blockIdx, ::gridDim}, out); }
__global__ void fine(float* out) { out[0] = scaled(Point()); }

struct Segment : Point {
  const Vector<float> begin{0, 1};
  Point end;
};
// CHECK: __device__ float lengthOf(Segment gpusched_p0) { return ::lengthOf__gs_call{::blockIdx, ::gridDim}(gpusched_p0); }
__device__ float lengthOf(Segment) { return blockIdx.x; }
__global__ void implicitly(float* out) { out[0] = lengthOf(Segment()); }

struct Named {
  int x;
  __device__ Named() : x(0) {}
  template <class... T> __device__ explicit Named(T&&... other) : x((other.x + ...)) {}
};
// CHECK: __device__ int ofNamed(Named gpusched_p0) { return ::ofNamed__gs_call{::blockIdx, ::gridDim}(gpusched_p0); }
__device__ int ofNamed(Named) { return blockIdx.x; }
__global__ void named(int* p) { p[0] = ofNamed(Named()); }

// What takes any variable for something else is given a constant.
template <class... T> struct Tuple {
  int x = 1;
  __device__ Tuple() {}
  Tuple(const Tuple&) = default;
  template <class... U> __device__ Tuple(U&&... other) : x((other.x + ...)) {}
};
struct Taker {
  // CHECK: { return call__gs<T>(::blockIdx, ::gridDim, static_cast<const decltype(tuple)&>(tuple), n); }
  template <class T> __device__ int operator()(T tuple, int n) { return tuple.x + n + blockIdx.x; }
  // CHECK: { return all__gs<T...>(::blockIdx, ::gridDim, static_cast<const decltype(tuples)&>(tuples)...); }
  template <class... T> __device__ int all(T... tuples) { return (tuples.x + ...) + blockIdx.x; }
};
__global__ void taken(int* p) { p[0] = Taker()(Tuple<int>(), 2) + Taker().all(Tuple<int>(), Tuple<>()); }
// NATIVE: kernel 'natively' kept native: [GS023]
__global__ void natively(int* p) { p[::blockIdx.x] = Taker()(Tuple<int>(), 2) + Taker().all(Tuple<int>(), Tuple<>()); }

struct Swapped {
  int x, y;
  __device__ Swapped() : x(0), y(1) {}
  __device__ Swapped(const Swapped& other) : x(other.y), y(other.x) {}
};
struct Counted {
  int x;
  __device__ Counted() : x(0) {}
  __device__ Counted(const Counted& other) : x(other.x) { ++x; }
};
struct Partial {
  int x, y;
  __device__ Partial() : x(0), y(1) {}
  __device__ Partial(const Partial& other) : x(other.x) {}
};
struct Ended {
  int* x;
  __device__ Ended(int* a) : x(a) {}
  __device__ Ended(const Ended& other) : x(other.x) {}
  __device__ ~Ended() { ++*x; }
};
struct Either {
  union {
    float x;
    double y;
  };
  __device__ Either() : y(1) {}
  __device__ Either(const Either& other) : x(other.x) {}
};
struct Chosen {
  int x;
  __device__ Chosen() : x(0) {}
  __device__ Chosen(const Chosen& other) : x(other.x) {}
  __device__ Chosen(Chosen& other) : x(other.x + 1) {}
};
struct Greedy {
  int x;
  __device__ Greedy() : x(0) {}
  __device__ Greedy(const Greedy& other) : x(other.x) {}
  template <class T> __device__ Greedy(T&& other) : x(other.x + 1) {}
};
struct Holder {
  Counted counted;
  __device__ Holder() {}
  __device__ Holder(const Holder& other) : counted(other.counted) {}
};

struct Hosts {
  int x;
  __device__ Hosts() : x(0) {}
  Hosts(const Hosts& other) : x(other.x) {}
};
struct Asked {
  int x;
  __device__ Asked() : x(0) {}
  explicit __device__ Asked(const Asked& other) : x(other.x) {}
};
struct Line {
  int x = 0;
  Swapped ends;
};
// NATIVE: kernel 'line' kept native: [GS020] {{.*}} 'ofLine' {{.*}}; which has an unusual signature
__device__ int ofLine(Line) { return blockIdx.x; }
__global__ void line(int* p) { p[0] = ofLine(Line()); }
// NATIVE: kernel 'swapped' kept native: [GS020] {{.*}} 'ofSwapped' {{.*}}; which has an unusual signature
__device__ int ofSwapped(Swapped) { return blockIdx.x; }
__global__ void swapped(int* p) { p[0] = ofSwapped(Swapped()); }
// NATIVE: kernel 'counted' kept native: [GS020] {{.*}} 'ofCounted' {{.*}}; which has an unusual signature
__device__ int ofCounted(Counted) { return blockIdx.x; }
__global__ void counted(int* p) { p[0] = ofCounted(Counted()); }
// NATIVE: kernel 'partial' kept native: [GS020] {{.*}} 'ofPartial' {{.*}}; which has an unusual signature
__device__ int ofPartial(Partial) { return blockIdx.x; }
__global__ void partial(int* p) { p[0] = ofPartial(Partial()); }
// NATIVE: kernel 'ended' kept native: [GS020] {{.*}} 'ofEnded' {{.*}}; which has an unusual signature
__device__ int ofEnded(Ended) { return blockIdx.x; }
__global__ void ended(int* p) { p[0] = ofEnded(Ended(p)); }
// NATIVE: kernel 'either' kept native: [GS020] {{.*}} 'ofEither' {{.*}}; which has an unusual signature
__device__ int ofEither(Either) { return blockIdx.x; }
__global__ void either(int* p) { p[0] = ofEither(Either()); }
// NATIVE: kernel 'chosen' kept native: [GS020] {{.*}} 'ofChosen' {{.*}}; which has an unusual signature
__device__ int ofChosen(Chosen) { return blockIdx.x; }
__global__ void chosen(int* p) { p[0] = ofChosen(Chosen()); }
// NATIVE: kernel 'greedy' kept native: [GS020] {{.*}} 'ofGreedy' {{.*}}; which has an unusual signature
__device__ int ofGreedy(Greedy) { return blockIdx.x; }
__global__ void greedy(int* p) { p[0] = ofGreedy(Greedy()); }
// NATIVE: kernel 'holder' kept native: [GS020] {{.*}} 'ofHolder' {{.*}}; which has an unusual signature
__device__ int ofHolder(Holder) { return blockIdx.x; }
__global__ void holder(int* p) { p[0] = ofHolder(Holder()); }
// NATIVE: kernel 'hosts' kept native: [GS020] {{.*}} 'ofHosts' {{.*}}; which has an unusual signature
__device__ int ofHosts(Hosts) { return blockIdx.x; }
__global__ void hosts(int* p) { p[0] = ofHosts(Hosts()); }
// NATIVE: kernel 'asked' kept native: [GS020] {{.*}} 'ofAsked' {{.*}}; which has an unusual signature
__device__ int ofAsked(Asked) { return blockIdx.x; }
__global__ void asked(int* p) { p[0] = ofAsked(Asked()); }
