#!/usr/bin/env python3
"""make_kernels.py - a CUDA program of random kernels, for the comparison of kernels and their twins.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    make_kernels.py --seed=N [--kernels=N] > kernels.cu

Every kernel is defined and free of races: its threads mix numbers of their own, of the block's place, and
of each other, by the means that a transform has to get right: device functions of every kind that
read blockIdx, barriers in loops, branches and callees, threads and blocks that leave early, warp
primitives, shared, dynamic and atomic words; in every fourth program CUB and cuda::barrier, too. The
program prints one hash a kernel. Rules that keep a kernel defined:
  - what waits (exchange, warp primitives) stands where control flow is the same for the block
  - thread 0 of a block never leaves early; all shared words are written before anybody leaves
  - full-mask primitives come before threads leave, later ones name the lanes of a ballot
"""
import argparse
import random
import re

HEAD = '''#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Pair { unsigned first, second; };

static void must(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::printf("%s\\n", cudaGetErrorName(error));
  std::exit(1);
}

static void show(const char* name, const unsigned* device, std::size_t count) {
  must(cudaGetLastError());
  must(cudaDeviceSynchronize());
  std::vector<unsigned> words(count);
  must(cudaMemcpy(words.data(), device, 4 * count, cudaMemcpyDeviceToHost));
  unsigned long long hash = 1469598103934665603ull;
  for (unsigned word : words)
    hash = (hash ^ word) * 1099511628211ull;
  std::printf("%s %016llx\\n", name, hash);
}
'''
BLOCKS = [(32, 1, 1), (64, 1, 1), (16, 4, 1), (8, 4, 3), (100, 1, 1), (33, 1, 1), (17, 3, 1), (256, 1, 1)]
GRIDS = [(7, 1, 1), (40, 1, 1), (5, 6, 1), (3, 4, 5), (300, 1, 1)]
PLACES = ["blockIdx.x", "blockIdx.y", "blockIdx.z", "gridDim.x", "gridDim.y", "gridDim.z"]


# Device functions that read the block's place: their text, then how they are called. Words in capitals
# are filled in by Helpers, each time anew but for NAME and ARGUMENT.
HELPERS = [
    ("HOW__device__ unsigned NAME(unsigned a) { BODY }", "NAME(ARGUMENT)"),
    ("__device__ unsigned NAME(unsigned a) { return INNER ^ PLACE; }", "NAME(ARGUMENT)"),
    ("__device__ unsigned NAME(unsigned a, unsigned b = NUMBERu) { a += b; BODY }", "NAME(ARGUMENT)"),
    ("__device__ unsigned NAME(unsigned a, unsigned b = PLACE) { return a * 3u + b; }", "NAME(ARGUMENT)"),
    ("template <int N> __device__ unsigned NAME(unsigned a) { a *= N; BODY }", "NAME<3>(ARGUMENT)",
     "NAME<NUMBER>(ARGUMENT)"),
    ("template <class T> __device__ T NAME(T a) { return a * T(3) + T(PLACE); }", "NAME(ARGUMENT)",
     "unsigned(NAME<int>(int(ARGUMENT & 1023u)))"),
    ("""__device__ unsigned NAME(unsigned a) { BODY }
__device__ int NAME(int a) { return a - int(PLACE); }""", "(NAME(ARGUMENT) + unsigned(NAME(NUMBER)))"),
    ("""namespace NAME { namespace inner {
__device__ unsigned at(unsigned a) { BODY }
} }""", "NAME::inner::at(ARGUMENT)"),
    ("""__device__ unsigned NAME(unsigned& a) { a += PLACE; return a; }
__device__ unsigned NAME_of(unsigned a) { return NAME(a) + a; }""", "NAME_of(ARGUMENT)"),
    ("struct NAME { static __device__ unsigned at(unsigned a) { BODY } };", "NAME::at(ARGUMENT)"),
    ("""struct NAME {
  unsigned base;
  __device__ unsigned at(unsigned a) const { a += base; BODY }
};""", "NAME{NUMBERu}.at(ARGUMENT)"),
    ("""struct NAME {
  unsigned base;
  __device__ unsigned at(unsigned a) const;
};
__device__ unsigned NAME::at(unsigned a) const { a += base; BODY }""", "NAME{NUMBERu}.at(ARGUMENT)"),
    ("""template <class T> struct NAME {
  T base;
  __device__ T at(T a) const { return twice(a) + base; }
  __device__ T twice(T a) const { return a * T(2) + T(PLACE); }
};""", "NAME<unsigned>{NUMBERu}.at(ARGUMENT)"),
    ("""struct NAME {
  unsigned base;
  __device__ unsigned operator()(unsigned a) const { a ^= base; BODY }
};""", "NAME{NUMBERu}(ARGUMENT)"),
    ("""struct NAME {
  unsigned value;
  __device__ explicit NAME(unsigned a) : value(a + PLACE) {}
};""", "NAME(ARGUMENT).value"),
    ("#define NAME(a) ((a) * 7u + PLACE + PLACE)", "NAME(ARGUMENT)"),
    ("""#define MAKE_NAME(FUNCTION) __device__ unsigned FUNCTION(unsigned a) { BODY }
MAKE_NAME(NAME)""", "NAME(ARGUMENT)"),
    ("""#ifdef __clang__
__device__ unsigned NAME(unsigned a) { return a; }
#else
__device__ unsigned NAME(unsigned a) { BODY }
#endif""", "NAME(ARGUMENT)"),
    ("const auto NAME = [CAPTURE](unsigned a) -> unsigned { BODY };", "NAME(ARGUMENT)"),
]


class Helpers:
    """Some of them, for one kernel; lambdas stand in its body."""

    def __init__(self, chance, name):
        self.chance, self.name, self.text, self.calls, self.locals = chance, name, [], [], []
        self.words = {"HOW": lambda: chance.choice(["", "static ", "inline ", "__forceinline__ ", "__noinline__ "]),
                      "BODY": self.body, "PLACE": self.place, "NUMBER": lambda: str(chance.randrange(9)),
                      "CAPTURE": lambda: chance.choice(["", "&", "="]),
                      "INNER": lambda: "a" if self.locals else self.call("(a + 1u)")}

    def place(self):
        return self.chance.choice(PLACES)

    def body(self):
        """What a helper returns, sometimes with a branch in front."""
        text = f"return a * {self.chance.randrange(3, 99, 2)}u + {self.place()};"
        if self.chance.random() < 0.3:
            text = f"if ((a & {self.chance.choice([1, 2, 4])}u) != 0u) return a ^ {self.place()}; " + text
        return text

    def fill(self, text, name):
        return re.sub("|".join(self.words), lambda word: self.words[word[0]](), text.replace("NAME", name))

    def add(self):
        text, *calls = self.chance.choice(HELPERS)
        name = f"{self.name}_{len(self.calls)}"
        (self.locals if text.startswith("const auto") else self.text).append(self.fill(text, name))
        for call in calls:
            self.calls.append(lambda argument, call=call: self.fill(call, name).replace("ARGUMENT", argument))

    def call(self, argument):
        return self.chance.choice(self.calls)(argument) if self.calls else f"({argument} + {self.place()})"


class Kernel:
    def __init__(self, chance, number, libraries):
        self.chance, self.name, self.libraries = chance, f"k{number}", libraries
        self.block, self.grid = chance.choice(BLOCKS), chance.choice(GRIDS)
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.helpers = Helpers(chance, f"h{number}")
        for _ in range(chance.randint(1, 4)):
            self.helpers.add()
        self.left = False  # threads have: the others wait for those who are still there
        self.names = 0

    def fresh(self):
        self.names += 1
        return f"x{self.names}"

    def barrier(self):
        forms = ["__syncthreads();", "__syncthreads();", "cooperative_groups::this_thread_block().sync();",
                 f"meet_{self.name}();"]
        return self.chance.choice(forms)

    def uniform(self):
        """A condition that all threads of a block answer alike."""
        return self.chance.choice([f"(block + {self.chance.randrange(4)}u) % 3u == 1u", "blockIdx.x > gridDim.x / 2u",
                                   "n > 2", "(pair.first ^ blockIdx.y) & 1u"])

    def own(self):
        """A condition on the thread, never true of thread 0."""
        return "linear != 0u && " + self.chance.choice(
            [f"linear % {self.chance.randint(2, 7)}u == 1u", f"linear / 32u == {self.chance.randrange(3)}u",
             "linear >= blockDim.x / 2u", "(v & 12u) == 4u"])

    def mix(self):
        term = self.chance.choice(["linear", "block", "unsigned(n)", "pair.second", self.helpers.call("v"),
                                   self.helpers.call("linear"), self.helpers.call("pair.first")])
        return [f"v = (v ^ {term}) * 2654435761u;"]

    def exchange(self):
        words = self.chance.choice(["words", f"more_{self.name}"])
        other = self.chance.choice([f"(linear + {self.chance.randint(1, 9)}u) % kThreads", "kThreads - 1u - linear"])
        return [f"{words}[linear] = v;", self.barrier(), f"v += {words}[{other}];", self.barrier()]

    def exchange_in_callee(self):
        return [f"v ^= exchange_{self.name}<kThreads>(words, v, linear);"]

    def count(self):
        return ["if (linear == 0u) counter = 0u;", self.barrier(),
                f"atomicAdd(&counter, v & {self.chance.choice([1, 7])}u);", self.barrier(),
                "v += counter;", self.barrier()]

    def exchange_in_member(self):
        how = self.chance.choice([f"Exchange_{self.name}<kThreads>{{words}}.swap(v, linear)",
                                  f"Exchange_{self.name}<kThreads>::around<2>(words, v, linear)"])
        return [f"v ^= {how};"]

    def exchange_in_warp(self):
        other = self.chance.choice(["linear ^ 1u", "linear / 32u * 32u + (linear + 5u) % 32u"])
        return ["words[linear] = v;", "__syncwarp();", f"v += words[{other}];", "__syncwarp();"]

    def exchange_of_two_warps(self):
        return ["if (linear < 64u) {", "words[linear] = v;", 'asm volatile("bar.sync 1, 64;" ::: "memory");',
                "v += words[63u - linear];", 'asm volatile("bar.sync 1, 64;" ::: "memory");', "}"]

    def exchange_by_mbarrier(self):
        bar = self.fresh()
        return [f"__shared__ cuda::barrier<cuda::thread_scope_block> {bar};",
                f"if (linear == 0u) init(&{bar}, kThreads);", "__syncthreads();",
                "words[linear] = v;", f"{bar}.arrive_and_wait();",
                "v += words[(linear + 7u) % kThreads];", f"{bar}.arrive_and_wait();"]

    def reduce_by_library(self):
        kind, space = self.fresh(), self.fresh()
        x, y, z = self.block
        return [f"using {kind} = cub::BlockReduce<unsigned, {x}, cub::BLOCK_REDUCE_WARP_REDUCTIONS, {y}, {z}>;",
                f"__shared__ typename {kind}::TempStorage {space};",
                f"const unsigned sum_{space} = {kind}({space}).Sum(v);",
                f"if (linear == 0u) counter = sum_{space};", self.barrier(), "v ^= counter;", self.barrier()]

    def total(self):
        return [f"atomicAdd(&totals[{self.chance.randrange(4)}], v & 15u);"]

    def together(self):
        """Primitives that name all lanes of a warp."""
        forms = ["v += __shfl_xor_sync(0xffffffffu, v, 5);", "v ^= __ballot_sync(0xffffffffu, v & 1u);",
                 "v += __reduce_add_sync(0xffffffffu, v & 255u);",
                 "v += cooperative_groups::tiled_partition<8>("
                 "cooperative_groups::this_thread_block()).shfl_down(v, 2);"]
        return [self.chance.choice(forms)]

    def ask(self):
        """Barriers that ask those who are left."""
        return [self.chance.choice(["v += unsigned(__syncthreads_count(v & 1u));", "v ^= unsigned(__syncthreads_or(int(v & 1u)));",
                                    "v ^= unsigned(__syncthreads_and(int(v & 6u)));", f"v += ask_{self.name}(v & 64u);"])]

    def leave(self):
        self.left = True
        return [f"if ({self.own()}) {{ OUT = v; return; }}"]

    def leave_by_ballot(self):
        keep, live = self.fresh(), self.fresh()
        self.left = True
        return [f"const bool {keep} = !({self.own()});", f"const unsigned {live} = __ballot_sync(0xffffffffu, {keep});",
                f"if (!{keep}) {{ OUT = v; return; }}", f"v += __shfl_sync({live}, v, __ffs(int({live})) - 1);"]

    def leave_as_block(self):
        return [f"if (block % {self.chance.randint(3, 5)}u == 2u) {{ OUT = v; return; }}"]

    def apart(self, depth):
        i = self.fresh()
        return self.chance.choice([[f"if ({self.own()}) {{", *self.mix(), "} else {", *self.mix(), "}"],
                                   [f"for (unsigned {i} = 0u; {i} < (linear & 3u); ++{i}) {{", *self.mix(), "}"]])

    def branch(self, depth):
        then = self.statements(depth + 1)
        return [f"if ({self.uniform()}) {{", *then, "} else {", *self.statements(depth + 1), "}"]

    def choice(self, depth):
        return [f"switch ((block + {self.chance.randrange(3)}u) % 3u) {{",
                "case 0u: {", *self.statements(depth + 1), "break; }",
                "case 1u: {", *self.mix(), "} // falls through", "default:", *self.mix(), "}"]

    def loop(self, depth):
        self.left = self.left or self.chance.random() < 0.3  # what the second round finds
        i, body = self.fresh(), self.statements(depth + 1)
        jump = f"if ({i} == 1u && {self.uniform()}) {self.chance.choice(['break', 'continue'])};"
        rounds = self.chance.choice(["2u", "unsigned(n)", "1u + block % 3u"])
        return [f"for (unsigned {i} = 0u; {i} < {rounds}; ++{i}) {{",
                *self.chance.choice([[], [jump]]), *body, "}"]

    def statements(self, depth=0):
        lines = []
        for _ in range(self.chance.randint(2, 6) if depth == 0 else self.chance.randint(1, 3)):
            forms = [self.mix, self.mix, self.exchange, self.exchange_in_callee, self.exchange_in_member,
                     self.count, self.ask, self.total, self.leave, self.leave_as_block, lambda: self.apart(depth)]
            if not self.left:
                if self.threads % 32 == 0:
                    forms += [self.together, self.together, self.exchange_in_warp]
                if self.threads % 64 == 0:
                    forms.append(self.exchange_of_two_warps)
                if self.threads % 32 == 0 and depth == 0:
                    forms.append(self.leave_by_ballot)
                if self.libraries and depth == 0:
                    forms += [self.exchange_by_mbarrier, self.reduce_by_library]
            if depth < 3:
                forms += [lambda: self.branch(depth), lambda: self.choice(depth), lambda: self.loop(depth)]
            lines += self.chance.choice(forms)()
        return lines

    def text(self):
        uses = [f"v = (v ^ {call('linear')}) * 2654435761u;" for call in self.helpers.calls]
        name, body = self.name, [*uses, *self.statements()]
        form = self.chance.choice(["", "static ", 'extern "C" ', "template <class T, int N> ", "space"])
        bounds = self.chance.choice(["", f"__launch_bounds__({self.threads}) "])
        value = "T(N) + " if form.startswith("template") else ""
        lines = [*self.helpers.text, f"__device__ void meet_{name}() {{ __syncthreads(); }}",
                 f"__device__ unsigned ask_{name}(unsigned v) {{ return unsigned(__syncthreads_count(v) * __syncthreads_or(v)); }}",
                 "template <unsigned kCount>",
                 f"__device__ unsigned exchange_{name}(unsigned* words, unsigned v, unsigned linear) {{",
                 "  words[linear] = v;", "  __syncthreads();",
                 "  const unsigned other = words[(linear + 3u) % kCount];", "  __syncthreads();",
                 f"  return other + {self.helpers.place()};", "}",
                 f"template <unsigned kCount> struct Exchange_{name} {{", "  unsigned* words;",
                 "  __device__ unsigned swap(unsigned v, unsigned linear) {",
                 "    words[linear] = v;", "    __syncthreads();",
                 "    const unsigned other = words[kCount - 1u - linear];", "    __syncthreads();",
                 "    return other;", "  }",
                 "  template <int N> static __device__ unsigned around(unsigned* words, unsigned v, unsigned linear) {",
                 f"    v = Exchange_{name}{{words}}.swap(v, linear) + {self.helpers.place()};",
                 "    if constexpr (N > 0)", "      v += around<N - 1>(words, v, linear);",
                 "    return v;", "  }", "};"]
        qualified = f"{name}_space::{name}" if form == "space" else name
        lines += [f"namespace {name}_space {{"] if form == "space" else []
        lines += [f"{'' if form == 'space' else form}__global__ {bounds}void {name}(",
                  "    unsigned* __restrict__ out, unsigned* totals, const Pair pair, int n, float) {",
                  f"constexpr unsigned kThreads = {self.threads}u;", "__shared__ unsigned words[kThreads], counter;",
                  f"extern __shared__ unsigned more_{name}[];",
                  "const unsigned linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
                  "const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);",
                  f"unsigned v = {value}linear * 40503u + block * 69069u + pair.first;",
                  "#undef OUT", "#define OUT out[block * kThreads + linear]",
                  *self.helpers.locals, f"words[linear] = more_{name}[linear] = v;", "__syncthreads();",
                  *body, "OUT = v;", "}"]
        lines += ["}"] if form == "space" else []
        arguments = "<unsigned, 3>" if form.startswith("template") else ""
        words, count = f"{name}_out", self.threads * self.grid[0] * self.grid[1] * self.grid[2]
        pair = f"Pair{{{self.chance.randrange(100)}u, {self.chance.randrange(100)}u}}"
        launch = [f"{{ unsigned* {words};", f"  must(cudaMalloc(&{words}, {4 * count + 16}));",
                  f"  must(cudaMemset({words}, 0, {4 * count + 16}));",
                  f"  {qualified}{arguments}<<<dim3{self.grid}, dim3{self.block}, {4 * self.threads}>>>(",
                  f"      {words}, {words} + {count}, {pair}, {self.chance.randint(1, 4)}, 0.5f);",
                  f'  show("{name}", {words}, {count + 4}); }}']
        return "\n".join(lines) + "\n", "\n".join(launch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=8)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    libraries = options.seed % 4 == 0  # they take long to compile
    kernels = [Kernel(chance, number, libraries).text() for number in range(options.kernels)]
    print(("#include <cub/block/block_reduce.cuh>\n#include <cuda/barrier>\n" if libraries else "") + HEAD)
    for text, _ in kernels:
        print(text)
    print("int main() {\n" + "\n".join(launch for _, launch in kernels) + "\n}")


if __name__ == "__main__":
    main()
