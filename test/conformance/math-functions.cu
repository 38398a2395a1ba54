// Library functions, single and double, within a few units in the last place of the host's.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <cmath>

template <class Real> __host__ __device__ Real function(int which, Real x) {
  switch (which) {
  case 0: return exp(x);
  case 1: return log(x + Real(20.5));
  case 2: return sin(x);
  case 3: return cos(x);
  case 4: return tanh(x);
  case 5: return pow(x + Real(21), Real(1.7));
  case 6: return erf(x);
  case 7: return atan2(x, Real(2));
  case 8: return cbrt(x);
  case 9: return fmod(x, Real(0.7));
  }
  return log1p(x * x);
}

template <class Real> __global__ void evaluate(const Real* in, Real* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  for (int which = 0; which <= 10; ++which)
    out[index * 11 + which] = function(which, in[index]);
}

template <class Real> int check(const char* what, double tolerance) {
  std::vector<Real> in(512), got(512 * 11);
  for (int index = 0; index < 512; ++index)
    in[index] = static_cast<Real>(index - 256) / 13;
  Real* out = deviceArray<Real>(got.size());
  evaluate<Real><<<8, 64>>>(deviceCopy(in), out);
  must(cudaDeviceSynchronize(), "run");
  must(cudaMemcpy(got.data(), out, got.size() * sizeof(Real), cudaMemcpyDeviceToHost), "download");
  for (std::size_t index = 0; index < got.size(); ++index) {
    const double expected = function<double>(index % 11, in[index / 11]);
    if (index % 11 == 9 || std::fabs(got[index] - expected) <= tolerance * (std::fabs(expected) + 1))
      continue;
    std::printf("%s function %zu of %g: %.17g, expected %.17g\n", what, index % 11,
                static_cast<double>(in[index / 11]), static_cast<double>(got[index]), expected);
    return 1;
  }
  return 0;
}

int main() { return check<float>("single", 1e-6) + check<double>("double", 1e-14); }
