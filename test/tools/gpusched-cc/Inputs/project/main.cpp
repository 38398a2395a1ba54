// main.cpp - host program around a CUDA library.
#include <cstdio>
int startFill(int* data);
int main() { std::printf("started: %d\n", startFill(nullptr)); }
