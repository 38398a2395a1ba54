// Launches from static constructors and destructors, from a child of fork, and work that is pending when
// the program ends: as native, also when the program never synchronises.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=-std=c++17
// RUN: %gpusched run --device=cpu -- %t/native > %t/reference
// Also where blocks become hot while the program ends; repeated, since that is a matter of moments.
// RUN: bash -c 'for i in $(seq 20); do GPUSCHED_JIT=20 timeout 20 %gpusched run --device=cpu \
// RUN:   --variant=persistent -- %t/gpusched | cmp - %t/reference || exit 1; done'
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t/gpusched | diff %t/reference -
#include "Inputs/Expect.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int* value, int amount) {
  if (threadIdx.x == 0)
    atomicAdd(value, amount);
}

/// Launches before main has begun and after it has returned.
struct Lasting {
  int* value = nullptr;
  Lasting() {
    value = deviceArray<int>(1);
    add<<<50, 32>>>(value, 2);
  }
  ~Lasting() {
    add<<<50, 32>>>(value, 3);
    expect<int>("destructor", value, 1, [](std::size_t) { return 50 * (2 + 10 + 3); });
    cudaStream_t streams[4];
    for (cudaStream_t& stream : streams) {
      must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
      for (int round = 0; round < 5; ++round)
        add<<<200, 32, 0, stream>>>(value, 1); // pending at the end
    }
    must(cudaGetLastError(), "launch");
    std::printf("ends\n");
    std::fflush(stdout);
  }
};
static Lasting lasting;

int main() {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) // CUDA is not usable here; a program may only leave
    _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child left with %d\n", WEXITSTATUS(status));
  add<<<50, 32>>>(lasting.value, 10);
}
