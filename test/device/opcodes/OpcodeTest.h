// OpcodeTest.h - checks PTX instructions against host arithmetic, one form a line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   OpcodeTest test;
//   test.form<int32_t(int32_t, int32_t)>("add.s32 d, a, b;", [](int32_t a, int32_t b) {...});
//   return test.run();
//
// Every form becomes a kernel that loads a, b, c, executes the text and stores d. Each runs on
// edge values and random ones, once with the whole warp and once with every other lane, so
// that the masked handlers are tested too and must leave the other lanes alone.
#pragma once

#include "ExecutedForms.h"

#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>

namespace gpusched::cpu::test {

using U8 = uint8_t;
using U16 = uint16_t;
using U32 = uint32_t;
using U64 = uint64_t;
using S8 = int8_t;
using S16 = int16_t;
using S32 = int32_t;
using S64 = int64_t;

inline DeviceDescription smallDevice() {
  DeviceDescription device;
  device.name = "test device";
  device.sms = 2;
  device.warpsPerSm = 64;
  device.blocksPerSm = 32;
  device.sharedBytesPerSm = 102400;
  device.sharedBytesPerBlockOptin = 101376;
  device.memoryBytes = 1 << 28;
  return device;
}

class OpcodeTest {
public:
  template <class Signature, class F> void form(std::string text, F host) {
    Adder<Signature>::add(*this, std::move(text), std::move(host));
  }

  /// 0 if every form agrees.
  int run() {
    Result<std::unique_ptr<Gpu>> gpu = Gpu::create(smallDevice(), {.workers = 1});
    if (!gpu)
      return fail(gpu.message());
    for (Form& form : forms_)
      check(**gpu, form);
    std::printf("%zu forms, %d wrong\n", forms_.size(), failures_);
    return failures_ != 0 || forms_.empty();
  }

private:
  static constexpr unsigned kThreads = 1024;
  static constexpr uint64_t kUntouched = 0x5555555555555555;
  using Value = uint64_t;
  struct Form {
    std::string text, result;
    std::vector<std::string> operands; // register types
    std::vector<unsigned> bytes;
    std::function<Value(const Value*)> host;
    bool isFloat = false;
    unsigned resultBytes = 0;
  };

  template <class T> static std::string registerType() {
    if (std::is_same_v<T, bool>)
      return ".pred";
    if (std::is_same_v<T, float>)
      return ".f32";
    if (std::is_same_v<T, double>)
      return ".f64";
    return ".b" + std::to_string(std::max<size_t>(2, sizeof(T)) * 8);
  }
  template <class T> static T get(Value value) {
    if constexpr (std::is_same_v<T, bool>)
      return value & 1;
    T result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  }
  template <class T> static Value put(T value) {
    Value result = 0;
    if constexpr (std::is_same_v<T, bool>)
      return value;
    std::memcpy(&result, &value, sizeof value);
    return result;
  }

  template <class> struct Adder;
  template <class R, class... A> struct Adder<R(A...)> {
    template <class F> static void add(OpcodeTest& test, std::string text, F host) {
      Form form{std::move(text),
                registerType<R>(),
                {registerType<A>()...},
                {},
                {},
                std::is_floating_point_v<R>,
                sizeof(R)};
      (form.bytes.push_back(sizeof(A)), ...);
      form.host = [host](const Value* values) {
        return call(host, values, std::index_sequence_for<A...>());
      };
      test.forms_.push_back(std::move(form));
    }
    template <class F, size_t... I>
    static Value call(const F& host, const Value* values, std::index_sequence<I...>) {
      return put<R>(static_cast<R>(host(get<A>(values[I])...)));
    }
  };

  static std::string load(const std::string& name, const std::string& type, unsigned index) {
    const std::string at = "[%in+" + std::to_string(index * 8) + "];\n";
    if (type == ".pred")
      return "ld.global.u32 %word, " + at + "and.b32 %word, %word, 1;\nsetp.ne.u32 " + name +
             ", %word, 0;\n";
    return "ld.global" + type + " " + name + ", " + at;
  }

  static std::string kernel(const Form& form, bool half) {
    constexpr const char* kNames[] = {"a", "b", "c", "e"};
    std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".global .align 16 .b8 cell[65536];\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b64 %in, %out, %at; .reg .b32 %lane, %word, %i, %n; .reg .pred %odd;\n"
        ".reg " +
        form.result + " d;\n";
    for (size_t i = 0; i < form.operands.size(); ++i)
      text += ".reg " + form.operands[i] + " " + kNames[i] + ";\n";
    text += "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
            "mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %lane, %tid.x;\n"
            "mad.lo.u32 %i, %i, %n, %lane;\nmul.wide.u32 %at, %i, 32;\nadd.u64 %in, %in, %at;\n"
            "mul.wide.u32 %at, %i, 8;\nadd.u64 %out, %out, %at;\n";
    for (size_t i = 0; i < form.operands.size(); ++i)
      text += load(kNames[i], form.operands[i], unsigned(i));
    if (half)
      text += "and.b32 %word, %lane, 1;\nsetp.ne.u32 %odd, %word, 0;\n@%odd bra SKIP;\n";
    text += form.text + "\n";
    if (form.result == ".pred")
      text += "selp.u32 %word, 1, 0, d;\nst.global.u32 [%out], %word;\n";
    else
      text += "st.global" + form.result + " [%out], d;\n";
    return text + "SKIP:\nret;\n}\n";
  }

  /// Edge values first, then random bits; small ones often, for shift amounts and bytes.
  Value input(unsigned bytes, bool isFloat) {
    static const double kFloats[] = {0.0,  -0.0,  1.0, -1.0,  0.5,   2.5,    -3.5,
                                     1e10, -1e30, 3e9, 127.5, 1e-42, -1e-42, 255.4};
    const unsigned choice = random_() % 16;
    if (isFloat && choice < 10) {
      double value = kFloats[random_() % std::size(kFloats)];
      if (choice == 9)
        value = std::numeric_limits<double>::infinity();
      if (choice == 8)
        value = std::numeric_limits<double>::quiet_NaN();
      if (choice < 6)
        value = (double(random_() % 2000001) - 1e6) / 4096;
      return bytes == 8 ? put(value) : put(float(value));
    }
    static const Value kEdges[] = {0,
                                   1,
                                   ~Value(0),
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   0x7fffffff,
                                   0x80000000,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xff,
                                   0x8080808080808080};
    if (choice < 8)
      return kEdges[random_() % std::size(kEdges)];
    if (choice < 10)
      return random_() % 64;
    return random_();
  }

  bool same(const Form& form, Value got, Value want) const {
    const Value kept = form.resultBytes >= 8 ? ~Value(0) : (Value(1) << (form.resultBytes * 8)) - 1;
    if ((got & kept) == (want & kept))
      return true;
    if (!form.isFloat)
      return false;
    return form.resultBytes == 8 ? std::isnan(get<double>(got)) && std::isnan(get<double>(want))
                                 : std::isnan(get<float>(got)) && std::isnan(get<float>(want));
  }

  void check(Gpu& gpu, Form& form) {
    for (const bool half : {false, true}) {
      const auto module = ptx::parse(kernel(form, half));
      if (!module)
        return (void)fail(form.text + ": " + module.message());
      recordForms(**module);
      const auto loaded = gpu.load(*module, {});
      if (!loaded)
        return (void)fail(form.text + ": " + loaded.message());
      if (!compare(gpu, **loaded, form, half))
        return;
    }
  }

  bool compare(Gpu& gpu, const LoadedModule& module, Form& form, bool half) {
    Value* const in = static_cast<Value*>(gpu.memory().allocate(kThreads * 32));
    Value* const out = static_cast<Value*>(gpu.memory().allocate(kThreads * 8));
    for (unsigned i = 0; i < kThreads * 4; ++i) {
      const size_t operand = i % 4;
      const bool known = operand < form.operands.size();
      in[i] = input(known ? form.bytes[operand] : 8, known && form.operands[operand][1] == 'f');
    }
    std::fill(out, out + kThreads, kUntouched);
    std::string message;
    const Status submitted = gpu.submit(
        {.kernel = Gpu::findKernel(module, "k"),
         .grid = {kThreads / 64},
         .block = {64},
         .parameters = parameters(in, out),
         .completion = [&](const LaunchOutcome& outcome) { message = outcome.status.message(); }});
    gpu.drain();
    if (!submitted)
      message = submitted.message();
    bool good = message.empty();
    if (!good)
      fail(form.text + ": " + message);
    for (unsigned i = 0; good && i < kThreads; ++i) {
      const bool skipped = half && i % 2;
      const Value want = skipped ? kUntouched : form.host(in + i * 4);
      good = skipped ? out[i] == want : same(form, out[i], want);
      if (!good)
        report(form, in + i * 4, out[i], want, half);
    }
    (void)gpu.memory().free(in);
    (void)gpu.memory().free(out);
    return good;
  }

  static std::vector<uint8_t> parameters(Value* in, Value* out) {
    std::vector<uint8_t> bytes(16);
    std::memcpy(bytes.data(), &in, 8);
    std::memcpy(bytes.data() + 8, &out, 8);
    return bytes;
  }

  void report(const Form& form, const Value* in, Value got, Value want, bool half) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%s (%s warp) a=%llx b=%llx c=%llx e=%llx: got %llx, want %llx",
                  form.text.c_str(), half ? "half" : "whole", (unsigned long long)in[0],
                  (unsigned long long)in[1], (unsigned long long)in[2], (unsigned long long)in[3],
                  (unsigned long long)got, (unsigned long long)want);
    fail(text);
  }

  int fail(const std::string& message) {
    std::printf("WRONG %s\n", message.c_str());
    return ++failures_;
  }

  std::vector<Form> forms_;
  std::mt19937_64 random_{1};
  int failures_ = 0;
};

} // namespace gpusched::cpu::test
