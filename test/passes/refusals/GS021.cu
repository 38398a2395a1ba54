// A function of another file; a template that another file defines, or instantiates. What is only
// asked for its type is not called.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int elsewhere(int);
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS021] {{.*}}'elsewhere', declared at {{.*}}GS021.cu:[[@LINE-1]]:16 and defined in another file
__global__ void k(int* a) { a[blockIdx.x] = elsewhere(1); }

template <class T> __device__ T defined(T at);
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'ofDefined' kept native: [GS021] {{.*}}'defined'
__global__ void ofDefined(int* a) { a[blockIdx.x] = defined(1); }

template <class T> __device__ T instantiated(T at) { return at + blockIdx.x; }
extern template __device__ int instantiated<int>(int);
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'ofInstantiated' kept native: [GS021] {{.*}}'instantiated'
__global__ void ofInstantiated(int* a) { a[blockIdx.x] = instantiated(1); }

template <class T> struct Table {
  __device__ T at(T place);
};
template <class T> __device__ T Table<T>::at(T place) { return place + blockIdx.x; }
extern template struct Table<int>;
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'ofMember' kept native: [GS021] {{.*}}'at'
__global__ void ofMember(int* a) { a[blockIdx.x] = Table<int>().at(1); }
