#!/usr/bin/env python3
"""compare.py - runs one program in every form and compares what it prints, byte for byte.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    compare.py FILE.cu -o FOLDER --build=DIR --nvcc=NVCC [--flags=...]
        compiles FILE.cu, and sources among the flags, with nvcc and with gpusched-cc; by ccache,
        where there is one, for all of gpusched-cc that makes the object is in its key
    compare.py FILE.cu --compile-only ...
        leaves FOLDER/native and FOLDER/gpusched for another machine (benchmarks/gpu-execute.py)
    compare.py FILE.cu --ptx-twins ...
        the second build is nvcc's as well; its PTX has twins by gpusched-ptx, and launches go
        through the driver, as those of modules (Inputs/ThroughDriver.cu), or as CUDA's runtime
        makes them, in a build for another machine
    compare.py --programs NATIVE GPUSCHED -o FOLDER --build=DIR [--result-file] [-- arguments...]
        takes two programs that are already built

nvcc's build on the cpu device is the reference. The build by gpusched-cc then runs natively, and
as persistent variant with all blocks that fit, one and two blocks per SM, on a random choice of
SMs (these two with claims of several blocks at once, where a kernel takes that), on a single SM
under another schedule, and with pauses. Of a FILE.cu a third build, with --gpusched-outline, runs
natively and on the single SM. Each run must leave the same exit
status, the same output and (--result-file) the same result file. The trace of each run says
which variant was launched, so a kernel that silently stayed native fails the test:
--expect=persistent (default: every launch), some, native or any; --outlined says the same of the
third build where it differs.
A difference of output or result that `gpusched run --strict` removes is said to come from
contraction; --strict compares in that mode only.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPU_SMS = 40  # of the GPU that the cpu device describes; masks of them are more than one word


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?")
    parser.add_argument("--programs", nargs=2, metavar=("NATIVE", "GPUSCHED"))
    parser.add_argument("-o", dest="folder", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--flags", default="", help="compiler flags for both compilers")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--ptx-twins", action="store_true")
    parser.add_argument("--expect", default="persistent",
                        choices=["persistent", "some", "native", "any"])
    parser.add_argument("--outlined", choices=["some", "native"])
    parser.add_argument("--strict", action="store_true", help="contraction off in every run")
    parser.add_argument("--sort", action="store_true", help="the order of lines is free")
    parser.add_argument("--result-file", action="store_true",
                        help="the program understands --output=FILE")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--timeout", type=float, default=120)
    own, separator, rest = sys.argv[1:], "--", []
    if separator in own:
        own, rest = own[:own.index(separator)], own[own.index(separator) + 1:]
    options = parser.parse_args(own)
    options.arguments = rest
    return options


def fail(message, run=None):
    print(f"compare.py: {message}")
    if run is not None:
        print("command:", shlex.join(map(str, run["command"])))
        print("--- output\n" + run["output"].decode(errors="replace") + "--- errors\n" +
              run["errors"].decode(errors="replace"))
    sys.exit(1)


def fingerprint(build, nvcc):
    """Of what decides the objects of gpusched-cc: ccache would look at the date of one binary."""
    digest = hashlib.sha256(str(nvcc).encode())
    parts = [build / "bin" / name for name in ("gpusched-cc", "gpusched-cicc", "gpusched-ptxas")]
    for folder in (ROOT / "rt" / "include", build / "share"):
        parts += sorted(path for path in folder.rglob("*") if path.is_file())
    for part in parts:
        digest.update(str(part).encode() + part.read_bytes())
    return digest.hexdigest()


def run_compiler(command, variables):
    # Which headers a compile had, it says itself: ccache would preprocess the file to find out. What
    # nvcc is given so, ccache does not see.
    variables = {"CCACHE_DEPEND": "1", **variables,
                 "CCACHE_NAMESPACE": os.environ.get("NVCC_PREPEND_FLAGS", "")}
    done = subprocess.run(command, capture_output=True, env={**os.environ, **variables})
    if done.returncode:
        fail("a compiler failed", dict(command=command, output=done.stdout, errors=done.stderr))


def compile_with(options, compiler, program, variables, sources=(), cached=True):
    words = shlex.split(options.flags)
    # Host code that computes what is expected would else take longer than what is compared with it.
    flags = [*compiler, "-Xcompiler=-O1", *(word for word in words if not word.endswith(".cu"))]
    cache = ["ccache"] if cached and shutil.which("ccache") else []
    objects = []
    for source in [options.source, *(word for word in words if word.endswith(".cu")), *sources]:
        objects.append(f"{program}.{len(objects)}.o")
        listed = ["-MD", "-MF", f"{objects[-1]}.d"] if cache else []
        run_compiler([*cache, *flags, *listed, "-c", source, "-o", objects[-1]], variables)
    run_compiler([*flags, *objects, "-o", program], {})


def compile_with_ptx_twins(options, program):
    inputs = ROOT / "test" / "execute" / "Inputs"
    compiler = [options.nvcc, "--cicc-prefix", inputs / "cicc-with-twins",
                "--ptxas-prefix", options.build / "bin" / "gpusched-ptxas"]
    sources = []
    if not options.compile_only:
        compiler.append("-cudart=shared")
        sources.append(inputs / "ThroughDriver.cu")
    compile_with(options, compiler, program, {"GPUSCHED_BIN": str(options.build / "bin")}, sources,
                 cached=False)


def small_gpu(folder):
    """An H200 of few SMs: under a mask, workers come to all SMs, and leave most at once."""
    text = (ROOT / "rt" / "device" / "descriptions" / "h200.json").read_text()
    path = folder / "small-gpu.json"
    path.write_text(text.replace('"sms": 132', f'"sms": {CPU_SMS}'))
    return path


def rows(name, device):
    """Options of `gpusched run` for each form; the random ones depend on the test's name only."""
    chance = random.Random(name)
    sms = range(CPU_SMS if device == "cpu" else 132)
    mask = ",".join(map(str, sorted(chance.sample(sms, chance.randint(2, 4)))))
    yield "native", ["--variant=native"], {}
    yield "all that fit", ["--variant=persistent"], {}
    yield "one per SM", ["--variant=persistent", "--blocks-per-sm=1"], {}
    yield ("two per SM, some SMs", ["--variant=persistent", "--blocks-per-sm=2", f"--sms={mask}"],
           {"GPUSCHED_CLAIM_BATCH": "4"})
    shuffled = [f"--schedule={chance.randint(1, 1 << 30)}"] if device == "cpu" else []
    yield "one SM, shuffled", ["--variant=persistent", "--blocks-per-sm=1", "--sms=5", *shuffled], {}
    yield ("pauses", ["--variant=persistent", "--blocks-per-sm=1", "--sms=0-1"],
           {"GPUSCHED_PREEMPT": "1", "GPUSCHED_PAUSE_EVERY": "300", "GPUSCHED_CLAIM_BATCH": "2"})


def run(options, program, row, extra, variables):
    """One run: status, output, the result file's bytes, the launches of its trace."""
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        result, trace = pathlib.Path(scratch, "result"), pathlib.Path(scratch, "trace.json")
        traced = [f"--trace={trace}"] if extra else []
        arguments = [*options.arguments, *([f"--output={result}"] if options.result_file else [])]
        strict = ["--strict"] if options.strict else []
        gpu = [f"--gpu={options.gpu}"] if options.device == "cpu" else []
        command = [options.build / "bin" / "gpusched", "run", f"--device={options.device}", *gpu,
                   *extra, *strict, *traced, "--", program, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, timeout=options.timeout,
                                  env={**os.environ, **variables})
        except subprocess.TimeoutExpired as late:
            fail(f"{row}: not finished after {options.timeout:.0f} s",
                 dict(command=command, output=late.stdout or b"", errors=late.stderr or b""))
        output = done.stdout
        if options.sort:
            output = b"".join(sorted(output.splitlines(keepends=True)))
        launches = json.loads(trace.read_text())["launches"] if trace.exists() else []
        return dict(command=command, status=done.returncode, output=output, errors=done.stderr,
                    result=result.read_bytes() if result.exists() else b"", launches=launches)


def contraction(options, rewritten, row, extra, variables):
    """What a strict run of both programs says about a difference."""
    if options.strict or options.device != "cpu":
        return ""
    options.strict = True
    first = run(options, options.programs[0], "nvcc", [], {})
    second = run(options, rewritten, row, extra, variables)
    same = all(first[what] == second[what] for what in ("status", "output", "result"))
    return " (contraction explains it: with --strict they are equal)" if same else \
        " (contraction does not explain it: with --strict they differ too)"


def check_variants(expected, row, done):
    persistent = [launch["variant"] == "persistent" for launch in done["launches"]]
    if not persistent:
        fail(f"{row}: the trace holds no launch", done)
    met = {"persistent": all(persistent), "some": any(persistent), "native": not any(persistent),
           "any": True}[expected]
    if not met:
        reasons = {f"{launch['kernel']}: {launch['variant']}, {launch['reason']}"
                   for launch in done["launches"]}
        fail(f"{row}: expected {expected}, but " + "; ".join(sorted(reasons)), done)


def compare(options, reference, rewritten, row, extra, variables):
    done = run(options, rewritten, row, extra, variables)
    for what in ("status", "output", "result"):
        if done[what] != reference[what]:
            fail(f"{row}: {what} differs from nvcc's build" +
                 contraction(options, rewritten, row, extra, variables) + ", which printed\n" +
                 reference["output"].decode(errors="replace"), done)
    if "--variant=persistent" in extra:
        outlined = options.outlined if row.startswith("outlined") else None
        check_variants(outlined or options.expect, row, done)


def main():
    options = parse()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.gpu = small_gpu(options.folder)
    builds = []
    if options.source:
        ours = [options.build / "bin" / "gpusched-nvcc"]  # ccache knows it by this name
        key = {"CCACHE_COMPILERCHECK": "string:" + fingerprint(options.build, options.nvcc)}
        options.programs = [options.folder / "native", options.folder / "gpusched"]
        builds = [options.folder / "outlined"]
        compile_with(options, [options.nvcc], options.programs[0], {})
        if options.ptx_twins:
            builds = []
            compile_with_ptx_twins(options, options.programs[1])
        else:
            compile_with(options, ours, options.programs[1], key)
        if options.compile_only:
            return
        if builds:
            compile_with(options, [*ours, "--gpusched-outline"], builds[0], key)
    native, rewritten = options.programs
    reference = run(options, native, "nvcc", [], {})
    if reference["status"]:
        fail("the program built by nvcc fails", reference)
    forms = list(rows(pathlib.Path(options.source or rewritten).stem, options.device))
    for row, extra, variables in forms:
        compare(options, reference, rewritten, row, extra, variables)
    for outlined in builds:
        for row, extra, variables in forms:
            if row in ("native", "one SM, shuffled"):
                compare(options, reference, outlined, f"outlined, {row}", extra, variables)
    print(f"compare.py: {len(forms)} forms equal")


if __name__ == "__main__":
    main()
