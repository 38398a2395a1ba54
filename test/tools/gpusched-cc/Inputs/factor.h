// factor.h - included by scale.cu with quotes, so it must be found beside the original.
#define FACTOR 3
