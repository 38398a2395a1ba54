#!/usr/bin/env bash
# gpu-build.sh - collects what gpu.sh needs on a machine that has a GPU and nothing else.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   gpu-build.sh [--build=DIR] [--out=DIR] [--no-cupti] [--suite=suite] [--conformance='*']
#                [--execute=WORD,WORD] [--ptx-twins]
#
# Builds the suite, the latency, the fusion and the placement program, with nvcc and with gpusched-cc, for what the build is
# configured for (GPUSCHED_BENCH_ARCH: sm_90, and PTX of sm_75), the conformance programs and those of
# test/execute (gpu-execute.py) for sm_90; adds gpusched, our libraries, static profiles, and CUPTI
# from the toolkit of the build. One folder, default build/gpu-carry; fails above 60 MiB. The
# next three options carry less, for a trial; --suite counts no registers. With --ptx-twins the programs
# of test/execute have their twins from gpusched-ptx alone, and its library is carried (gpusched run --embedded-ptx).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build out= cupti=1 suite=suite conformance='*' execute= twins=
for argument in "$@"; do
  case $argument in
    --build=*) build=${argument#*=} ;;
    --out=*) out=${argument#*=} ;;
    --no-cupti) cupti= ;;
    --suite=*) suite=${argument#*=} ;;
    --conformance=*) conformance=${argument#*=} ;;
    --execute=*) execute=${argument#*=} ;;
    --ptx-twins) twins=--ptx-twins ;;
    *) echo "gpu-build.sh: unknown option '$argument'; see the head of the file" >&2; exit 2 ;;
  esac
done
out=${out:-$build/gpu-carry}
# shellcheck disable=SC1091
. "$build/toolchain.env"

ninja -C "$build" "bench-native-$suite" "bench-gpusched-$suite" bench-gpusched-latency bench-gpusched-fusion bench-native-placement bench-native-connections \
  gpusched gpusched_modules gpusched_profiler gpusched_rt ${twins:+gpusched-ptx gpusched-ptxas gpusched_ptx_twins_library}
rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/store/static" "$out/conformance" "$out/share/gpusched"
cp "$build/benchmarks/native/$suite" "$out/suite-native"
cp "$build/benchmarks/gpusched/$suite" "$out/suite-gpusched"
cp "$build/benchmarks/gpusched/latency" "$out/latency-gpusched"
cp "$build/benchmarks/gpusched/fusion" "$out/fusion"
cp "$build/benchmarks/native/placement" "$build/benchmarks/native/connections" "$out/"
cp "$build/bin/gpusched" "$out/bin/"
cp -L "$build"/lib/libgpusched_{modules,profiler,rt}.so "$out/lib/"
[ -z "$twins" ] || cp -L "$build/lib/libgpusched_ptx_twins.so" "$out/lib/"
# What gpusched itself needs and a bare machine may lack; gpu.sh names the folder to the loader.
ldd "$build/bin/gpusched" | grep -o '/[^ ]*/lib\(zstd\|lz4\)\.so[^ ]*' | xargs -r cp -L -t "$out/lib/"
cp -r "$build/share/gpusched/devices" "$out/share/gpusched/"
cp "$build/benchmarks/store/static/"*.json "$out/store/static/"
cp "$root/benchmarks/gpu.sh" "$out/"
cp -L "$CUDA_ROOT/lib64/libcudart.so.13" "$out/lib/" # one for all, 0.7 MB each would be a fifth of the folder
for source in "$root"/test/conformance/$conformance.cu; do
  name=$(basename "$source" .cu)
  # Compiled as its test does it, but for one architecture.
  read -ra options < <(sed -n 's|^// RUN: %nvcc \(.*\)-o %t .*|\1|p' "$source" | sed 's/-arch=sm_[0-9]*//; s/-std=c++[0-9]*//')
  "$CUDA_ROOT/bin/nvcc" -std=c++17 -arch=sm_90 "${options[@]}" -cudart shared -Xlinker -rpath,'$ORIGIN/../lib' \
    -o "$out/conformance/$name" "$source"
done
"$root/benchmarks/gpu-execute.py" --build="$build" --nvcc="$CUDA_ROOT/bin/nvcc" -o "$out/execute" --only="$execute" $twins
strip --strip-unneeded "$out"/suite-* "$out"/latency-* "$out/placement" "$out/connections" "$out/fusion" "$out"/conformance/* "$out"/lib/libgpusched_*.so "$out/bin/gpusched"
[ "$suite" != suite ] || "$root/benchmarks/registers/register_growth.py" --build="$build" | sed -n '/ twins: /,$p' >"$out/registers.txt" || rm -f "$out/registers.txt"
if [ -n "$cupti" ]; then
  for library in libcupti.so.13 libnvperf_host.so libnvperf_target.so; do
    cp -L "$CUDA_ROOT/lib64/$library" "$out/lib/"
  done
fi

size=$(du -sm "$out" | cut -f1)
echo "gpu-build.sh: $out, $size MiB; copy it to the GPU machine and run gpu.sh there"
[ "$size" -lt 60 ] || { echo "gpu-build.sh: more than 60 MiB; --no-cupti leaves NVIDIA's 42 MB out" >&2; exit 1; }
