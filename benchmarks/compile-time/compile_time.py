#!/usr/bin/env python3
"""compile_time - what gpusched-cc costs at compile time, against nvcc alone.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Compiles every .cu file of a folder to an object with both, in pairs: nvcc and gpusched-cc follow
each other on one file, and which of them goes first alternates, so that a change of the machine's
load meets both. Reports one table and, with --json, the same as data. The ratio of a file is the
ratio of the medians of its rounds; median and P95 are over files.

    compile_time.py --build=build                       our own kernels
    compile_time.py --build=build path/to/folder --rounds=5 --json=times.json -- -O3 -arch=sm_90
    compile_time.py --cpu                               processor time: for a machine that is busy

Files that nvcc rejects are listed and left out.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "benchmarks" / "kernels")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--nvcc", default=None, help="default: what gpusched-cc itself would run")
    parser.add_argument("--rounds", type=int, default=3, help="compiles of each file by each compiler")
    parser.add_argument("--cpu", action="store_true",
                        help="processor seconds of all processes of a compile, not elapsed ones")
    parser.add_argument("--limit", type=float, default=None,
                        help="exit with 1 when the median ratio is above this")
    parser.add_argument("--json", type=pathlib.Path, default=None)
    own, separator, flags = sys.argv[1:], "--", []
    if separator in own:
        at = own.index(separator)
        own, flags = own[:at], own[at + 1:]
    options = parser.parse_args(own)
    options.flags = flags or ["-O3", "-arch=sm_90"]
    return options


def find_nvcc(compiler):
    said = subprocess.run([compiler, "--gpusched-version"], capture_output=True, text=True)
    first = said.stdout.split("\n")[0]
    return first.rpartition(" in front of ")[2] or shutil.which("nvcc") or "nvcc"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command, environment, clock):
    start = clock()
    done = subprocess.run(command, capture_output=True, env=environment)
    return clock() - start, done.returncode


def measure(source, compilers, flags, rounds, scratch, clock):
    """One list of seconds per compiler, or None when a compile fails."""
    environment = dict(os.environ, GPUSCHED_HOME=str(scratch / "home"))
    times = {name: [] for name in compilers}
    for turn in range(rounds):
        order = list(compilers) if turn % 2 == 0 else list(reversed(compilers))
        for name in order:
            command = [compilers[name], *flags, f"-I{source.parent}", "-c", str(source), "-o",
                       str(scratch / "object.o")]
            elapsed, code = seconds(command, environment, clock)
            if code != 0:
                return None
            times[name].append(elapsed)
    return times


def percentile(values, fraction):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def main():
    options = parse_arguments()
    compiler = str(options.build / "bin" / "gpusched-cc")
    compilers = {"nvcc": options.nvcc or find_nvcc(compiler), "gpusched-cc": compiler}
    sources = sorted(options.folder.rglob("*.cu"))
    if not sources:
        print(f"compile_time: no .cu file in '{options.folder}'; name another folder", file=sys.stderr)
        return 2

    clock = processor_seconds if options.cpu else time.perf_counter
    rows, rejected = [], []
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            times = measure(source, compilers, options.flags, options.rounds, pathlib.Path(folder),
                            clock)
            if times is None:
                rejected.append(str(source))
                continue
            row = {"file": str(source.relative_to(options.folder)),
                   "nvcc_s": statistics.median(times["nvcc"]),
                   "gpusched_cc_s": statistics.median(times["gpusched-cc"]), "seconds": times}
            row["ratio"] = row["gpusched_cc_s"] / row["nvcc_s"]
            rows.append(row)
            print(f"{row['file']:48} {row['nvcc_s']:8.2f} s {row['gpusched_cc_s']:8.2f} s"
                  f" {row['ratio']:6.2f}", flush=True)
    if not rows:
        print("compile_time: nvcc rejects every file; give its options after --", file=sys.stderr)
        return 2

    ratios = [row["ratio"] for row in rows]
    summary = {"files": len(rows), "rounds": options.rounds, "flags": options.flags,
               "cores": os.cpu_count(), "median_ratio": statistics.median(ratios),
               "p95_ratio": percentile(ratios, 0.95),
               "total_ratio": sum(r["gpusched_cc_s"] for r in rows) / sum(r["nvcc_s"] for r in rows),
               "rejected": rejected}
    print(f"\n{len(rows)} files, {len(rejected)} rejected by a compiler, {options.rounds} rounds, "
          f"{'processor' if options.cpu else 'elapsed'} time, {' '.join(options.flags)}")
    print(f"gpusched-cc / nvcc: median {summary['median_ratio']:.2f}, P95 {summary['p95_ratio']:.2f}, "
          f"total {summary['total_ratio']:.2f}")
    if options.json:
        options.json.write_text(json.dumps({"summary": summary, "files": rows}, indent=1) + "\n")
    return 1 if options.limit and summary["median_ratio"] > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
