#!/usr/bin/env bash
# gpu.sh - outputs, conversion overhead and co-run speed of every workload on one GPU.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   gpu.sh [--from=DIR] [--out=DIR] [--size=large] [--samples=20] [--kernels="A B"] [--pairs="A,B C,D"]
#          [--seconds=600] [--device=cuda|cpu --build=DIR]
#
# Needs the driver and the folder that gpu-build.sh made (--from; default: this script's own).
#   1. every workload: nvcc's build, then ours natively and persistent at several budgets, on some
#      of the SMs and with pauses; results compared byte for byte, times are medians of --samples
#   2. pairs: one after the other, plain streams, and K-Scheduler
# One line of JSON a run goes to OUT/runs.jsonl, the table comes last. When --seconds are over, what
# is left is skipped and said so. --device=cpu checks the outputs only, with programs from --build.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
from=$here out=$here/results size=large samples=20 device=cuda build= seconds=600
kernels="lavaMD BlackScholes cutcp stencil spmv lbm FDTD3d quasirandomGenerator needleman-wunsch
  hotspot3D dxtc binomialOptions cp sgemm reduction covariance syr2k 3DConvolution"
pairs="cutcp,spmv lavaMD,spmv cp,BlackScholes sgemm,stencil binomialOptions,hotspot3D dxtc,reduction
  lavaMD,cutcp spmv,stencil lbm,quasirandomGenerator"
for argument in "$@"; do
  case $argument in
    --from=*) from=${argument#*=} ;;
    --out=*) out=${argument#*=} ;;
    --size=*) size=${argument#*=} ;;
    --samples=*) samples=${argument#*=} ;;
    --kernels=*) kernels=${argument#*=} ;;
    --pairs=*) pairs=${argument#*=} ;;
    --seconds=*) seconds=${argument#*=} ;;
    --device=*) device=${argument#*=} ;;
    --build=*) build=${argument#*=} ;;
    *) echo "gpu.sh: unknown option '$argument'; see the head of the file" >&2; exit 2 ;;
  esac
done

native=("$from/corun-native") ours=("$from/corun-gpusched")
export GPUSCHED_RT=$from/libgpusched_rt.so
if [ "$device" = cpu ]; then
  [ -n "$build" ] || { echo "gpu.sh: --device=cpu needs --build=DIR" >&2; exit 2; }
  native=("$build/bin/gpusched" run --device=cpu -- "$build/benchmarks/native/corun")
  ours=("$build/bin/gpusched" run --device=cpu -- "$build/benchmarks/gpusched/corun")
  unset GPUSCHED_RT
fi
mkdir -p "$out"
: >"$out/runs.jsonl"
failures=0 skipped=0

# measure LABEL FORM RESULT-FILE COMMAND... : runs, appends to runs.jsonl, sets alone and together.
measure() {
  local label=$1 form=$2 result=$3 status=0
  shift 3
  alone= together=
  if [ "$SECONDS" -ge "$seconds" ]; then
    skipped=$((skipped + 1))
    return
  fi
  "$@" --size="$size" --samples="$samples" --output="$result" >"$out/last.txt" 2>&1 || status=$?
  alone=$(sed -n 's/.*alone \([0-9.]*\) ms.*/\1/p' "$out/last.txt" |
    awk '{ sum += $1 } END { if (NR) print sum }')
  together=$(sed -n 's/^corun: one after.*together \([0-9.]*\) ms.*/\1/p' "$out/last.txt")
  local reference=$out/$label.native.bin equal=true
  cmp -s "$reference" "$result" || equal=false
  printf '{"kernels": "%s", "form": "%s", "status": %d, "equal": %s, "alone_ms": %s, "together_ms": %s}\n' \
    "$label" "$form" "$status" "$equal" "${alone:-null}" "${together:-null}" >>"$out/runs.jsonl"
  if [ "$status" != 0 ] || [ "$equal" = false ]; then
    failures=$((failures + 1))
    echo "gpu.sh: $label, $form: exit status $status, result equal: $equal" >&2
    cat "$out/last.txt" >&2
  fi
}

# forms LABEL : every persistent form of one workload; prints its row.
forms() {
  local label=$1 result=$out/current.bin plain row
  measure "$label" nvcc "$out/$label.native.bin" "${native[@]}" "$label"
  plain=$alone
  measure "$label" native "$result" env GPUSCHED=0 "${ours[@]}" "$label"
  measure "$label" persistent "$result" env GPUSCHED_VARIANT=persistent GPUSCHED=1 "${ours[@]}" "$label"
  row=$(printf '%-22s %10s %10s %8s' "$label" "${plain:--}" "${alone:--}" "$(ratio "$alone" "$plain")")
  for budget in 1 2 4 8 16; do
    measure "$label" "blocks=$budget" "$result" \
      env GPUSCHED_VARIANT=persistent GPUSCHED=1 GPUSCHED_BLOCKS_PER_SM=$budget "${ours[@]}" "$label"
    row="$row $(printf '%8s' "$(ratio "$alone" "$plain")")"
  done
  measure "$label" sms=0-31 "$result" \
    env GPUSCHED_VARIANT=persistent GPUSCHED=1 GPUSCHED_SMS=0-31 "${ours[@]}" "$label"
  measure "$label" pauses "$result" env GPUSCHED_VARIANT=persistent GPUSCHED=1 GPUSCHED_PREEMPT=1 \
    GPUSCHED_PAUSE_EVERY=500 "${ours[@]}" "$label"
  echo "$row" >>"$out/table.txt"
  rm -f "$out/$label.native.bin" "$result"
}

ratio() { awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { if (a > 0 && b > 0) printf "%.3f", a / b; else print "-" }'; }

printf '%-22s %10s %10s %8s %8s %8s %8s %8s %8s\n' kernel nvcc_ms ours_ms overhead \
  blocks=1 blocks=2 blocks=4 blocks=8 blocks=16 >"$out/table.txt"
for kernel in $kernels; do forms "$kernel"; done

printf '\n%-34s %10s %10s %10s %10s %10s\n' pair serial_ms streams_ms ours_ms vs_serial vs_streams \
  >>"$out/table.txt"
for pair in $pairs; do
  names=(${pair//,/ }) label=${pair//,/+}
  measure "$label" streams "$out/$label.native.bin" "${native[@]}" "${names[@]}"
  serial=$alone streams=$together
  measure "$label" kscheduler "$out/current.bin" env GPUSCHED=kscheduler "${ours[@]}" "${names[@]}"
  printf '%-34s %10s %10s %10s %10s %10s\n' "$label" "${serial:--}" "${streams:--}" "${together:--}" \
    "$(ratio "$serial" "$together")" "$(ratio "$streams" "$together")" >>"$out/table.txt"
  rm -f "$out/$label.native.bin" "$out/current.bin"
done

cat "$out/table.txt"
echo "gpu.sh: $(wc -l <"$out/runs.jsonl") runs, $failures failed, $skipped skipped for time; raw: $out/runs.jsonl"
[ "$failures" = 0 ]
