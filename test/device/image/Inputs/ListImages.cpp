// ListImages - prints the device code that a file carries, one line a piece.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: image-ListImages [--resources] file
// With --resources, every cubin is followed by its kernels.
#include "rt/device/cpu/image/Cubin.h"
#include "rt/device/cpu/image/DeviceImage.h"

#include <iostream>
#include <string>

using namespace gpusched;
using namespace gpusched::image;

namespace {

void printTriple(const char* name, const std::array<uint32_t, 3>& triple) {
  if (triple[0])
    std::cout << " " << name << " " << triple[0] << "," << triple[1] << "," << triple[2];
}

void printResources(const DeviceImage& image) {
  const Result<Cubin> cubin = readCubin(ByteView(image.bytes.data(), image.bytes.size()));
  if (!cubin) {
    std::cout << "  " << cubin.message() << "\n";
    return;
  }
  for (const KernelResources& kernel : cubin->kernels) {
    std::cout << "  " << kernel.name << ": registers " << kernel.registers << " shared "
              << kernel.staticSharedBytes << " frame " << kernel.frameBytes << " barriers "
              << kernel.barriers << " parameters";
    for (const KernelParameter& parameter : kernel.parameters)
      std::cout << " " << parameter.offset << "+" << parameter.bytes;
    printTriple("max", kernel.maxThreads);
    printTriple("required", kernel.requiredThreads);
    printTriple("cluster", kernel.clusterBlocks);
    if (kernel.maxRegisters)
      std::cout << " maxregisters " << kernel.maxRegisters;
    std::cout << "\n";
  }
}

} // namespace

int main(int argc, char** argv) {
  const bool resources = argc > 2 && std::string(argv[1]) == "--resources";
  const Result<std::vector<DeviceImage>> images = readImages(argc > 1 ? argv[argc - 1] : "");
  if (!images) {
    std::cout << images.message() << "\n";
    return 1;
  }
  for (const DeviceImage& image : *images) {
    const bool ptx = image.kind == ImageKind::Ptx;
    std::cout << (ptx ? "PTX compute_" : "ELF sm_") << image.sm;
    if (image.variant)
      std::cout << image.variant;
    std::cout << (image.relocatable ? " relocatable" : "")
              << (image.member.empty() ? "" : " in " + image.member);
    if (ptx)
      std::cout << (image.bytes.find(".version") != std::string::npos &&
                            image.bytes.find_last_not_of(" \n}") != std::string::npos &&
                            image.bytes.back() != '\0'
                        ? " whole"
                        : " damaged");
    std::cout << "\n";
    if (resources && !ptx)
      printResources(image);
  }
  std::cout << images->size() << " images\n";
  return 0;
}
