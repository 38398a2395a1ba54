// A fill without "Async" waits where the host can see the memory; of device memory it does not.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Driver.h"

#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<bool> slept{false};

static void sleep(void*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  slept = true;
}

template <class Fill> static bool waits(Fill fill) {
  slept = false;
  CHECK_OK(cudaLaunchHostFunc(nullptr, sleep, nullptr));
  fill();
  const bool seen = slept;
  CHECK_OK(cudaDeviceSynchronize());
  return seen;
}

int main() {
  char *device = nullptr, *pinned = nullptr, *managed = nullptr;
  CHECK_OK(cudaMalloc(&device, 64));
  CHECK_OK(cudaMallocHost(&pinned, 64));
  CHECK_OK(cudaMallocManaged(&managed, 64));
  const auto address = [](char* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); };
  CHECK_TRUE(waits([&] { CHECK_OK(cudaMemset(pinned, 3, 64)); }));
  CHECK_TRUE(waits([&] { CHECK_OK(cudaMemset2D(managed, 8, 3, 8, 8)); }));
  CHECK_TRUE(waits([&] { CHECK_CU(cuMemsetD32, address(pinned), 3, 16); }));
  CHECK_TRUE(waits([&] { CHECK_CU(cuMemsetD2D8, address(managed), 8, 3, 8, 8); }));
  CHECK_TRUE(!waits([&] { CHECK_OK(cudaMemset(device, 3, 64)); }));
  CHECK_TRUE(!waits([&] { CHECK_OK(cudaMemsetAsync(pinned, 3, 64)); }));
  CHECK_TRUE(!waits([&] { CHECK_CU(cuMemsetD8, address(device), 3, 64); }));
  CHECK_TRUE(!waits([&] { CHECK_CU(cuMemsetD8Async, address(pinned), 3, 64, nullptr); }));
}
