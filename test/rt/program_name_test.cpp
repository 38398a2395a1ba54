// program_name_test - a program is called what is executed; one that Python executes, its script.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/ProgramName.h"
#include "test/Check.h"

using namespace gpusched;

static constexpr const char* kPython = "/usr/bin/python3.11";

static std::string named(const char* executable, const std::vector<std::string>& command) {
  return programName(executable, command).name;
}

static void programsAreCalledByTheirFile() {
  CHECK(named("/opt/bin/app-2", {"app", "train.py"}) == "app-2");
  CHECK(programName("/opt/bin/app-2", {"app", "train.py"}).script.empty());
  CHECK(named("/opt/bin/app", {}) == "app");
  CHECK(named("/opt/bin/python-bench", {"python-bench", "data.bin"}) == "python-bench");
}

static void scriptsAreCalledByTheirs() {
  CHECK(named(kPython, {"python", "a/train.py", "-m", "x"}) == "train.py");
  CHECK(programName(kPython, {"python", "-u", "a/train.py"}).script == "a/train.py");
  CHECK(named("/usr/bin/python3.13t", {"python", "train.py"}) == "train.py");
  CHECK(named("/usr/bin/pypy3", {"pypy3", "train.py"}) == "train.py");
}

static void optionsAreSkipped() {
  CHECK(named(kPython, {"python", "-W", "ignore", "train.py"}) == "train.py");
  CHECK(named(kPython, {"python", "-Wignore", "train.py"}) == "train.py");
  CHECK(named(kPython, {"python", "-BX", "dev", "train.py"}) == "train.py");
  CHECK(named(kPython, {"python", "--check-hash-based-pycs", "always", "train.py"}) == "train.py");
}

static void modulesAreCalledByTheirNames() {
  CHECK(named(kPython, {"python", "-m", "package.train", "x.py"}) == "package.train");
  CHECK(named(kPython, {"python", "-umpackage.train"}) == "package.train");
}

static void whatHasNoNameIsPython() {
  CHECK(named(kPython, {"python"}) == "python3.11");
  CHECK(named(kPython, {"python", "-c", "print()", "x.py"}) == "python3.11");
  CHECK(named(kPython, {"python", "-", "x.py"}) == "python3.11");
  CHECK(named(kPython, {"python", "-m"}) == "python3.11");
  CHECK(named(kPython, {"python", "-m", "../x"}) == "python3.11");
  CHECK(named(kPython, {"python", "folder/"}) == "python3.11");
}

int main() {
  programsAreCalledByTheirFile();
  scriptsAreCalledByTheirs();
  optionsAreSkipped();
  modulesAreCalledByTheirNames();
  whatHasNoNameIsPython();
  CHECK(runningProgram() == "program_name_test");
  return checkResult();
}
