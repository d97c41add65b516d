// Runs CUDA device code on a CPU: defines the CUDA keywords and built-ins for a host C++ compiler.
// Each thread of a block is a fiber (fibers.cpp); every memory access is checked (memory.cpp).
// Unsupported: textures, cooperative groups, clusters, and inline PTX other than the instructions in
// tensor_cores.h.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstdint>
#include <cstdio>
#include <type_traits>

#define __CUDACC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
// __shared__ becomes thread_local, which implies `static` at block scope; `extern __shared__`
// remains a declaration. Without __constinit, GCC guards the initialization of class objects with a
// flag.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 10
#define __shared__ __constinit thread_local
#else
#define __shared__ thread_local
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __maxnreg__(...)

#include "on_cpu/vector_types.h"

// Type names in signatures of host code; the bodies of host code are omitted.
using cudaError_t = int;
using cudaStream_t = void*;
using cudaEvent_t = void*;

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

// Runtime functions that kernels call. Line numbers are the lines of the calls.
namespace on_cpu {

enum class Reduce { none, count, all, any };

void barrier(int line);
int barrierReduce(int line, Reduce how, int predicate);
void warpBarrier(int line, unsigned mask);
// Each thread of the mask publishes up to 32 bytes, which the other threads can read until their
// next exchange.
void exchange(int line, unsigned mask, const void* value, size_t bytes);
// Returns the bytes that a lane of this warp published; null if the lane did not participate.
const void* given(unsigned lane);
unsigned laneIndex();
unsigned activeLanes();
void copyAsync(int line, void* to, const void* from, size_t bytes, size_t zeros);
void commit();
void wait(int line, unsigned pending);
// Checks an atomic access before it is executed.
void atomicAccess(int line, const void* at, size_t bytes);
[[noreturn]] void trap(int line);

}  // namespace on_cpu

#define ON_CPU_LINE int line = __builtin_LINE()

inline void __syncthreads(ON_CPU_LINE) { on_cpu::barrier(line); }
inline int __syncthreads_count(int predicate, ON_CPU_LINE) {
  return on_cpu::barrierReduce(line, on_cpu::Reduce::count, predicate);
}
inline int __syncthreads_and(int predicate, ON_CPU_LINE) {
  return on_cpu::barrierReduce(line, on_cpu::Reduce::all, predicate);
}
inline int __syncthreads_or(int predicate, ON_CPU_LINE) {
  return on_cpu::barrierReduce(line, on_cpu::Reduce::any, predicate);
}
// Only one thread runs at a time, so its writes are visible to the next thread.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __trap(ON_CPU_LINE) { on_cpu::trap(line); }
inline void __nanosleep(unsigned) {}
inline void __prof_trigger(int) {}

#include "on_cpu/atomics.h"
#include "on_cpu/mathematics.h"
#include "on_cpu/half.h"
#include "on_cpu/fp8.h"
#include "on_cpu/pipeline.h"
#include "on_cpu/warp.h"
#include "on_cpu/tensor_cores.h"
