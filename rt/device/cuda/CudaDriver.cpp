// CudaDriver.cpp - the probe of the driver and the description of a device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver knows limits, memory and clocks. It does not know lanes, latencies and the L2's
// bandwidth: those come from the shipped description of the same model, or else of the nearest
// compute capability, and `ratesFrom` says which. Peak DRAM bandwidth is computed from memory clock
// and bus width (two transfers a clock) where the driver still reports them.
#include "rt/device/cuda/CudaDriver.h"

#include "rt/device/cuda/DriverTable.h"
#include "rt/schema/PeakRates.h"

#include <cstring>

namespace gpusched {
namespace {

class Attributes {
public:
  Attributes(const DriverTable& table, CUdevice device) : table_(table), device_(device) {}

  /// `fallback` when the driver does not know the attribute or gives 0.
  uint32_t get(CUdevice_attribute attribute, uint32_t fallback = 0) const {
    int value = 0;
    bool known = table_.cuDeviceGetAttribute(&value, attribute, device_) == CUDA_SUCCESS;
    return known && value > 0 ? uint32_t(value) : fallback;
  }

private:
  const DriverTable& table_;
  CUdevice device_;
};

void readLimits(const Attributes& driver, DeviceDescription& device) {
  device.sms = driver.get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device.warpsPerSm = driver.get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 32;
  device.blocksPerSm = driver.get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32);
  device.threadsPerBlock = driver.get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024);
  device.registersPerSm = driver.get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536);
  device.registersPerBlock = driver.get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536);
  device.sharedBytesPerSm = driver.get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  device.sharedBytesPerBlock = driver.get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152);
  device.sharedBytesPerBlockOptin =
      driver.get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  device.sharedReservedPerBlock = driver.get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  device.l2Bytes = driver.get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
}

void readRates(const Attributes& driver, DeviceDescription& device) {
  if (uint32_t kilohertz = driver.get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE))
    device.clockMhz = kilohertz / 1000.0;
  uint32_t memoryKilohertz = driver.get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  device.memoryBusBits = driver.get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  if (memoryKilohertz && device.memoryBusBits)
    device.dramGbPerSecond = peakDramGbPerSecond(memoryKilohertz, device.memoryBusBits);
}

bool hasGreenContexts(const DriverTable& driver, CUdevice device) {
  CUdevResource sms = {};
  return driver.cuDeviceGetDevResource && driver.cuGreenCtxCreate &&
         driver.cuDeviceGetDevResource(device, &sms, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS;
}

std::string initProblem(const DriverTable& table, CUresult result) {
  std::string text = "cuInit: " + table.text(result);
  if (result == CUDA_ERROR_STUB_LIBRARY)
    text += ": this libcuda.so.1 is the toolkit's stub; take its folder out of LD_LIBRARY_PATH";
  return text;
}

} // namespace

CudaDriver::CudaDriver(DriverTable table) : table_(std::make_unique<DriverTable>(table)) {}
CudaDriver::~CudaDriver() = default;
CudaDriver::CudaDriver(CudaDriver&&) noexcept = default;
CudaDriver& CudaDriver::operator=(CudaDriver&&) noexcept = default;

Result<CudaDriver> CudaDriver::open(Step* reached) {
  Step ignored;
  Step& step = reached ? *reached : ignored;
  step = Step::Library;
  Result<DriverTable> table = openDriver();
  if (!table)
    return table.status();
  step = Step::Init;
  CUresult result = table->cuInit(0);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NO_DEVICE)
    return Status::error(initProblem(*table, result));
  step = Step::Devices;
  CudaDriver driver(*table);
  if (result == CUDA_ERROR_NO_DEVICE || table->cuDeviceGetCount(&driver.devices_) != CUDA_SUCCESS ||
      driver.devices_ == 0)
    return Status::error("the driver finds no device; is CUDA_VISIBLE_DEVICES empty?");
  (void)table->cuDriverGetVersion(&driver.version_);
  step = Step::Ready;
  return driver;
}

int CudaDriver::toolkitVersion() {
  return CUDA_VERSION;
}

Result<CudaDevice> CudaDriver::describe(int ordinal) const {
  CUdevice handle = 0;
  char name[256] = {};
  CUresult result = table_->cuDeviceGet(&handle, ordinal);
  if (result == CUDA_SUCCESS)
    result = table_->cuDeviceGetName(name, sizeof name - 1, handle);
  if (result != CUDA_SUCCESS)
    return Status::error("device " + std::to_string(ordinal) + ": " + table_->text(result));
  Attributes driver(*table_, handle);
  uint32_t major = driver.get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  uint32_t minor = driver.get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CudaDevice device;
  device.ordinal = ordinal;
  const ShippedDevice& shipped = nearestShippedDevice(major, minor, name);
  if (Result<DeviceDescription> rates = loadDeviceDescription(shipped.name)) {
    device.description = *rates;
    device.ratesFrom = shipped.name;
  }
  device.description.name = name;
  device.description.computeMajor = major;
  device.description.computeMinor = minor;
  readLimits(driver, device.description);
  readRates(driver, device.description);
  size_t bytes = 0;
  if (table_->cuDeviceTotalMem_v2(&bytes, handle) == CUDA_SUCCESS)
    device.description.memoryBytes = bytes;
  device.migSlice = std::strstr(name, " MIG ") != nullptr;
  device.greenContexts = hasGreenContexts(*table_, handle);
  device.concurrentKernels = driver.get(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS) != 0;
  if (!device.description.sms || !device.description.warpsPerSm)
    return Status::error("device " + std::to_string(ordinal) + " ('" + name +
                         "'): the driver reports no SMs; reload the driver");
  return device;
}

Result<void*> CudaDriver::retainContext(int ordinal) const {
  CUdevice handle = 0;
  CUcontext context = nullptr;
  CUresult result = table_->cuDeviceGet(&handle, ordinal);
  if (result == CUDA_SUCCESS)
    result = table_->cuDevicePrimaryCtxRetain(&context, handle);
  if (result == CUDA_SUCCESS)
    result = table_->cuCtxSetCurrent(context);
  if (result != CUDA_SUCCESS)
    return Status::error("no context on device " + std::to_string(ordinal) + ": " +
                         table_->text(result));
  return static_cast<void*>(context);
}

void CudaDriver::releaseContext(int ordinal) const {
  CUdevice handle = 0;
  if (table_->cuDeviceGet(&handle, ordinal) == CUDA_SUCCESS)
    (void)table_->cuDevicePrimaryCtxRelease_v2(handle);
}

} // namespace gpusched
