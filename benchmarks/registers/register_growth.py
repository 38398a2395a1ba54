#!/usr/bin/env python3
"""register_growth - registers and resident blocks of each kernel: native form against persistent twin.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Compiles .cu files with gpusched-cc to cubins and reads what ptxas gave both forms from the static
profile. A twin loses blocks at a block size when fewer of its blocks than of the native form's fit
on an SM of the device description: registers, shared memory (static), warps and block slots all count,
in the device's allocation units.

    register_growth.py --build=build                          our own kernels
    register_growth.py --build=build FILE|FOLDER... --json=growth.json -- -O3 -arch=sm_90 -Iinclude

Nothing is run and no GPU is needed. Files that do not compile are listed and left out.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = (32, 64, 128, 256, 512, 1024)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", type=pathlib.Path,
                        default=[ROOT / "benchmarks" / "kernels"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--device", default="h200", help="shipped description to count blocks for")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--block", type=int, action="append", default=None,
                        help=f"block size to count blocks at, repeatable; default {SIZES}")
    parser.add_argument("--json", type=pathlib.Path, default=None)
    parser.add_argument("--limit", type=float, default=None,
                        help="exit with 1 when the median growth is above this")
    own, flags = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, flags = own[:at], own[at + 1:]
    options = parser.parse_args(own)
    options.flags = flags or ["-O3", "-arch=sm_90", f"-I{ROOT}"]
    options.block = options.block or list(SIZES)
    return options


def files_of(sources):
    for source in sources:
        yield from sorted(source.rglob("*.cu")) if source.is_dir() else [source]


def profile_of(source, compiler, flags):
    """The static profile's kernels, or None when gpusched-cc fails."""
    with tempfile.TemporaryDirectory() as scratch:
        profile = pathlib.Path(scratch) / "profile.json"
        command = [compiler, *flags, f"-I{source.parent}", "-cubin", str(source), "-o",
                   f"{scratch}/out.cubin", f"--gpusched-profile={profile}", "--gpusched-quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return None
        if not profile.exists():
            return []
        return [kernel["static"] for kernel in json.loads(profile.read_text())["kernels"]]


def up(value, unit):
    return (value + unit - 1) // unit * unit


def resident_blocks(variant, threads, device):
    warps = (threads + 31) // 32
    registers = warps * up(variant["registersPerThread"] * 32, device["registerAllocationUnit"])
    shared = up(variant["staticSharedBytes"] + device["sharedReservedPerBlock"],
                device["sharedAllocationUnit"])
    limits = [device["blocksPerSm"], device["warpsPerSm"] // warps,
              device["sharedBytesPerSm"] // shared]
    if registers:
        limits.append(device["registersPerSm"] // registers)
    return min(limits)


def rows_of(source, kernels, sizes, device):
    for kernel in kernels:
        for native, twin in zip(kernel["native"], kernel["persistent"]):
            bound = native["maxThreadsPerBlock"] or device["threadsPerBlock"]
            blocks = {size: (resident_blocks(native, size, device),
                             resident_blocks(twin, size, device))
                      for size in sizes if size <= bound}
            yield {"file": source.name, "kernel": kernel["kernel"], "bound": bound,
                   "native": native["registersPerThread"], "twin": twin["registersPerThread"],
                   "spilled": twin["spillStoreBytes"] - native["spillStoreBytes"],
                   "lost": {size: pair for size, pair in blocks.items() if pair[1] < pair[0]}}


def growth(row):
    return row["twin"] - row["native"]


def lost_text(row):
    return " ".join(f"{size}:{native}->{twin}" for size, (native, twin) in row["lost"].items())


def print_table(rows, failed, sizes):
    print(f"{'file':28} {'kernel':40} {'native':>6} {'twin':>5} {'growth':>6} {'spills':>6}  "
          "blocks per SM lost, threads:native->twin")
    for row in rows:
        print(f"{row['file'][:28]:28} {row['kernel'][:40]:40} {row['native']:6} {row['twin']:5} "
              f"{growth(row):+6} {row['spilled']:6}  {lost_text(row)}")
    for source in failed:
        print(f"not compiled: {source}")
    if not rows:
        return
    values = [growth(row) for row in rows]
    print(f"{len(rows)} twins: growth median {statistics.median(values):+g}, "
          f"P95 {sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]:+d}, "
          f"mean {statistics.mean(values):+.1f}, max {max(values):+d}; "
          f"{sum(row['spilled'] > 0 for row in rows)} spill more")
    for size in sizes:
        print(f"  {size:4} threads: {sum(size in row['lost'] for row in rows)} twins lose a block")


def main():
    options = parse_arguments()
    description = ROOT / "rt" / "device" / "descriptions" / f"{options.device}.json"
    device = json.loads(description.read_text())
    compiler = str(options.build / "bin" / "gpusched-cc")
    sources = list(files_of(options.sources))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        profiles = list(pool.map(lambda source: profile_of(source, compiler, options.flags), sources))
    rows, failed = [], []
    for source, kernels in zip(sources, profiles):
        if kernels is None:
            failed.append(source)
        else:
            rows += rows_of(source, kernels, options.block, device)
    print_table(rows, failed, options.block)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.limit is not None and rows:
        return int(statistics.median(growth(row) for row in rows) > options.limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
