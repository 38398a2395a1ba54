// OutsideMembers.cuh - classes whose members are defined by the file that includes this.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

struct Place {
  int column;
  explicit __device__ Place(int lane);
  __device__ int at(int pitch = 0) const;
};

template <class T, int Width> class Sums {
  T* cells_;
  template <int Step> __device__ void fold(int lanes);

public:
  explicit __device__ Sums(T* cells) : cells_(cells) {}
  __device__ void run(const T* in, T* out, int pitch);
  static __device__ int group();
};
