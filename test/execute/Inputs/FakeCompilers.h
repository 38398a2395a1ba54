// FakeCompilers.h - an NVRTC and an nvJitLink whose PTX and "machine code" are two files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../device/cudart/Inputs/FakeNvrtc.h"

#include <cstdio>

inline int links = 0, linksMade = 0;

/// With -ptx it gives PTX and nothing else; of that input "bad" cannot be part, nor "late", which is seen in the end.
struct FakeLink {
  bool makesPtx = false, isLate = false, isComplete = false;
  int add(const std::string& input) {
    isLate |= input == "late";
    return makesPtx && input == "bad" ? 4 : 0;
  }
};

extern "C" {
int setFiles(const char* ptxPath, const char* codePath) {
  compileFile(ptxPath);
  machineCode = fileText(codePath);
  return 0;
}
int printLinks() { return std::printf("%d links made, %d left\n", linksMade, links) < 0; }
}

#define FAKE_LINKER(BEFORE, AFTER)                                                                 \
  extern "C" int BEFORE##Create##AFTER(FakeLink** link, unsigned count, const char** options) {    \
    *link = new FakeLink;                                                                          \
    ++links, ++linksMade;                                                                          \
    for (unsigned i = 0; i < count; ++i)                                                           \
      (*link)->makesPtx |= !std::strcmp(options[i], "-ptx");                                       \
    return 0;                                                                                      \
  }                                                                                                \
  extern "C" int BEFORE##Destroy##AFTER(FakeLink** link) {                                         \
    --links;                                                                                       \
    delete *link;                                                                                  \
    return 0;                                                                                      \
  }                                                                                                \
  extern "C" int BEFORE##AddData##AFTER(FakeLink* link, int, const void* data, std::size_t bytes,  \
                                        const char*) {                                             \
    return link->add(std::string(static_cast<const char*>(data), bytes));                          \
  }                                                                                                \
  extern "C" int BEFORE##AddFile##AFTER(FakeLink* link, int, const char* path) {                   \
    return link->add(path);                                                                        \
  }                                                                                                \
  extern "C" int BEFORE##Complete##AFTER(FakeLink* link) {                                         \
    link->isComplete = !link->makesPtx || !link->isLate;                                           \
    return link->isComplete ? 0 : 4;                                                                                      \
  }                                                                                                \
  extern "C" int BEFORE##GetLinkedCubinSize##AFTER(FakeLink* link, std::size_t* bytes) {           \
    return link->isComplete && !link->makesPtx ? size(machineCode, bytes) : 6;                     \
  }                                                                                                \
  extern "C" int BEFORE##GetLinkedCubin##AFTER(FakeLink* link, char* code) {                       \
    return link->isComplete && !link->makesPtx ? copy(machineCode, code) : 6;                      \
  }                                                                                                \
  extern "C" int BEFORE##GetLinkedPtxSize##AFTER(FakeLink* link, std::size_t* bytes) {             \
    return link->isComplete && link->makesPtx ? size(ptx, bytes) : 6;                              \
  }                                                                                                \
  extern "C" int BEFORE##GetLinkedPtx##AFTER(FakeLink* link, char* text) {                         \
    return link->isComplete && link->makesPtx ? copy(ptx, text) : 6;                               \
  }

FAKE_LINKER(nvJitLink, )
FAKE_LINKER(__nvJitLink, _13_0)
