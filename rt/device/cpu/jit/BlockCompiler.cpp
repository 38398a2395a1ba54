// BlockCompiler.cpp - IR to machine code, and the library's one function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One JIT for the process; a block is a module of its own, compiled at once for this processor.
//
// Kernels run while the program ends, and a block may become hot then. LLVM makes objects of static
// lifetime as it goes, which exit() would destroy under a worker that compiles; here nothing of
// that lifetime is destroyed (NothingDestroyed.cpp).
#include "rt/device/cpu/jit/BlockEmitter.h"

#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace gpusched::cpu::jit {
namespace {

using namespace llvm;

class Compiler {
public:
  Compiler() {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Expected<orc::JITTargetMachineBuilder> host = orc::JITTargetMachineBuilder::detectHost();
    if (!host) {
      consumeError(host.takeError());
      return;
    }
    // What decides the results of fma: one rounding only where the source says so.
    host->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
    host->setCodeGenOptLevel(CodeGenOptLevel::Default);
    Expected<std::unique_ptr<TargetMachine>> machine = host->createTargetMachine();
    Expected<std::unique_ptr<orc::LLJIT>> jit =
        orc::LLJITBuilder().setJITTargetMachineBuilder(*host).create();
    if (machine && jit) {
      machine_ = std::move(*machine);
      jit_ = std::move(*jit);
      return;
    }
    if (!machine)
      consumeError(machine.takeError());
    if (!jit)
      consumeError(jit.takeError());
  }

  BlockFunction compile(const BlockSource& source) {
    if (!jit_)
      return nullptr;
    auto context = std::make_unique<LLVMContext>();
    const std::string name = "block" + std::to_string(number_++);
    auto module = std::make_unique<Module>(name, *context);
    module->setDataLayout(jit_->getDataLayout());
    module->setTargetTriple(machine_->getTargetTriple());
    if (!BlockEmitter(*module, source).emit(name))
      return nullptr;
    optimise(*module);
    if (Error error =
            jit_->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context)))) {
      consumeError(std::move(error));
      return nullptr;
    }
    Expected<orc::ExecutorAddr> address = jit_->lookup(name);
    if (!address) {
      consumeError(address.takeError());
      return nullptr;
    }
    return address->toPtr<BlockFunction>();
  }

private:
  /// The code is straight: neither loops nor calls to inline. What the combiner leaves for another
  /// round is no fault, but by default it ends the process for it.
  void optimise(Module& module) const {
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager groups;
    ModuleAnalysisManager modules;
    PassBuilder builder(machine_.get());
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(groups);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, groups, modules);
    ModulePassManager passes;
    if (Error error = builder.parsePassPipeline(
            passes, "function(instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg,"
                    "instcombine<no-verify-fixpoint>,dse)"))
      return consumeError(std::move(error));
    passes.run(module, modules);
  }

  std::unique_ptr<TargetMachine> machine_;
  std::unique_ptr<orc::LLJIT> jit_;
  unsigned number_ = 0;
};

} // namespace
} // namespace gpusched::cpu::jit

extern "C" __attribute__((visibility("default"))) gpusched::cpu::BlockFunction
gpusched_compile_block_1(const gpusched::cpu::BlockSource& source) {
  // Never destroyed: code may run until the process ends.
  static gpusched::cpu::jit::Compiler& compiler = *new gpusched::cpu::jit::Compiler;
  return compiler.compile(source);
}
