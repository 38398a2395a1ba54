"""lit.cfg.py - how every test of the project is found and run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A test is a .cu or .test file with RUN lines; C++ test programs are started by a .test file. Substitutions name the tools of the build
under test, so a test never depends on PATH. Each test gets its own profile store and TMPDIR, so
tests run side by side and leave nothing behind.
"""
import os
import re
import shutil
import subprocess
import threading

import lit.formats


class DaemonTimer(threading.Timer):
    """Lit leaves its timer of a test running when the test's command raises an exception in lit, as a
    redirection into a missing folder does; the worker would wait for it before it ends."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.daemon = True


threading.Timer = DaemonTimer

config.name = "gpusched"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.checkout, "test")
config.test_exec_root = os.path.join(config.build, "test")

scratch = os.path.join(config.test_exec_root, "scratch")
os.makedirs(os.path.join(scratch, "tmp"), exist_ok=True)
for name in list(config.environment):
    if name.startswith("GPUSCHED") or name.startswith("NVCC_"):
        del config.environment[name]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.llvm, "bin"), "/usr/local/bin", "/usr/bin", "/bin"])
# The passes print the file of the test, its CHECK lines too: these must not match themselves.
config.environment["FILECHECK_OPTS"] = "'--implicit-check-not={{// (CHECK|OUT|TEXT|MISSED)[-:]}}'"
config.environment["TMPDIR"] = os.path.join(scratch, "tmp")
# The sixth of a compile with nvcc, of functions as std::riemann_zeta: a guard of libstdc++'s <cmath>.
config.environment["NVCC_PREPEND_FLAGS"] = "-D_GLIBCXX_BITS_SPECFUN_H=1"
config.environment["GPUSCHED_HOME"] = os.path.join(scratch, "home")
# The last ones are how this machine reaches PyPI, for the test of the set-up.
for name in ("CCACHE_DIR", "HOME", "HTTPS_PROXY", "https_proxy", "PIP_CERT", "PIP_INDEX_URL", "SSL_CERT_FILE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

binaries = os.path.join(config.build, "bin")
# Longest names first: lit replaces in order, and %gpusched is a prefix of the others.
config.substitutions += [
    ("%gpusched-cc", os.path.join(binaries, "gpusched-cc")),
    # As gpusched-cc does, it parses headers that come first once for all tests.
    ("%gpusched-opt", os.path.join(binaries, "gpusched-opt") + " --cache=" + os.path.join(scratch, "home", "parse")),
    ("%gpusched", os.path.join(binaries, "gpusched")),
    ("%nvcc", os.path.join(config.cuda, "bin", "nvcc")),
    ("%cuda", config.cuda),
    ("%llvm", config.llvm),
    ("%build", config.build),
    ("%root", config.checkout),
    ("%reparse", os.path.join(config.test_source_root, "passes", "Inputs", "reparse") +
     " " + os.path.join(config.cuda, "bin", "nvcc") + " " + config.checkout),
]
if shutil.which("nvidia-smi"):
    config.available_features.add("gpu")
if shutil.which("ccache"):
    config.available_features.add("ccache")


def toolkitVersion() -> int:
    """13000 for CUDA 13.0."""
    with open(os.path.join(config.cuda, "include", "cuda.h"), encoding="utf-8") as header:
        return int(re.search(r"#define CUDA_VERSION (\d+)", header.read())[1])


# Later ones cannot be asked anything without a driver.
if toolkitVersion() < 13020:
    config.available_features.add("offline-cupti")


def packageIndexAnswers() -> bool:
    """True when pip reaches its index: the set-up test downloads the toolkit's wheels. Asked once
    for a build folder, since the probe takes seconds."""
    answer = os.path.join(scratch, "package-index")
    if not os.path.exists(answer):
        venv = os.path.join(scratch, "probe")
        subprocess.run(["/usr/bin/python3", "-m", "venv", venv], capture_output=True)
        probe = [os.path.join(venv, "bin", "pip"), "download", "--no-deps", "-q", "-d", venv,
                 "--timeout", "5", "--retries", "0", "nvidia-cuda-crt==13.0.88"]
        try:
            reached = subprocess.run(probe, capture_output=True).returncode == 0
        except OSError:
            reached = False
        shutil.rmtree(venv, ignore_errors=True)
        with open(answer, "w") as file:
            file.write("yes" if reached else "no")
    with open(answer) as file:
        return file.read() == "yes"


if packageIndexAnswers():
    config.available_features.add("network")
