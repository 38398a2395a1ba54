// A friend that reads the built-ins: its object's type is declared before the class that befriends
// it, and is another friend of it.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s && FileCheck --check-prefix=REMARK %s < %t.err
// RUN: %reparse %t.cu

// CHECK: namespace { struct index__gs_call; } class Plain { friend struct ::index__gs_call;
class Plain {
  int value = 3;
  friend __device__ int index(const Plain& plain);
};
__device__ int index(const Plain& plain) { return plain.value + blockIdx.x; }

namespace quda {
inline namespace v1 {
template <class A> __device__ void write(A& a, int n);
template <class R, class A> __device__ void reduce(A& a, R r, int n = 1);
struct Unrelated {};
// CHECK: namespace { struct write__gs_call; } namespace { struct reduce__gs_call; } namespace { struct reduce__gs_call; } template <class T> struct Sum { friend struct ::quda::write__gs_call; friend struct ::quda::reduce__gs_call;
template <class T> struct Sum {
  template <class A> friend __device__ void write(A& a, int n);
  template <class R, class A> friend __device__ void reduce(A& a, R r, int n);
  // CHECK: class Inner { friend struct ::quda::reduce__gs_call;
  class Inner {
    template <class R, class A> friend __device__ void reduce(A& a, R r, int n);
    T start = 1;
  };

private:
  Inner inner;
  T* out = nullptr;
};
template <class A> __device__ void write(A& a, int n) { a.out[gridDim.x] = n; }
template <class R, class A> __device__ void reduce(A& a, R r, int n) {
  a.out[blockIdx.x] = a.inner.start + r + n;
  write(a, n);
}
} // namespace v1
} // namespace quda

namespace {
// CHECK: struct hidden__gs_call; struct Hidden { friend struct ::hidden__gs_call;
struct Hidden {
  __device__ explicit Hidden(int value) : value(value) {}

private:
  friend __device__ int hidden(Hidden hidden);
  int value;
};
__device__ int hidden(Hidden hidden) { return hidden.value * blockIdx.x; }
} // namespace

// Left alone: classes in front of which nothing can be declared, or that hold the text; members.
// REMARK: kernel 'refused' kept native: [GS020] {{.*}} 'named' {{.*}}; which is a friend of a class that cannot befriend its object
// REMARK-NEXT: kernel 'inside' kept native: [GS020] {{.*}} 'held' {{.*}}; which is a friend of a class that cannot
// REMARK-NEXT: kernel 'made' kept native: [GS020] {{.*}} 'ofMacro' {{.*}}; which is a friend of a class that cannot
// REMARK-NEXT: kernel 'member' kept native: [GS020] {{.*}} 'look' {{.*}}; which is a friend of a class{{$}}
// REMARK-NOT: remark
typedef struct Named {
  friend __device__ int named(Named named);
  __device__ Named() {}

private:
  int value = 1;
} Other;
__device__ int named(Named named) { return named.value * blockIdx.x; }

struct Holder {
  friend __device__ int held(Holder holder) { return holder.value * blockIdx.x; }
  __device__ Holder() {}

private:
  int value = 1;
};

#define CLASS(name, function)                                                                      \
  class name {                                                                                     \
    friend __device__ int function(const name& made);                                              \
    int value = 2;                                                                                 \
  }
CLASS(Made, ofMacro);
__device__ int ofMacro(const Made& made) { return made.value * blockIdx.x; }

class Looked;
struct Looker {
  __device__ int look(const Looked& looked);
};
class Looked {
  friend __device__ int Looker::look(const Looked& looked);
  int value = 3;
};
__device__ int Looker::look(const Looked& looked) { return looked.value * blockIdx.x; }

__global__ void plain(int* p) { p[blockIdx.x] = index(Plain{}) + hidden(Hidden(3)); }
__global__ void sums(quda::Sum<int> sum) { reduce(sum, 3.f); }
__global__ void refused(int* p) { p[0] = named(Other()); }
__global__ void inside(int* p) { p[0] = held(Holder()); }
__global__ void made(int* p) { p[0] = ofMacro(Made{}); }
__global__ void member(int* p) { p[0] = Looker().look(Looked{}); }

int main() {
  plain<<<1, 1>>>(nullptr);
  sums<<<1, 1>>>({});
}
