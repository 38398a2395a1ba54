#!/usr/bin/env bash
# gpu-build.sh - collects what gpu.sh needs on a machine that has a GPU and nothing else.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   gpu-build.sh [--build=DIR] [--out=DIR]
#
# Builds corun, which holds every workload, with nvcc and with gpusched-cc, and copies both and
# the runtime library into one folder (default: build/gpu-carry). Fails above 60 MiB.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build out=
for argument in "$@"; do
  case $argument in
    --build=*) build=${argument#*=} ;;
    --out=*) out=${argument#*=} ;;
    *) echo "gpu-build.sh: unknown option '$argument'; see the head of the file" >&2; exit 2 ;;
  esac
done
out=${out:-$build/gpu-carry}

ninja -C "$build" bench-native-corun bench-gpusched-corun
mkdir -p "$out"
cp "$build/benchmarks/native/corun" "$out/corun-native"
cp "$build/benchmarks/gpusched/corun" "$out/corun-gpusched"
cp -L "$build/lib/libgpusched_rt.so" "$out/"
cp "$root/benchmarks/gpu.sh" "$out/"
strip --strip-unneeded "$out/corun-native" "$out/corun-gpusched" "$out/libgpusched_rt.so"

size=$(du -sm "$out" | cut -f1)
echo "gpu-build.sh: $out, $size MiB; copy it to the GPU machine and run gpu.sh there"
[ "$size" -lt 60 ] || { echo "gpu-build.sh: more than 60 MiB" >&2; exit 1; }
