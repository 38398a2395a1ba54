// kept_prefix_test.cpp - a kept parse of headers is another one's when a header of ours is new.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shim's new header may stand before one that the kept parse included, which Clang does not see.
#include "passes/Transform.h"

#include "rt/support/TemporaryFolder.h"
#include "test/Check.h"

#include <filesystem>
#include <fstream>

using namespace gpusched;
namespace fs = std::filesystem;

namespace {

std::string kernelOf(const passes::TransformRequest& request) {
  const passes::TransformResult result = passes::transformFile(request);
  return result.kernels.size() == 1 ? result.kernels.front().qualifiedName : "no kernel";
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

} // namespace

int main(int, char** argv) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  const fs::path shim = folder->file("shim");
  fs::copy(argv[1], shim);
  write(shim / "gpusched_parse.h", "#include <time.h>\n");
  passes::TransformRequest request;
  request.path = folder->file("a.cu");
  request.text = "#ifdef NEW_HEADER\n__global__ void after(int* a) { *a = blockIdx.x; }\n"
                 "#else\n__global__ void before(int* a) { *a = blockIdx.x; }\n#endif\n";
  request.shimDirectory = shim;
  request.parseCache = folder->file("kept");
  fs::create_directory(request.parseCache);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(kernelOf(request), "before");
  write(shim / "time.h", "#define NEW_HEADER\n#include_next <time.h>\n");
  CHECK_EQUAL(kernelOf(request), "after");
  return checkResult();
}
