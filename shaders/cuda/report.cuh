// Output of the program: JSON lines on standard output. Every error is a Failure, which ends one
// job.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif

namespace harness {

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (letter == '\n') out += "\\n";
    else out += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  return out + '"';
}

inline std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

inline std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ",") + number(value);
  return "[" + out + "]";
}

// Formats one field of an object, with a comma in front.
inline std::string field(const char* name, const std::string& json) {
  return std::string(",\"") + name + "\":" + json;
}

// Id of the current request; 0 in a program with a single kernel.
inline long long& requestId() {
  static long long id = 0;
  return id;
}

constexpr int kSchema = 2;

// `fields` starts with a comma.
inline void printLine(const char* type, const std::string& fields) {
  static std::mutex one;
  const std::lock_guard<std::mutex> guard(one);
  std::printf("{\"schema\":%d,\"id\":%lld,\"type\":\"%s\"%s}\n", kSchema, requestId(), type, fields.c_str());
  std::fflush(stdout);
}

inline void progress(const char* stage, double fraction) {
  printLine("progress", field("stage", quoted(stage)) + field("fraction", number(fraction)));
}

struct Failure {
  const char* outcome;
  std::string message;
  // Set if the process cannot run any other job.
  bool fatal = false;
};

// Throws a Failure if a CUDA runtime call returns an error.
inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  const std::string what =
      std::string(doing) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ").";
  cudaGetLastError();
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorDevicesUnavailable:
      throw Failure{"unavailable", what + " Fix: check the GPU and its driver with nvidia-smi.", true};
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      throw Failure{"constraint", what + " Fix: compile for the architecture of this GPU: nvcc -arch=native."};
    case cudaErrorMemoryAllocation:
      throw Failure{"constraint", what + " Fix: choose smaller matrices, or free GPU memory."};
    default:
      // A sticky error has corrupted the context.
      throw Failure{"launch-error", what, cudaDeviceSynchronize() != cudaSuccess};
  }
}

}  // namespace harness
