// The user's lines do not move and the rewrite is deterministic: same bytes twice, every line of
// the source at its number in the output (after the #line), and a signature over several lines.
// RUN: %gpusched-opt %s > %t.once && %gpusched-opt %s > %t.twice && cmp %t.once %t.twice
// RUN: sed -n 2,14p %t.once | grep -n . | FileCheck %s --check-prefix=LINES
// RUN: %reparse %t.once
template <class T>
__global__ void
__launch_bounds__(128)
spread(T* a,
       int n)
{
  if (n > 0) a[blockIdx.x] = n; // line 12
}
// LINES: 12:  if (n > 0) a[blockIdx.x] = n; // line 12
int main() { spread<<<1, 1>>>(static_cast<int*>(nullptr), 1); }
