// Script.h - how a stand-in library is told what to answer, and says what it was asked.
//
// Every call appends its name to the file FAKE_LOG. FAKE_<call> is the number the call returns.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

inline int scripted(const char* call) {
  if (const char* path = std::getenv("FAKE_LOG"))
    if (std::FILE* log = std::fopen(path, "a")) {
      std::fprintf(log, "%s\n", call);
      std::fclose(log);
    }
  const char* answer = std::getenv((std::string("FAKE_") + call).c_str());
  return answer ? std::atoi(answer) : 0;
}
