// clang_spelling_test.cpp - which files the parse is given in another spelling.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ClangSpelling.h"

#include "test/Check.h"

#include "llvm/Support/MemoryBuffer.h"

#include <string>

using namespace gpusched::passes;

namespace {

/// What Clang reads of a file that holds `bytes`.
std::string readAs(const std::string& bytes) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile("/f", 0, llvm::MemoryBuffer::getMemBufferCopy(bytes));
  auto buffer = withClangSpelling(files)->getBufferForFile("/f");
  return buffer ? (*buffer)->getBuffer().str() : "unreadable";
}

} // namespace

int main() {
  const std::string launch = "k << < 1, 1 >> > (a);", braced = "k<<<{1}, 1>>>(a);";
  CHECK(readAs(launch) != launch);
  CHECK_EQUAL(readAs(launch).size(), launch.size());
  CHECK(readAs(braced) != braced);
  CHECK_EQUAL(readAs("k<<<1, 1>>>(a);"), "k<<<1, 1>>>(a);");

  // Precompiled headers: lexing eight megabytes of anything costs more than they save.
  const std::string head("CPCH\1\10\0\0", 8);
  CHECK_EQUAL(readAs(head + launch), head + launch);
  CHECK_EQUAL(readAs(head + braced), head + braced);
  CHECK_EQUAL(readAs(head + "x #pragma unroll"), head + "x #pragma unroll");
  return checkResult();
}
