// What the program prints: JSON lines on standard output, and nothing else. The last line is the result.

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif

namespace harness {

constexpr int kSchema = 1;

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
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

inline void printLine(const char* type, const std::string& fields) {
  std::printf("{\"schema\":%d,\"type\":\"%s\",%s}\n", kSchema, type, fields.c_str());
  std::fflush(stdout);
}

inline void progress(const char* stage, double fraction) {
  printLine("progress", "\"stage\":" + quoted(stage) + ",\"fraction\":" + number(fraction));
}

// Set once the device, the verification and so on are known; every result carries them.
inline std::string& knownFields() {
  static std::string fields;
  return fields;
}

// Whoever is first prints the result: the program itself or its watchdog.
inline void printResult(const char* outcome, const std::string& message, const std::string& fields) {
  static std::atomic<bool> printed{false};
  if (printed.exchange(true)) return;
  printLine("result", "\"outcome\":" + quoted(outcome) + ",\"message\":" + quoted(message) + fields);
}

// Exit codes follow the outcome: 1 the answer is no, 3 this machine lacks something.
[[noreturn]] inline void finish(const char* outcome, const std::string& message) {
  printResult(outcome, message, knownFields());
  const std::string name = outcome;
  if (name == "correct") std::_Exit(0);
  std::_Exit(name == "unavailable" || name == "constraint" ? 3 : 1);
}

inline std::string describe(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

// Ends the program on an error of the runtime. After a fault nothing more can run in this process.
inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  const std::string what = std::string(doing) + ": " + describe(error) + ".";
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemDriverMismatch:
      finish("unavailable", what + " Check the GPU and its driver with nvidia-smi.");
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      finish("constraint", what + " Compile for the architecture of this GPU: nvcc -arch=native.");
    case cudaErrorMemoryAllocation:
      finish("constraint", what + " Choose smaller matrices, or free memory of the GPU.");
    default:
      finish("launch-error", what);
  }
}

}  // namespace harness
