// device.cu - the device function that kernels.cu calls.
__device__ int twice(int value) { return 2 * value; }
