// What Triton compiles runs on the cpu device, where its ptxas leaves the PTX as it is; with twins, if asked for, also where a
// profile is made. Its ptxas is the one that it would have started.
// RUN: rm -rf %t && mkdir -p %t/triton/_C %t/triton/backends/nvidia/bin %t/path && cd %t
// RUN: g++ -shared -x c++ /dev/null -o triton/_C/libtriton.so && g++ -shared -x c++ /dev/null -o other.so
// RUN: printf '#!/bin/sh\necho "Triton'"'"'s, release 13.9, of $*"\n' > triton/backends/nvidia/bin/ptxas && chmod +x triton/backends/nvidia/bin/ptxas
// RUN: printf '#!/bin/sh\necho "from PATH, release 13.8, of $*"\n' > path/ptxas && chmod +x path/ptxas
// RUN: %nvcc -ptx -arch=sm_90 %s -o text.ptx
// RUN: %gpusched run --device=cpu -- python3 %S/Inputs/as_triton.py triton/_C/libtriton.so | FileCheck %s --check-prefixes=OLD,PTX
// RUN: cp triton/backends/nvidia/bin/ptxas triton/backends/nvidia/bin/ptxas-blackwell && sed -i s/Triton/Blackwell/ triton/backends/nvidia/bin/ptxas-blackwell
// RUN: sh -c 'PATH=%t/path:$PATH exec %gpusched run --device=cpu -- python3 %S/Inputs/as_triton.py triton/_C/libtriton.so' | FileCheck %s --check-prefixes=NEW,PTX
// RUN: env GPUSCHED_PTX_CODE=0 %gpusched run --device=cpu --ptx-twins -- python3 %S/Inputs/as_triton.py triton/_C/libtriton.so | FileCheck %s --check-prefixes=NEW,TWINS
// RUN: sh -c 'PATH=%t/path:$PATH exec %gpusched run --device=cpu -- python3 %S/Inputs/as_triton.py ./other.so' | FileCheck %s --check-prefix=PATH
// OLD: Triton's, release 13.9, of --version
// NEW: Blackwell's, release 13.9, of --version
// PATH: from PATH, release 13.8, of --version
// PTX-NEXT: gpusched: PTX as it is
// TWINS-NEXT: gpusched: with twins, ABI {{[0-9]+$}}
//
// RUN: %gpusched run --device=cpu --variant=persistent --trace=native.json -- python3 %S/Inputs/as_triton.py triton/_C/libtriton.so text.ptx | grep -x 'twice True'
// RUN: grep -q '"variant": "native"' native.json
// RUN: %gpusched run --device=cpu --variant=persistent --ptx-twins --trace=twins.json -- python3 %S/Inputs/as_triton.py triton/_C/libtriton.so text.ptx | grep -x 'twice True'
// RUN: grep -q '"variant": "persistent"' twins.json
// RUN: env GPUSCHED_HOME=%t/home %gpusched profile --device=cpu --ptx-twins -- sh -c 'env > env.txt; exec python3 %S/Inputs/as_triton.py triton/_C/libtriton.so text.ptx' | grep -x 'twice True'
// RUN: grep -q '^GPUSCHED_PTX=' env.txt
// RUN: FileCheck %s --check-prefix=PROFILE < home/dynamic/as_triton.py.json
// PROFILE: "symbol": "twice"
extern "C" __global__ void twice(int* numbers) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}
