// CompiledKernels.cpp - reads cubins and PTX out of an object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mix of a target is that of the PTX it was assembled from: the one of the same number, else
// the only one. Keys of the mix are the opcode with the state space of a memory access
// ("ld.global") or the type of everything else ("fma.f32").
#include "tools/gpusched-cc/CompiledKernels.h"

#include "rt/device/cpu/image/Cubin.h"
#include "rt/device/cpu/image/DeviceImage.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gpusched::cc {
namespace {

constexpr std::string_view kSpaces[] = {"global", "shared", "local", "const", "param"};
constexpr std::string_view kTypeLetters = "fusb"; // f32, u64, s16, b128; and bf16

bool isSpace(std::string_view modifier) {
  modifier = modifier.substr(0, modifier.find(':')); // shared::cta
  return std::find(std::begin(kSpaces), std::end(kSpaces), modifier) != std::end(kSpaces);
}

bool isType(std::string_view modifier) {
  return modifier == "pred" || modifier.substr(0, 2) == "bf" ||
         (modifier.size() > 1 && kTypeLetters.find(modifier[0]) != std::string_view::npos &&
          std::isdigit(static_cast<unsigned char>(modifier[1])));
}

bool isMemoryAccess(const std::string& opcode) {
  return opcode == "ld" || opcode == "st" || opcode == "atom" || opcode == "red" || opcode == "ldu";
}

/// "ld.global", "ld.generic", "fma.f32", "bra".
std::string mixKey(const ptx::Instruction& instruction) {
  const std::vector<std::string>& modifiers = instruction.modifiers;
  if (isMemoryAccess(instruction.opcode)) {
    auto space = std::find_if(modifiers.begin(), modifiers.end(), isSpace);
    return instruction.opcode + "." +
           (space == modifiers.end() ? "generic" : space->substr(0, space->find(':')));
  }
  auto type = std::find_if(modifiers.rbegin(), modifiers.rend(), isType);
  return type == modifiers.rend() ? instruction.opcode : instruction.opcode + "." + *type;
}

std::string targetName(unsigned sm, char variant) {
  return "sm_" + std::to_string(sm) + (variant ? std::string(1, variant) : "");
}

uint32_t threadsOf(const std::array<uint32_t, 3>& extent) {
  return extent[0] * std::max(extent[1], 1u) * std::max(extent[2], 1u);
}

VariantProfile fromCubin(const image::KernelResources& kernel, const std::string& target) {
  VariantProfile variant;
  variant.target = target;
  variant.registersPerThread = kernel.registers;
  variant.staticSharedBytes = kernel.staticSharedBytes;
  variant.stackBytes = std::max(kernel.stackBytes, kernel.frameBytes);
  variant.barriers = kernel.barriers;
  variant.maxThreadsPerBlock =
      std::max(threadsOf(kernel.maxThreads), threadsOf(kernel.requiredThreads));
  return variant;
}

void addCubin(CompiledKernels& kernels, const image::DeviceImage& image) {
  Result<image::Cubin> cubin =
      image::readCubin(image::ByteView(image.bytes.data(), image.bytes.size()));
  if (!cubin)
    return;
  for (const image::KernelResources& kernel : cubin->kernels)
    kernels[kernel.name].push_back(fromCubin(kernel, targetName(image.sm, image.variant)));
}

bool usesDynamicShared(const ptx::Module& module, const ptx::Function& function) {
  auto isUnsized = [](const ptx::Variable& variable) {
    return variable.space == ptx::Space::Shared && variable.isExtern && variable.bytes == 0;
  };
  auto mentions = [&](const std::string& name) {
    return std::any_of(function.body.begin(), function.body.end(),
                       [&](const ptx::Instruction& instruction) {
                         return instruction.text.find(name) != std::string::npos;
                       });
  };
  return std::any_of(module.variables.begin(), module.variables.end(),
                     [&](const ptx::Variable& variable) {
                       return isUnsized(variable) && mentions(variable.name);
                     });
}

/// Adds the mix of one PTX module to the targets made from it.
void addPtx(CompiledKernels& kernels, const image::DeviceImage& image) {
  Result<std::shared_ptr<const ptx::Module>> module = ptx::parse(image.bytes);
  if (!module)
    return;
  const std::string target = targetName(image.sm, image.variant);
  for (const ptx::Function& function : (*module)->functions) {
    if (!function.isEntry)
      continue;
    std::vector<VariantProfile>& variants = kernels[function.name];
    if (variants.empty()) {
      variants.emplace_back().target = target;
      variants.back().maxThreadsPerBlock = threadsOf(function.maxThreads);
    }
    std::map<std::string, uint32_t> mix;
    for (const ptx::Instruction& instruction : function.body)
      ++mix[mixKey(instruction)];
    for (VariantProfile& variant : variants)
      if (variant.ptxInstructions.empty() || variant.target == target) {
        variant.ptxInstructions = mix;
        variant.usesDynamicShared = usesDynamicShared(**module, function);
      }
  }
}

} // namespace

Result<CompiledKernels> readCompiledKernels(const std::string& object) {
  Result<std::vector<image::DeviceImage>> images = image::readImages(object);
  if (!images)
    return images.status();
  CompiledKernels kernels;
  for (const image::DeviceImage& image : *images)
    if (image.kind == image::ImageKind::Elf)
      addCubin(kernels, image);
  for (const image::DeviceImage& image : *images)
    if (image.kind == image::ImageKind::Ptx)
      addPtx(kernels, image);
  return kernels;
}

} // namespace gpusched::cc
