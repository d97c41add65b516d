// Input of the runtime: kernels with their launches and operands.
#pragma once
#include "cuda_on_cpu.h"

namespace on_cpu {

// A matrix or the workspace.
struct Operand {
  const char* name;
  size_t bytes, elementBytes;
  bool isInput;     // must not be written
  bool isPoisoned;  // must not be read before it is written
};

struct Launch {
  void (*call)(void* const* operands);
  dim3 grid, block;
};

struct Job {
  const Operand* operands;
  int operandCount;
  const Launch* launches;
  int launchCount;
};

template <typename P, size_t kBytes> struct Element {
  static_assert(sizeof(P) % kBytes == 0, "@gemm: the element type of a pointer parameter differs from the dtype of its operand");
};
template <size_t kBytes> struct Element<void, kBytes> {};

// Pointer to an operand whose elements have kBytes bytes; as() converts it to the type of a kernel
// parameter.
template <size_t kBytes> struct Pointer {
  void* at;
  template <typename P> P as() const {
    static_assert(std::is_pointer<P>::value, "@gemm: args has a matrix for a scalar parameter of the kernel");
    using T = typename std::remove_cv<typename std::remove_pointer<P>::type>::type;
    (void)sizeof(Element<T, kBytes>);
    return static_cast<P>(at);
  }
};

template <typename N> struct Number {
  N value;
  template <typename P> P as() const {
    static_assert(!std::is_pointer<P>::value, "@gemm: args has a scalar for a pointer parameter of the kernel");
    return static_cast<P>(value);
  }
};

template <typename... P, typename... A> void call(void (*kernel)(P...), A... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "@gemm: the number of entries in args differs from the number of kernel parameters");
  if constexpr (sizeof...(P) == sizeof...(A)) kernel(arguments.template as<P>()...);
}

}  // namespace on_cpu

extern const on_cpu::Job onCpuJobs[];
extern const int onCpuJobCount;
