#!/usr/bin/env python3
"""gpu-execute.py - builds the programs of test/execute for a machine with a GPU.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    gpu-execute.py --build=DIR --nvcc=NVCC -o FOLDER [--only=WORD,WORD] [--ptx-twins]

Every test that calls compare.py becomes FOLDER/NAME/native and FOLDER/NAME/gpusched, for sm_90 and
with the options of its first call; others, which link libraries, are left out. FOLDER/NAME/sort exists
where the order of the lines is free. `--only` takes the tests whose name has one of the words.
`--ptx-twins` makes the second program with nvcc as well, and its twins with gpusched-ptx. gpu.sh
runs them (section 8).
"""
import argparse
import concurrent.futures
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1] / "test" / "execute"
CALL = "python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc"
LINK = ["-arch=sm_90", "-cudart=shared", "-Xlinker", "-rpath,$ORIGIN/../../lib"]


def steps_of(test, folder):
    """What a test prepares before its first call of compare.py, and that call's options; or None."""
    names = {"%S": str(TESTS), "%s": str(test), "%t": str(folder / "prepared")}
    preparations = []
    for line in re.findall(r"^// RUN: (.*)$", test.read_text(), re.M):
        call = line.startswith(CALL)
        line = re.sub("%[Sst]", lambda word: names[word[0]], line.removeprefix(CALL))
        if call:
            return preparations, shlex.split(line)
        if not line.startswith("%"):
            preparations.append(line)
    return None


def build(test, steps, arguments):
    folder = arguments.folder / test.stem
    preparations, words = steps
    for line in preparations:
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        if done.returncode:
            return f"{test.name}: not prepared: {line}\n{done.stdout}{done.stderr}"
    flags = " ".join(word.removeprefix("--flags=") for word in words if word.startswith("--flags="))
    flags = re.sub(r"-arch=\S+|-cudart=\S+", "", flags)
    done = subprocess.run(
        [TESTS / "compare.py", test, "--compile-only", "-o", folder, f"--build={arguments.build}",
         f"--nvcc={arguments.nvcc}", f"--flags={flags} {shlex.join(LINK)}",
         *(["--ptx-twins"] if arguments.ptx_twins else [])],
        capture_output=True, text=True)
    if done.returncode:
        return f"{test.name}: not built\n{done.stdout}{done.stderr}"
    for left in folder.glob("*.o"):
        left.unlink()
    for left in folder.glob("prepared*"):
        shutil.rmtree(left)
    subprocess.run(["strip", "--strip-unneeded", folder / "native", folder / "gpusched"], check=True)
    if "--sort" in words:
        (folder / "sort").touch()
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("-o", dest="folder", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="", help="words, separated by commas")
    parser.add_argument("--ptx-twins", action="store_true")
    arguments = parser.parse_args()
    words = arguments.only.split(",")
    tests = {test: steps_of(test, arguments.folder / test.stem) for test in sorted(TESTS.glob("*.cu"))
             if any(word in test.stem for word in words)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        errors = list(pool.map(lambda test: build(test, tests[test], arguments),
                               (test for test, steps in tests.items() if steps)))
    print("".join(errors), end="")
    left = [test.stem for test, steps in tests.items() if not steps]
    print(f"gpu-execute.py: {errors.count('')} programs; left out: {' '.join(left) or 'none'}")
    sys.exit(any(errors))


if __name__ == "__main__":
    main()
