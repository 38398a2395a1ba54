#!/usr/bin/env bash
# gpu.sh - every number the project claims, from one GPU, in under ten minutes.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   gpu.sh [--from=DIR] [--out=DIR] [--size=large] [--samples=20] [--kernels=A,B] [--pairs=A+B,C+D]
#          [--modes=streams,priorities,green,padding,ours,processes,traces] [--sections=1,2,3,4,5,6,7,8,9,10,11,12]
#          [--policies="NAME[:PARAMETER=VALUE,...] ..."] [--budgets=LIST] [--fixed="KERNEL=BLOCKS;... ..."]
#          [--profile=FILE] [--seconds=570]
#          [--device=cuda | --device=cpu --build=DIR [--suite=suite]]
#
# Needs the driver and the folder that gpu-build.sh made (--from; default: this script's own).
#   1 conformance   our CUDA test programs
#   2 outputs       every workload, not larger than small: nvcc's build against ours, native,
#                   persistent, at budgets 1 to 16, on some SMs, with pauses; hashes of the results
#                   must be equal
#   3 overhead      persistent at full budget against nvcc's build, medians of --samples; also with
#                   blocks claimed one by one
#   4 budgets       gpusched profile: curve at --budgets, saturation point, EPC, stalls, slots freed
#   5 pairs         serial, streams, priorities, best green-context split, processes (under MPS where
#                   its daemon starts), padded shared memory, and ours by --policies: kscheduler, bottleneck,
#                   and bottleneck for throughput (max_slowdown=2). What a policy measured of pairs on the way is
#                   OUT/learnt-*.json. traces, which --modes must ask for: when every launch ran, as launched and
#                   by policy, OUT/trace-*.json. With --fixed also by no policy, at these budgets of kernels
#                   (GPUSCHED_BLOCKS_PER_SM), one run for each: what budgets can do, whoever decides them
#   6 launch        host time of a launch, by form; with a policy: the decision too. Also beside a thread that
#                   keeps its stream's queue full, with GPUSCHED_DEEP_QUEUE and without
#   7 pause         from asking until the device is idle
#   8 programs      those of test/execute, where carried: nvcc's build against ours in five forms, *streams* under a policy, too
#   9 placement     beside which schedulers the blocks are that a budget keeps (placement/Placement.cu); which streams
#                   one that waits holds back, with CUDA's connections and with 32 (connections/Connections.cu)
#   10 fusion       two launches as one, beside the two apart, in one stream and in two (fusion/Fusion.cu)
#   11 processes    which --sections must ask for: pairs as two processes under MPS, nvcc's build and ours, sharing
#                   by --policies, from profiles; both at once, then one in the background, of low priority, and
#                   the other now and then
#   12 urgent       which --sections must ask for: pairs in one process, the first all the time in a stream of the
#                   lowest priority, the second now and then in one of the highest; nvcc's build and ours by --policies
# Raw lines of JSON go to OUT/*.jsonl, the table comes last and to OUT/table.txt. What no time is left
# for is skipped and said so. --profile is what section 4 would measure, from an earlier run.
# --device=cpu is a stand-in without a GPU: outputs are real, no time is shown, budgets are modelled,
# and so are the pairs' speedups (gpusched sched, the sim device). Exit status 1: a result was wrong.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
from=$here out=$here/results size=large samples=20 device=cuda build= seconds=570 suite=suite
policies="kscheduler bottleneck bottleneck:max_slowdown=2"
budgets=1-4,6,8,10,12,14,16 fixed= kernels= pairs= sections=1,2,3,4,5,6,7,8,9,10 profile= modes=streams,priorities,green,padding,ours,processes
for argument in "$@"; do
  case $argument in
    --from=* | --out=* | --size=* | --samples=* | --kernels=* | --pairs=* | --seconds=* | --device=* | \
      --build=* | --suite=* | --sections=* | --profile=* | --modes=* | --policies=* | --budgets=* | --fixed=*)
      name=${argument%%=*}
      printf -v "${name#--}" '%s' "${argument#*=}"
      ;;
    *) echo "gpu.sh: unknown option '$argument'; see the head of the file" >&2; exit 2 ;;
  esac
done

prefix=() native=$from/suite-native ours=$from/suite-gpusched latency=$from/latency-gpusched
gpusched=$from/bin/gpusched store=$from/store
if [ "$device" = cpu ]; then
  [ -n "$build" ] || { echo "gpu.sh: --device=cpu needs --build=DIR" >&2; exit 2; }
  gpusched=$build/bin/gpusched store=$build/benchmarks/store
  prefix=("$gpusched" run --device=cpu --)
  native=$build/benchmarks/native/$suite ours=$build/benchmarks/gpusched/$suite
  latency=$build/benchmarks/gpusched/latency
else
  export GPUSCHED_RT=$from/lib/libgpusched_rt.so
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$from/lib
  [ ! -e "$from/lib/libcupti.so.13" ] || export GPUSCHED_CUPTI=$from/lib/libcupti.so.13
fi
for needed in "$native" "$ours" "$latency" "$gpusched"; do
  [ -x "$needed" ] || { echo "gpu.sh: no $needed; run gpu-build.sh first" >&2; exit 2; }
done
mkdir -p "$out"
rm -f "$out"/*.jsonl
out=$(cd "$out" && pwd)
[ -z "$profile" ] || cp "$profile" "$out/profile.json" # for the pairs, too
if [ "$device" = cuda ]; then # what the machine offers belongs to the results
  GPUSCHED_HOME=$out/home "$gpusched" doctor >"$out/doctor.txt" || true
  grep '^\(ok\|blocked\|missing\).* \(driver\|GPU\|MPS\|CUPTI\|green contexts\|GPU counters\)  ' "$out/doctor.txt" >&2 || true
  if grep -q '^blocked  *driver  ' "$out/doctor.txt"; then
    echo "gpu.sh: nothing here would start (gpusched doctor, above)" >&2
    exit 2
  fi
  grep -q '^ok  *GPU  ' "$out/doctor.txt" || {
    echo "gpu.sh: no GPU here (gpusched doctor, above); --device=cpu is a stand-in" >&2
    exit 2
  }
fi
options=(--size="$size" --samples="$samples")
[ -z "$kernels" ] || options+=(--kernels="$kernels")
skipped=0 failed=0
persistent=(GPUSCHED=1 GPUSCHED_VARIANT=persistent)

left() { echo $((seconds - SECONDS)); }

# run FILE "TAGS" COMMAND... : appends the command's lines of JSON, with the tags, to OUT/FILE.
run() {
  local file=$1 tags=$2 status=0
  shift 2
  if [ "$(left)" -le 1 ]; then skipped=$((skipped + 1)); return; fi
  timeout "$(left)" "$@" >"$out/last.txt" 2>"$out/last-errors.txt" || status=$?
  sed -n "s/^{/{$tags, /p" "$out/last.txt" >>"$out/$file"
  [ "$status" = 0 ] && return
  if [ "$status" = 124 ]; then skipped=$((skipped + 1)); return; fi
  failed=$((failed + 1))
  printf '{%s, "exit": %d}\n' "$tags" "$status" >>"$out/$file"
  echo "gpu.sh: $file: $tags: exit status $status" >&2
  head -20 "$out/last-errors.txt" >&2
}

form() { # FILE NAME ENVIRONMENT... : every workload alone in one form
  local file=$1 name=$2
  shift 2
  local program=$ours
  [ "$name" != nvcc ] || program=$native
  echo "gpu.sh: $file: $name" >&2
  run "$file" "\"form\": \"$name\"" env "$@" "${prefix[@]}" "$program" alone "${options[@]}"
}

wants() { [[ ,$sections, == *,$1,* ]]; }
compares() { [[ ,$modes, == *,$1,* ]]; }

wait_for_room() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
}

conform() { # PROGRAM
  local name status=0
  name=$(basename "$1")
  timeout 60 "${prefix[@]}" "$1" >"$out/conformance-$name.txt" 2>&1 || status=$?
  [ "$status" != 0 ] || rm "$out/conformance-$name.txt"
  printf '{"program": "%s", "exit": %d}\n' "$name" "$status" >>"$out/conformance.jsonl"
}

# Nothing is timed, so they run side by side.
conformance() {
  local program
  for program in "$from"/conformance/*; do
    [ -x "$program" ] || continue
    wait_for_room
    conform "$program" &
  done
  wait
  [ ! -e "$out/conformance.jsonl" ] || failed=$((failed + $(grep -vc '"exit": 0}' "$out/conformance.jsonl" || true)))
}

outputs() {
  local full=("${options[@]}") budget
  options+=(--samples=3)
  [ "$size" != large ] || options+=(--size=small)
  form outputs.jsonl nvcc GPUSCHED=0
  form outputs.jsonl native GPUSCHED=0
  form outputs.jsonl persistent "${persistent[@]}"
  form outputs.jsonl single-claims "${persistent[@]}" GPUSCHED_CLAIM_BATCH=1
  for budget in 1 2 4 8 16; do
    form outputs.jsonl "blocks=$budget" "${persistent[@]}" GPUSCHED_BLOCKS_PER_SM=$budget
  done
  form outputs.jsonl sms=0-31 "${persistent[@]}" GPUSCHED_SMS=0-31
  form outputs.jsonl pauses "${persistent[@]}" GPUSCHED_PREEMPT=1 GPUSCHED_PAUSE_EVERY=500
  options=("${full[@]}")
}

# program FOLDER FORM ENVIRONMENT... : runs nvcc's build, or compares ours in a form with what that printed.
program() {
  local name form=$2 status=0 equal= output
  name=$(basename "$1")
  output=$out/programs/$name.$form
  local program=$1/gpusched
  [ "$form" != nvcc ] || program=$1/native
  shift 2
  timeout -k 1 10 env "$@" "$program" >"$output" 2>"$output.errors" || status=$?
  if [ -e "$from/execute/$name/sort" ]; then sort -o "$output" "$output"; fi
  if [ "$form" != nvcc ]; then
    equal='"equal": false, '
    if [ "$status" = 0 ] && cmp -s "$out/programs/$name.nvcc" "$output"; then
      equal='"equal": true, '
      rm "$output" "$output.errors"
    fi
  fi
  printf '{"program": "%s", "form": "%s", %s"exit": %d}\n' "$name" "$form" "$equal" "$status" >>"$out/programs.jsonl"
  return "$status"
}

program_forms() { # FOLDER
  local one=("${persistent[@]}" GPUSCHED_BLOCKS_PER_SM=1)
  program "$1" nvcc GPUSCHED=0 || return 0
  program "$1" persistent "${persistent[@]}" || true
  program "$1" blocks=1 "${one[@]}" || true
  program "$1" sms=5 "${one[@]}" GPUSCHED_SMS=5 || true
  program "$1" blocks=2,sms=3,40,77 "${persistent[@]}" GPUSCHED_BLOCKS_PER_SM=2 GPUSCHED_SMS=3,40,77 \
    GPUSCHED_CLAIM_BATCH=4 || true
  case ${1##*/} in
  *streams*) program "$1" even GPUSCHED=even || true ;; # budgets that fall and rise
  esac
  program "$1" pauses "${one[@]}" GPUSCHED_SMS=0-1 GPUSCHED_PREEMPT=1 GPUSCHED_PAUSE_EVERY=300 \
    GPUSCHED_CLAIM_BATCH=2 || true
}

# Nothing is timed, so these run side by side, too.
programs() {
  local folder
  mkdir -p "$out/programs"
  for folder in "$from"/execute/*/; do
    [ -x "$folder/native" ] || continue
    if [ "$(left)" -le 10 ]; then skipped=$((skipped + 1)); continue; fi
    wait_for_room
    program_forms "${folder%/}" &
  done
  wait
}

# Results are section 2's business.
overhead() {
  local full=("${options[@]}")
  options+=(--no-check)
  form alone.jsonl nvcc GPUSCHED=0
  form alone.jsonl persistent "${persistent[@]}"
  form alone.jsonl single-claims "${persistent[@]}" GPUSCHED_CLAIM_BATCH=1
  options=("${full[@]}")
}

budget_curves() {
  local sources=(--device=cpu) status=0 profiled=5
  [ "$device" = cpu ] || sources=(--device=cuda --sources=activity,range --budgets="$budgets" --timeout=60)
  [ "$(left)" -gt 1 ] || { skipped=$((skipped + 1)); return; }
  if [ -n "$profile" ]; then
    "$gpusched" report --details "$out/profile.json" >"$out/budgets.txt"
    return
  fi
  echo "gpu.sh: budgets" >&2
  [ "$size" != large ] || profiled=2 # each is many launches
  mkdir -p "$out/home/static"
  cp "$store"/static/*.json "$out/home/static/"
  GPUSCHED_HOME=$out/home timeout "$(left)" "$gpusched" profile "${sources[@]}" -o "$out/profile.json" \
    -- "$ours" alone "${options[@]}" --samples="$profiled" --no-check >/dev/null 2>"$out/profile.txt" || status=$?
  [ -e "$out/profile.json" ] && GPUSCHED_HOME=$out/home "$gpusched" report --details "$out/profile.json" >"$out/budgets.txt" && return
  failed=$((failed + 1))
  echo "gpu.sh: budgets: exit status $status" >&2
  tail -5 "$out/profile.txt" >&2
}

# Our own daemon in a folder of ours; one that runs already is left alone and used.
mps_start() {
  command -v nvidia-cuda-mps-control >/dev/null && [ "$device" = cuda ] || return 1
  export CUDA_MPS_PIPE_DIRECTORY=$out/mps CUDA_MPS_LOG_DIRECTORY=$out/mps
  mkdir -p "$out/mps"
  nvidia-cuda-mps-control -d >/dev/null 2>&1 || return 1
  trap mps_stop EXIT
  # A daemon starts anywhere, its server comes with the first client and does not.
  timeout 60 "$native" alone --size=test --samples=1 --kernels=reduction >/dev/null 2>&1 && return
  echo "gpu.sh: no program runs under MPS here; processes are time-sliced" >&2
  mps_stop
  return 1
}
mps_stop() {
  echo quit | nvidia-cuda-mps-control >/dev/null 2>&1 || true
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  trap - EXIT
}

# by_policy POLICY : puts its environment, with the parameters behind a colon, into `policy_environment`; the
# connections as `gpusched run` asks for them.
by_policy() {
  policy_environment=(GPUSCHED="${1%%:*}" GPUSCHED_PROFILE="$out/profile.json")
  [ -n "${CUDA_MPS_PIPE_DIRECTORY:-}" ] || policy_environment+=(CUDA_DEVICE_MAX_CONNECTIONS="${CUDA_DEVICE_MAX_CONNECTIONS:-32}")
  [[ $1 != *:* ]] || policy_environment+=(GPUSCHED_PARAMETERS="${1#*:}")
}

file_name() { printf '%s' "${1//[:=,]/-}"; }

# A policy may learn from two samples that budgets do not pay, and from the next two how natives do:
# of nine the median is what it has come to.
ours_pairs() { # POLICY
  by_policy "$1"
  echo "gpu.sh: pairs, ours-$1" >&2
  run pairs.jsonl "\"form\": \"ours-$1\"" env "${policy_environment[@]}" GPUSCHED_PAIRS="$out/learnt-$(file_name "$1").json" \
    "${prefix[@]}" "$ours" streams "${options[@]}" --samples=9 "${which[@]}" --seconds=$(($(left) / 6))
}

traced_pairs() { # POLICY, or 1: as launched
  local form=${1/#1/as-launched}
  by_policy "$1"
  echo "gpu.sh: pairs, traces, $form" >&2
  run traces.jsonl "\"form\": \"$form\"" env "${policy_environment[@]}" GPUSCHED_PAIRS=none \
    GPUSCHED_TRACE="$out/trace-$(file_name "$form").json" "${prefix[@]}" "$ours" streams "${options[@]}" --samples=1 \
    "${which[@]}" --seconds=$(($(left) / 6))
}

fixed_pairs() { # KERNEL=BLOCKS;...
  echo "gpu.sh: pairs, $1" >&2
  run pairs.jsonl "\"form\": \"ours-$1\"" env GPUSCHED=1 GPUSCHED_BLOCKS_PER_SM="$1" "${prefix[@]}" "$ours" streams \
    "${options[@]}" "${which[@]}" --seconds=$(($(left) / 6))
}

pair_runs() {
  local mode which=() share policy blocks
  [ -z "$pairs" ] || which=(--pairs="$pairs")
  options=("${options[@]}" --samples=5)
  for mode in streams priorities green padding; do
    compares "$mode" || continue
    share=$(($(left) / 8))
    echo "gpu.sh: pairs, $mode" >&2
    run pairs.jsonl '"form": "nvcc"' "${prefix[@]}" "$native" "$mode" "${options[@]}" "${which[@]}" --seconds=$share
  done
  if compares ours; then
    for policy in $policies; do ours_pairs "$policy"; done
  fi
  for blocks in $fixed; do fixed_pairs "$blocks"; done
  if compares traces; then
    for policy in 1 $policies; do traced_pairs "$policy"; done
  fi
  if [ "$device" = cpu ]; then modelled_pairs; return; fi
  compares processes || return 0
  echo "gpu.sh: pairs, processes" >&2
  mode=time-sliced
  if mps_start; then mode=mps; fi
  run pairs.jsonl "\"form\": \"$mode\"" "$native" processes "${options[@]}" "${which[@]}" --seconds=$(($(left) / 2))
  [ "$mode" != mps ] || mps_stop
}

# Every two kernels of the profile on the sim device: as they are launched, and under our policies.
modelled_pairs() {
  local names first second
  [ -e "$out/profile.json" ] || return 0
  echo "gpu.sh: pairs, sim" >&2
  mapfile -t names < <(sed -n 's/^ *"kernel": "\(.*\)",$/\1/p' "$out/profile.json" | sort -u)
  for first in "${names[@]}"; do
    for second in "${names[@]}"; do
      [[ $first < $second && $(left) -gt 1 ]] || continue
      printf '{"format": "gpusched-workload", "version": 1, "profiles": ["profile.json"],
        "launches": [{"kernel": "%s"}, {"kernel": "%s"}]}' "$first" "$second" >"$out/workload.json"
      "$gpusched" sched "$out/workload.json" --policy=native,kscheduler,bottleneck |
        awk -v pair="$first+$second" '$1 ~ /^(native|kscheduler|bottleneck)$/ {
          printf "{\"pair\": \"%s\", \"policy\": \"%s\", \"modelled_speedup\": %s}\n", pair, $1, $2 }' >>"$out/sim.jsonl"
    done
  done
}

latencies() {
  [ "$device" = cuda ] || return 0 # host times of the cpu device mean nothing
  local blocks form policy
  for blocks in 1 16384; do # a few, and more than fit at once
    form=persistent$([ "$blocks" = 1 ] || echo "-$blocks")
    run launch.jsonl "\"form\": \"${form/persistent/native}\"" env GPUSCHED=0 "$latency" launch --blocks=$blocks
    run launch.jsonl "\"form\": \"$form\"" env "${persistent[@]}" "$latency" launch --blocks=$blocks
  done
  run launch.jsonl '"form": "kscheduler"' env GPUSCHED=kscheduler "$latency" launch
  run beside.jsonl '"form": "native"' env GPUSCHED=0 "$latency" beside
  for policy in even kscheduler; do
    run beside.jsonl "\"form\": \"$policy\"" env GPUSCHED="$policy" "$latency" beside
    run beside.jsonl "\"form\": \"$policy-one-lock\"" env GPUSCHED="$policy" GPUSCHED_DEEP_QUEUE=0 "$latency" beside
  done
  run pause.jsonl '"form": "persistent"' env "${persistent[@]}" GPUSCHED_PREEMPT=4 "$latency" pause
}

process_runs() {
  local mode policy which=() times=5
  [ -z "$pairs" ] || which=(--pairs="$pairs")
  for mode in processes background; do
    [ "$mode" = processes ] || times=$((5 * samples)) # a P99 is wanted
    echo "gpu.sh: $mode" >&2
    run processes.jsonl '"form": "nvcc"' "${prefix[@]}" "$native" $mode "${options[@]}" --samples=$times "${which[@]}" \
      --seconds=$(($(left) / 6))
    for policy in $policies; do
      by_policy "$policy"
      run processes.jsonl "\"form\": \"shared-$policy\"" env "${policy_environment[@]}" GPUSCHED_PAIRS=none \
        GPUSCHED_SHARE="$out/board" "${prefix[@]}" "$ours" $mode "${options[@]}" --samples=$times "${which[@]}" \
        --seconds=$(($(left) / 6))
    done
  done
}

processes() {
  [ "$device" != cuda ] || mps_start || return 0 # without MPS they take turns
  process_runs
  [ "$device" != cuda ] || mps_stop
}

# A P99 is wanted, so there are more samples.
urgent_runs() {
  local policy which=()
  [ -z "$pairs" ] || which=(--pairs="$pairs")
  which+=(--samples=$((5 * samples)))
  echo "gpu.sh: urgent" >&2
  run urgent.jsonl '"form": "nvcc"' env GPUSCHED=0 "${prefix[@]}" "$native" urgent "${options[@]}" "${which[@]}" --seconds=$(($(left) / 4))
  for policy in $policies; do
    by_policy "$policy"
    run urgent.jsonl "\"form\": \"ours-$policy\"" env "${policy_environment[@]}" GPUSCHED_PAIRS=none \
      "${prefix[@]}" "$ours" urgent "${options[@]}" "${which[@]}" --seconds=$(($(left) / 4))
  done
}

placement() {
  if [ -x "$from/connections" ]; then
    run connections.jsonl '"program": "connections"' "$from/connections"
    run connections.jsonl '"program": "connections"' env CUDA_DEVICE_MAX_CONNECTIONS=32 "$from/connections"
  fi
  [ -x "$from/placement" ] || return 0
  run placement.jsonl '"program": "placement"' "$from/placement"
  run placement.jsonl '"program": "placement"' "$from/placement" --beside=4
}

fusions() {
  [ -x "$from/fusion" ] || return 0
  run fusion.jsonl '"form": "apart"' env GPUSCHED=0 "$from/fusion" --samples="$samples"
  run fusion.jsonl '"form": "fused"' env GPUSCHED=1 GPUSCHED_FUSE=always "$from/fusion" --samples="$samples"
}

# The values of KEY in lines that hold every further word.
values() {
  local file=$out/$1 key=$2 word
  shift 2
  [ -e "$file" ] || return 0
  local lines
  lines=$(cat "$file")
  for word in "$@"; do lines=$(grep -F -- "$word" <<<"$lines" || true); done
  sed -n "s/.*\"$key\": \"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$lines"
}

statistics='
function summary(name,   i, j, t, logs) {
  for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j - 1] > v[j]; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  for (i = 1; i <= n; ++i) logs += log(v[i])
  if (n) printf "%-34s geomean %.3f, least %.3f, P95 %.3f, most %.3f (%d)\n", name, exp(logs / n), v[1],
    v[int((95 * n + 99) / 100)], v[n], n
  else printf "%-34s no times\n", name
}'

# Form, kernel, hash, median time of each line of alone.jsonl, or of FILE; "-" for what it lacks.
alone_lines() {
  [ -e "$out/${1:-alone.jsonl}" ] || return 0
  awk '
    function value(key,   text) {
      if (!match($0, "\"" key "\": \"?[^\",}]*")) return "-"
      text = substr($0, RSTART, RLENGTH)
      sub(/^"[^"]*": "?/, "", text)
      return text
    }
    /"kernel"/ { print value("form"), value("kernel"), value("hash"), value("median_ms") }' "$out/${1:-alone.jsonl}"
}

# Times of FORM relative to nvcc's build, summed up under NAME; with `rows` each kernel's as well.
conversion() {
  alone_lines | awk -v form="$1" -v name="$2" -v rows="${3:-}" "$statistics"'
    $1 == "nvcc" && $4 > 0 { base[$2] = $4 }
    $1 == form && $2 in base {
      v[++n] = $4 / base[$2]
      if (rows) printf "  %-22s %10.3f ms %10.3f ms %8.3f\n", $2, base[$2], $4, v[n]
    }
    END { summary(name) }'
}

table() {
  local conforming all form
  echo "gpu.sh: $device$([ "$device" = cuda ] || echo ' (a stand-in: outputs only, budgets modelled)'), size $size"
  all=$(values conformance.jsonl program | wc -l)
  conforming=$(values conformance.jsonl program '"exit": 0' | wc -l)
  echo "1 conformance: $([ "$all" = 0 ] && echo "no programs carried" || echo "$conforming of $all programs")"
  echo "2 outputs equal to nvcc's build:"
  alone_lines outputs.jsonl | awk '
    $1 == "nvcc" { reference[$2] = $3; ++total }
    { hash[$1, $2] = $3; ran[$1] }
    END {
      forms = split("native persistent single-claims blocks=1 blocks=2 blocks=4 blocks=8 blocks=16 sms=0-31 pauses", form, " ")
      for (i = 1; i <= forms; ++i) {
        if (!(form[i] in ran)) continue
        equal = 0
        for (kernel in reference) equal += hash[form[i], kernel] == reference[kernel]
        printf "  %-13s %d of %d\n", form[i], equal, total
      }
    }'
  echo "3 time of persistent at full budget, relative to nvcc's build:"
  conversion persistent "  conversion" rows
  conversion single-claims "  conversion, single claims"
  [ ! -e "$from/registers.txt" ] || sed 's/^/  /' "$from/registers.txt"
  echo "4 budgets:"
  [ ! -e "$out/budgets.txt" ] || sed 's/^/  /' "$out/budgets.txt"
  [ ! -e "$out/profile.txt" ] || sed -n 's/^gpusched: profile: not available/  not available/p' "$out/profile.txt"
  echo "5 pairs, speedup over one after the other (more is better):"
  pair_table
  if [ ! -e "$out/launch.jsonl" ]; then echo "6 launch, 7 pause: not measured"; return; fi
  echo "6 launch, host time:"
  for form in native persistent kscheduler native-16384 persistent-16384; do
    printf '  %-16s %s us, P99 %s us\n' "$form" "$(values launch.jsonl launch_us "\"form\": \"$form\"")" \
      "$(values launch.jsonl p99_us "\"form\": \"$form\"")"
  done
  echo "  beside a full queue:"
  for form in native even even-one-lock kscheduler kscheduler-one-lock; do
    printf '  %-19s %s us, worst %s us\n' "$form" "$(values beside.jsonl launch_us "\"form\": \"$form\"")" \
      "$(values beside.jsonl worst_us "\"form\": \"$form\"")"
  done
  echo "7 pause: $(values pause.jsonl pause_us) us, worst $(values pause.jsonl worst_us) us"
}

program_table() {
  [ -e "$out/programs.jsonl" ] || return 0
  sort "$out/programs.jsonl" | awk -F'"' '
    $8 == "nvcc" { if (/"exit": 0}/) ++total; else broken = broken " " $4; next }
    /"equal": false/ { different = different " " $4 ":" $8; unequal += !seen[$4]++ }
    END {
      printf "8 programs: %d of %d print the same in all forms\n", total - unequal, total
      if (different) print "  different:" different
      if (broken) print "  nvcc'"'"'s build fails:" broken
    }'
}

# Worst over budgets, for each block size.
placement_table() {
  [ -e "$out/placement.jsonl" ] || return 0
  echo "9 placement, warps beside the busiest scheduler over the mean, by %warpid and by time: on an idle device; beside another kernel"
  sed 's/.*"threads": \([0-9]*\).*"form": "\([a-z]*\)", "beside": \([0-9]*\).*"slowest_warp": \([0-9.]*\), "busiest_scheduler": \([0-9.]*\)}.*/\1 \2 \3 \4 \5/' \
    "$out/placement.jsonl" | awk '
    { key = $1 SUBSEP $2 SUBSEP ($3 > 0); if ($4 > time[key]) time[key] = $4; if ($5 > warps[key]) warps[key] = $5; sizes[$1] }
    function both(size, form, beside) { return sprintf("%.2f %.2f", warps[size, form, beside], time[size, form, beside]) }
    END { for (size in sizes) printf "  %3d threads  surplus %s; %s  exact %s; %s\n", size, both(size, "surplus", 0),
      both(size, "surplus", 1), both(size, "exact", 0), both(size, "exact", 1) }' | sort -n
}

connections_table() {
  [ -e "$out/connections.jsonl" ] || return 0
  echo "9 connections, of so many streams how many others one that waits holds back, mean and most"
  sed -n 's/.*"connections": "\([^"]*\)", "streams": \([0-9]*\), "held_mean": \([0-9.]*\), "held_most": \([0-9]*\),.*/  \1 connections, \2 streams: \3 \4/p' \
    "$out/connections.jsonl"
}

# Times apart over times as one launch.
fusion_table() {
  [ -e "$out/fusion.jsonl" ] || return 0
  echo "10 fusion, speedup of one launch over two: of one stream, of two"
  sed -n 's/.*"form": "\([a-z]*\)", "pair": "\([^"]*\)", "streams": \([12]\), "pair_us": \([0-9.]*\).*/\1 \2 \3 \4/p' \
    "$out/fusion.jsonl" | awk '
    { time[$1, $2, $3] = $4; if (!seen[$2]++) names[++n] = $2 }
    function speedup(name, streams) {
      return time["fused", name, streams] > 0 ? sprintf("%.3f", time["apart", name, streams] / time["fused", name, streams]) : "-"
    }
    END { for (i = 1; i <= n; ++i) printf "  %-18s %s, %s\n", names[i], speedup(names[i], 1), speedup(names[i], 2) }'
}

# On the cpu device there are no times to show.
ran_only() { # FILE TITLE
  [ "$device" = cpu ] || return 1
  echo "$2: $(grep -c '"timed": true' "$out/$1") pairs ran"
}

# Of the background mode: the front's median and P99 beside over those alone, and the background's rate.
process_table() {
  [ -e "$out/processes.jsonl" ] || return 0
  if ran_only processes.jsonl "11 processes"; then return; fi
  echo "11 processes: speedup over one after the other"
  sed -n 's/.*"form": "\([^"]*\)".*"serial_ms": \([0-9.]*\), "together_ms": \([0-9.]*\).*/\1 \2 \3/p' "$out/processes.jsonl" |
    by_form '$2 / $3'
  background_rows processes.jsonl
}
urgent_table() {
  [ -e "$out/urgent.jsonl" ] || return 0
  if ran_only urgent.jsonl "12 urgent"; then return; fi
  echo "12 urgent, streams of unlike priority"
  background_rows urgent.jsonl
}
background_rows() {
  echo "   in front of a background: median over that alone"
  background_values "$1" | by_form '$4 / $2'
  echo "   P99 over that alone"
  background_values "$1" | by_form '$5 / $3'
  echo "   the background's rate over that alone"
  background_values "$1" | by_form '$6'
}
background_values() {
  sed -n 's/.*"form": "\([^"]*\)".*"alone_ms": \([0-9.]*\), "alone_p99_ms": \([0-9.]*\), "beside_ms": \([0-9.]*\), "beside_p99_ms": \([0-9.]*\), "background_rate": \([0-9.]*\).*/\1 \2 \3 \4 \5 \6/p' \
    "$out/$1"
}
# Sums up an expression over the lines of each form.
by_form() {
  local lines form
  lines=$(cat)
  for form in $(cut -d' ' -f1 <<<"$lines" | sort -u); do
    awk -v form="$form" "$statistics"'$1 == form { v[++n] = '"$1"' } END { summary("  " form) }' <<<"$lines"
  done
}

pair_table() {
  local policy
  for policy in native kscheduler bottleneck; do
    [ ! -e "$out/sim.jsonl" ] || values sim.jsonl modelled_speedup "\"$policy\"" |
      awk -v name="  $policy, modelled by the sim" "$statistics"'{ v[++n] = $1 } END { summary(name) }'
  done
  [ -e "$out/pairs.jsonl" ] || return 0
  sed -n 's/.*"missing": "\(.*\)".*/  not offered: \1/p; s/.*"mode": "\(.*\)", "skipped": \([0-9]*\).*/  \1: \2 pairs skipped for time/p' "$out/pairs.jsonl"
  grep -c '"equal": true' "$out/pairs.jsonl" | sed 's/^/  equal results: /' || true
  { grep -c '"equal": false' "$out/pairs.jsonl" || true; } | sed 's/^/  different results: /'
  sed -n 's/.*"form": "\([^"]*\)", "pair": "\([^"]*\)", "mode": "\([^"]*\)".*"serial_ms": \([0-9.]*\), "together_ms": \([0-9.]*\).*/\1 \2 \3 \4 \5/p' \
    "$out/pairs.jsonl" | awk "$statistics"'
    { mode = $1 == "nvcc" ? $3 : $1; key = mode SUBSEP $2; if (!($2 in serial)) serial[$2] = $4
      together[key] = $5; modes[mode]; if (mode !~ /^ours/ && (!($2 in best) || $5 < best[$2])) best[$2] = $5 }
    END {
      for (mode in modes) {
        n = 0
        for (pair in serial) if ((mode SUBSEP pair) in together && together[mode, pair] > 0) v[++n] = serial[pair] / together[mode, pair]
        summary("  " mode)
      }
      for (mode in modes) if (mode ~ /^ours/) {
        n = 0
        for (pair in serial) if ((mode SUBSEP pair) in together && pair in best) v[++n] = best[pair] / together[mode, pair]
        summary("  " mode ", over the best of others")
      }
    }'
}

if wants 1; then conformance; fi
if wants 8 && [ "$device" = cuda ]; then programs; fi
if wants 2; then outputs; fi
if wants 3 && [ "$device" = cuda ]; then overhead; fi # times of the cpu device mean nothing
if wants 4; then budget_curves; fi
if wants 6 || wants 7; then latencies; fi
if wants 9 && [ "$device" = cuda ]; then placement; fi
if wants 10 && [ "$device" = cuda ]; then fusions; fi
if wants 5; then pair_runs; fi
if wants 11; then processes; fi
if wants 12; then urgent_runs; fi
rm -f "$out/last.txt" "$out/last-errors.txt" "$out/workload.json"
{ table; program_table; placement_table; connections_table; fusion_table; process_table; urgent_table; } | tee "$out/table.txt"
echo "gpu.sh: $failed failed, $skipped skipped for time, $SECONDS s; raw: $out"
if grep -qs '"right": false\|"equal": false' "$out"/*.jsonl; then failed=1; fi
different=$(sed -n '/^2 /,/^3 /s/^  \([^ ]*\) *\([0-9]*\) of \([0-9]*\)$/\2 \3/p' "$out/table.txt" | awk '$1 != $2' | wc -l)
[ "$failed" = 0 ] && [ "$different" = 0 ]
