"""as_triton.py - what Triton does with a PTX text: its ptxas makes a file of it, which the driver loads.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    as_triton.py LIBRARY [TEXT.ptx]

LIBRARY stands for Triton's own, and is loaded. Without a text: says what the ptxas that it would start calls itself.
With one: launches its kernel `twice` on 4 blocks of 32 threads, twice a number each.
"""
import ctypes
import os
import subprocess
import sys
import tempfile

library = ctypes.CDLL(sys.argv[1])
ptxas = os.environ["TRITON_PTXAS_BLACKWELL_PATH"]
if len(sys.argv) == 2:
    sys.exit(subprocess.run([ptxas, "--version"]).returncode)

output = tempfile.NamedTemporaryFile(suffix=".cubin")
subprocess.run([ptxas, "-lineinfo", "-v", "--gpu-name=sm_90a", sys.argv[2], "-o", output.name], check=True)
code = output.read()

cuda = ctypes.CDLL("libcuda.so.1")


def call(function, *arguments):
    result = getattr(cuda, function)(*arguments)
    if result:
        sys.exit(f"{function}: error {result}")


context, module, function, memory = (ctypes.c_void_p() for _ in range(4))
call("cuInit", 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
call("cuModuleLoadData", ctypes.byref(module), code)
call("cuModuleGetFunction", ctypes.byref(function), module, b"twice")
numbers = (ctypes.c_int * 128)(*range(128))
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(ctypes.sizeof(numbers)))
call("cuMemcpyHtoD_v2", memory, numbers, ctypes.c_size_t(ctypes.sizeof(numbers)))
parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
call("cuLaunchKernel", function, 4, 1, 1, 32, 1, 1, 0, None, parameters, None)
call("cuMemcpyDtoH_v2", numbers, memory, ctypes.c_size_t(ctypes.sizeof(numbers)))
print("twice", list(numbers) == list(range(0, 256, 2)))
