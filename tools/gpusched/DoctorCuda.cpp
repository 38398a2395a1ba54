// DoctorCuda.cpp - the part of gpusched doctor that asks the driver and CUPTI.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each question is asked only when the one it rests on was answered: a call into CUPTI's device
// side without a driver crashes. What was not asked is shown as "-" with what it needs.
#include "tools/gpusched/DoctorTable.h"
#include "tools/gpusched/FindProgram.h"

#include "rt/counters/cupti/CuptiProbe.h"
#include "rt/counters/cupti/ProfilerHost.h"
#include "rt/device/cuda/CudaDriver.h"
#include "rt/schema/TextFile.h"
#include "rt/sharing/Mps.h"

#include <unistd.h>

#include <optional>

namespace gpusched::tool {
namespace {

std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void showDevice(DoctorTable& table, const CudaDriver& driver, int ordinal) {
  Result<CudaDevice> device = driver.describe(ordinal);
  if (!device)
    return table.blocked("GPU", device.message(), "see nvidia-smi and the kernel's log");
  const DeviceDescription& description = device->description;
  std::string text = std::to_string(ordinal) + ": " + description.name + ", " +
                     std::to_string(description.computeMajor) + "." +
                     std::to_string(description.computeMinor) + ", " +
                     std::to_string(description.sms) + " SMs, " +
                     std::to_string(description.memoryBytes >> 20) + " MiB";
  if (device->migSlice)
    text += ", a MIG slice";
  if (device->ratesFrom.empty())
    text += "; no description beside the program, so the model has no latencies";
  else
    text += "; rates of '" + device->ratesFrom + "'";
  table.ok("GPU", text);
  table.check(device->greenContexts, "green contexts",
              device->greenContexts ? "SMs can be divided" : "not in this driver",
              "driver 550 or newer; only a comparison in benchmarks/gpu.sh needs them");
}

void checkMps(DoctorTable& table) {
  if (const std::string folder = mpsFolder(); !folder.empty())
    table.blocked("MPS",
                  "a daemon runs (" + folder +
                      "): counters of MPS clients are "
                      "not supported",
                  "end it for profiling: echo quit | nvidia-cuda-mps-control");
  else
    table.check(!findProgram("nvidia-cuda-mps-control").empty(), "MPS", "no daemon runs",
                "comes with the driver; programs that share (gpusched run --share) and a "
                "comparison in benchmarks/gpu.sh need it");
}

std::optional<CudaDriver> checkDriver(DoctorTable& table) {
  CudaDriver::Step reached;
  Result<CudaDriver> driver = CudaDriver::open(&reached);
  if (reached == CudaDriver::Step::Library)
    table.missing("driver", driver.message(),
                  "install NVIDIA's driver on a machine with a GPU; until then use --device=cpu");
  else if (reached == CudaDriver::Step::Init)
    table.blocked("driver", driver.message(), "reload the driver; nvidia-smi says more");
  else if (driver && driver->version() / 1000 < CudaDriver::toolkitVersion() / 1000)
    table.blocked("driver",
                  "CUDA " + dotted(driver->version()) + ": programs made with CUDA " +
                      dotted(CudaDriver::toolkitVersion()) +
                      " end with cudaErrorInsufficientDriver (35)",
                  "install a newer driver (CUDA 13: 580), or compile with the driver's own CUDA");
  else
    table.ok("driver", driver ? "CUDA " + dotted(driver->version()) : "libcuda.so.1");
  if (!driver) {
    if (reached == CudaDriver::Step::Devices)
      table.missing("GPU", driver.message(), "use --device=cpu on this machine");
    else
      table.skipped("GPU", "the driver");
    table.skipped("green contexts", "a GPU");
    return std::nullopt;
  }
  for (int ordinal = 0; ordinal < driver->devices(); ++ordinal)
    showDevice(table, *driver, ordinal);
  return std::move(*driver);
}

std::string adminOnly() {
  Result<std::string> parameters = readTextFile("/proc/driver/nvidia/params");
  bool restricted = parameters && parameters->find("RmProfilingAdminOnly: 1") != std::string::npos;
  return restricted && geteuid() != 0 ? " (the module is loaded with RmProfilingAdminOnly: 1)" : "";
}

void showCounters(DoctorTable& table, const Cupti& cupti, const CudaDriver& driver, int ordinal) {
  CuptiProbe probe = probeCupti(cupti, driver, ordinal);
  std::string where = std::to_string(ordinal) + ": ";
  if (probe.counters.ok())
    table.ok("GPU counters", where + probe.chip + ", allowed and free");
  else
    table.blocked("GPU counters", where + probe.counters.message() + adminOnly(),
                  "gpusched profile --sources=activity works without counters");
}

} // namespace

void checkCuda(DoctorTable& table) {
  std::optional<CudaDriver> driver = checkDriver(table);
  if (driver)
    checkMps(table);
  else
    table.skipped("MPS", "a GPU");
  Result<Cupti> cupti = Cupti::open(driver ? CuptiDriver::Answers : CuptiDriver::Missing);
  table.check(cupti.ok(), "CUPTI",
              cupti ? "version " + std::to_string(cupti->version()) + ", " +
                          std::to_string(supportedChips(*cupti).size()) + " chips, " + cupti->path()
                    : cupti.message(),
              "comes with the CUDA toolkit and as the wheel nvidia-cuda-cupti; GPUSCHED_CUPTI "
              "names one elsewhere");
  if (!cupti || !driver)
    return table.skipped("GPU counters", cupti ? "a GPU" : "CUPTI");
  for (int ordinal = 0; ordinal < driver->devices(); ++ordinal)
    showCounters(table, *cupti, *driver, ordinal);
}

} // namespace gpusched::tool
