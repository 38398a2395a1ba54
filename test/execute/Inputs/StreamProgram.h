// StreamProgram.h - a random program of kernels, copies and host functions in several streams.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step does something to an array, in some stream, behind the last stream that used the array:
// by an event, by CUDA's own order, or since it is the same stream. A model of the arrays on the
// host makes the same steps one after the other, so it has what any right execution leaves. The
// steps depend on the seed alone, but what runs beside what does not.
#pragma once

#include "Expect.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using Word = unsigned;
using Words = std::vector<Word>;

constexpr int kThreads = 64, kMostBlocks = 96, kWords = kThreads * kMostBlocks;

/// One of the program's kernels, with blocks of kThreads and its own idea of `number`.
struct Kind {
  void (*launch)(int blocks, cudaStream_t stream, Word* to, const Word* from, Word number);
  /// What to[i] is afterwards.
  Word (*expected)(const Words& to, const Words& from, Word number, unsigned i);
};

extern const std::vector<Kind> kinds;
/// Launches kinds[0] and kinds[1] side by side; of one stream, they are called independent.
void launchTwo(const int (&blocks)[2], const cudaStream_t (&streams)[2], Word* const (&to)[2],
               const Word* const (&from)[2], const Word (&numbers)[2]);
/// Does as kinds[0] with blocks and grids of two dimensions, and that much dynamic memory.
void launchPlane(dim3 grid, size_t sharedBytes, cudaStream_t stream, Word* to, const Word* from,
                 Word number);
/// Does as kinds[0], with something that CUDA is told besides: one of kAttributes.
constexpr unsigned kAttributes = 3;
/// So many blocks have room on one SM, as the first of the attributes needs it.
constexpr unsigned kCooperative = 16;
void launchWith(unsigned attribute, int blocks, cudaStream_t stream, Word* to, const Word* from,
                Word number);
/// What the first words of a block's share of `from`, and of those before it, add up to.
struct Sum {
  Word isThere, value;
};
/// Each block waits for the sum of the one before it, and adds it to what kinds[0] does. There are
/// kMostBlocks sums, which were 0.
void launchChain(int blocks, cudaStream_t stream, Word* to, const Word* from, Word number,
                 Sum* sums);

class StreamProgram {
public:
  /// `mayBlock`: with streams that wait for the default stream, and that one itself. Not where
  /// other threads use it.
  StreamProgram(unsigned seed, bool mayBlock) : random_(seed), mayBlock_(mayBlock) {
    int least;
    must(cudaDeviceGetStreamPriorityRange(&least, &greatest_), "priorities");
    must(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
    streams_.resize(2 + below(4));
    for (Stream& stream : streams_)
      if (!mayBlock || &stream != &streams_[0] || below(2))
        open(stream);
    arrays_.resize(4 + below(4));
    for (size_t i = 0; i < arrays_.size(); ++i)
      fill(arrays_[i], i % 4 == 3);
  }

  /// Says where the arrays are not what they should be. Once.
  bool run(int steps) {
    while (steps-- > 0)
      make();
    for (Stream& stream : streams_)
      must(cudaStreamSynchronize(stream.handle), "end");
    bool isRight = true;
    for (Array& array : arrays_)
      isRight &= isAsModelled(array);
    for (Stream& stream : streams_)
      if (stream.handle)
        must(cudaStreamDestroy(stream.handle), "destroy a stream");
    must(cudaEventDestroy(event_), "destroy an event");
    must(cudaGetLastError(), "the program");
    return isRight;
  }

private:
  struct Stream {
    cudaStream_t handle = nullptr; ///< null: the default stream
    bool blocks = true;
  };
  struct Array {
    Word* words = nullptr;
    bool onHost = false; ///< in pinned memory
    Words model = Words(kWords);
    int lastUser = -1; ///< a stream
  };
  /// A step's stream, and the arrays that it uses there.
  struct Use {
    cudaStream_t stream;
    Array &to, &from;
  };
  struct Callback {
    Word* words;
    std::chrono::microseconds lasts;
  };

  unsigned below(unsigned limit) { return random_() % limit; }
  int someStream() { return int(below(unsigned(streams_.size()))); }
  int someBlocks() { return 1 + int(below(kMostBlocks)); }

  void open(Stream& stream) {
    stream.blocks = mayBlock_ && below(3) == 0;
    const unsigned flags = stream.blocks ? cudaStreamDefault : cudaStreamNonBlocking;
    must(cudaStreamCreateWithPriority(&stream.handle, flags, below(3) ? 0 : greatest_), "stream");
  }

  void fill(Array& array, bool onHost) {
    constexpr size_t kBytes = kWords * sizeof(Word);
    array.onHost = onHost;
    for (Word& word : array.model)
      word = random_();
    must(onHost ? cudaMallocHost(&array.words, kBytes) : cudaMalloc(&array.words, kBytes), "memory");
    must(cudaMemcpy(array.words, array.model.data(), kBytes, cudaMemcpyDefault), "upload");
  }

  bool isAsModelled(Array& array) {
    Words got(kWords);
    must(cudaMemcpy(got.data(), array.words, kWords * sizeof(Word), cudaMemcpyDefault), "download");
    must(array.onHost ? cudaFreeHost(array.words) : cudaFree(array.words), "free");
    for (int i = 0; i < kWords; ++i)
      if (got[i] != array.model[i]) {
        std::printf("word %d of array %td is %u, expected %u\n", i, &array - arrays_.data(), got[i],
                    array.model[i]);
        return false;
      }
    return true;
  }

  /// Behind the one that used the array last, unless CUDA sees to that.
  cudaStream_t use(Array& array, int index) {
    const int former = array.lastUser;
    array.lastUser = index;
    const Stream& now = streams_[index];
    if (former < 0 || former == index)
      return now.handle;
    const Stream& before = streams_[former];
    if (before.blocks && now.blocks && (!before.handle || !now.handle))
      return now.handle;
    must(cudaEventRecord(event_, before.handle), "record");
    must(cudaStreamWaitEvent(now.handle, event_, 0), "wait");
    return now.handle;
  }

  Array& someArray(const std::vector<const Array*>& besides = {}) {
    Array* array;
    do
      array = &arrays_[below(unsigned(arrays_.size()))];
    while (std::find(besides.begin(), besides.end(), array) != besides.end());
    return *array;
  }

  Use someUse(int stream) {
    Array& to = someArray();
    Array& from = someArray({&to});
    use(to, stream);
    return {use(from, stream), to, from};
  }

  void model(const Kind& kind, const Use& used, Word number, int blocks) {
    const Words before = used.to.model;
    for (unsigned i = 0; i < unsigned(blocks * kThreads); ++i)
      used.to.model[i] = kind.expected(before, used.from.model, number, i);
  }

  void launch(const Kind& kind, const Use& used) {
    const int blocks = someBlocks();
    const Word number = random_();
    kind.launch(blocks, used.stream, used.to.words, used.from.words, number);
    model(kind, used, number, blocks);
  }

  const Kind& someKind() { return kinds[below(unsigned(kinds.size()))]; }

  /// Mostly of one kernel.
  void queue() {
    const Use used = someUse(someStream());
    const Kind& kind = someKind();
    for (int length = 2 + int(below(12)); length > 0; --length)
      launch(below(4) ? kind : someKind(), used);
  }

  void two() {
    const int first = someStream(), second = below(2) ? first : someStream();
    const Use one = someUse(first);
    Array& to = someArray({&one.to, &one.from});
    Array& from = someArray({&one.to, &one.from, &to});
    use(to, second);
    const Use other{use(from, second), to, from};
    const int blocks[] = {someBlocks(), someBlocks()};
    const Word numbers[] = {Word(random_()), Word(random_())};
    launchTwo(blocks, {one.stream, other.stream}, {one.to.words, to.words},
              {one.from.words, from.words}, numbers);
    model(kinds[0], one, numbers[0], blocks[0]);
    model(kinds[1], other, numbers[1], blocks[1]);
  }

  void plane() {
    const Use used = someUse(someStream());
    const dim3 grid(1 + below(8), 1 + below(6));
    const Word number = random_();
    launchPlane(grid, 1024 * below(40), used.stream, used.to.words, used.from.words, number);
    model(kinds[0], used, number, int(grid.x * grid.y));
  }

  void attributed() {
    const Use used = someUse(someStream());
    const unsigned attribute = below(kAttributes);
    const int blocks = attribute == 0 ? 1 + int(below(kCooperative)) : someBlocks();
    const Word number = random_();
    launchWith(attribute, blocks, used.stream, used.to.words, used.from.words, number);
    model(kinds[0], used, number, blocks);
  }

  /// Its memory comes and goes in the stream.
  void chain() {
    const Use used = someUse(someStream());
    const int blocks = 1 + int(below(kMostBlocks / 3)); // waiting is slow
    const Word number = random_();
    Sum* sums = nullptr;
    must(cudaMallocAsync(reinterpret_cast<void**>(&sums), kMostBlocks * sizeof(Sum), used.stream),
         "memory in a stream");
    must(cudaMemsetAsync(sums, 0, kMostBlocks * sizeof(Sum), used.stream), "set");
    launchChain(blocks, used.stream, used.to.words, used.from.words, number, sums);
    must(cudaFreeAsync(sums, used.stream), "free in a stream");
    model(kinds[0], used, number, blocks);
    Word before = 0;
    for (int i = 0; i < blocks * kThreads; ++i) {
      if (i % kThreads == 0 && i > 0)
        before += used.from.model[i - kThreads];
      used.to.model[i] += before;
    }
  }

  /// Captured, and launched up to three times. Nobody may disturb the capture, also who looks now and
  /// then what has ended; other threads of the program might.
  void graph() {
    const int index = someStream();
    if (!streams_[index].handle)
      return;
    const Use used = someUse(index);
    const Kind* const each[] = {&someKind(), &someKind()};
    const int blocks[] = {someBlocks(), someBlocks()};
    const Word number = random_();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    must(cudaStreamBeginCapture(used.stream, mayBlock_ ? cudaStreamCaptureModeGlobal
                                                       : cudaStreamCaptureModeThreadLocal),
         "capture");
    for (int i = 0; i < 2; ++i) {
      each[i]->launch(blocks[i], used.stream, used.to.words, used.from.words, number);
      sleepSome(400);
    }
    must(cudaStreamEndCapture(used.stream, &graph), "end of capture");
    must(cudaGraphInstantiate(&executable, graph, 0), "graph");
    for (int times = 1 + int(below(3)); times > 0; --times) {
      must(cudaGraphLaunch(executable, used.stream), "launch of a graph");
      for (int i = 0; i < 2; ++i)
        model(*each[i], used, number, blocks[i]);
    }
    must(cudaGraphExecDestroy(executable), "destroy a graph");
    must(cudaGraphDestroy(graph), "destroy a graph");
  }

  void copy() {
    const Use used = someUse(someStream());
    must(cudaMemcpyAsync(used.to.words, used.from.words, kWords * sizeof(Word), cudaMemcpyDefault,
                         used.stream),
         "copy");
    used.to.model = used.from.model;
  }

  void set() {
    Array& array = someArray();
    if (array.onHost)
      return;
    const cudaStream_t stream = use(array, someStream());
    must(cudaMemsetAsync(array.words, 3, kWords * sizeof(Word), stream), "set");
    array.model.assign(kWords, 0x03030303);
  }

  static void onHost(void* given) {
    const std::unique_ptr<Callback> callback(static_cast<Callback*>(given));
    std::this_thread::sleep_for(callback->lasts);
    for (int i = 0; i < kWords; ++i)
      callback->words[i] = callback->words[i] * 5 + 1;
  }

  /// A stream stands still meanwhile.
  void callHost() {
    Array& array = arrays_[3];
    const cudaStream_t stream = use(array, someStream());
    const std::chrono::microseconds lasts(below(600));
    must(cudaLaunchHostFunc(stream, onHost, new Callback{array.words, lasts}), "host function");
    for (Word& word : array.model)
      word = word * 5 + 1;
  }

  /// What is in it goes on. Another one may get its handle.
  void reopen() {
    Stream& stream = streams_[someStream()];
    if (!stream.handle)
      return;
    must(cudaEventRecord(event_, stream.handle), "record");
    must(cudaStreamDestroy(stream.handle), "destroy a stream");
    open(stream);
    must(cudaStreamWaitEvent(stream.handle, event_, 0), "wait");
  }

  void sleepSome(unsigned mostUs) {
    std::this_thread::sleep_for(std::chrono::microseconds(below(mostUs)));
  }

  void poll() {
    const cudaStream_t stream = streams_[someStream()].handle;
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
      std::this_thread::yield();
    must(state, "query");
  }

  void make() {
    switch (below(22)) {
    case 0:
      return copy();
    case 1:
      return set();
    case 2:
      return callHost();
    case 3:
      return graph();
    case 4:
      return reopen();
    case 5:
      return poll();
    case 6:
      return must(cudaStreamSynchronize(streams_[someStream()].handle), "synchronise");
    case 7:
      return below(3) ? plane() : must(cudaDeviceSynchronize(), "synchronise all");
    case 8:
      return sleepSome(800);
    case 9:
    case 10:
    case 11:
      return queue();
    case 12:
    case 13:
      return two();
    case 14:
      return attributed();
    case 15:
    case 16:
      return chain();
    default:
      return launch(someKind(), someUse(someStream()));
    }
  }

  std::mt19937 random_;
  const bool mayBlock_;
  int greatest_ = 0;
  cudaEvent_t event_ = nullptr;
  std::vector<Stream> streams_;
  std::vector<Array> arrays_;
};
