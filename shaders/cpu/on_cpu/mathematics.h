// Functions that CUDA declares for every kernel and <math.h> does not.
#pragma once

inline int min(int a, int b) { return b < a ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
inline unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
inline long min(long a, long b) { return b < a ? b : a; }
inline unsigned long min(unsigned long a, unsigned long b) { return b < a ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline float min(float a, float b) { return fminf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
inline unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
inline long max(long a, long b) { return a < b ? b : a; }
inline unsigned long max(unsigned long a, unsigned long b) { return a < b ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

namespace on_cpu {
template <typename To, typename From> inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps its size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace on_cpu

inline unsigned __float_as_uint(float value) { return on_cpu::bits<unsigned>(value); }
inline int __float_as_int(float value) { return on_cpu::bits<int>(value); }
inline float __uint_as_float(unsigned value) { return on_cpu::bits<float>(value); }
inline float __int_as_float(int value) { return on_cpu::bits<float>(value); }
inline long long __double_as_longlong(double value) { return on_cpu::bits<long long>(value); }
inline double __longlong_as_double(long long value) { return on_cpu::bits<double>(value); }

inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
// `volatile` prevents contraction to an FMA.
inline float __fmul_rn(float a, float b) { volatile float product = a * b; return product; }
inline float __fadd_rn(float a, float b) { volatile float sum = a + b; return sum; }
inline double __dmul_rn(double a, double b) { volatile double product = a * b; return product; }
inline double __dadd_rn(double a, double b) { volatile double sum = a + b; return sum; }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float value) { return 1.0f / sqrtf(value); }
inline float __expf(float value) { return expf(value); }
inline float __logf(float value) { return logf(value); }
inline float __saturatef(float value) { return fminf(fmaxf(value, 0.0f), 1.0f); }

inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline unsigned __brev(unsigned value) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (value >> i & 1u) << (31 - i);
  return reversed;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(uint64_t{a} * b >> 32); }
inline int __mulhi(int a, int b) { return static_cast<int>(int64_t{a} * b >> 32); }

// Dot product of four signed bytes plus an accumulator, which wraps.
inline int __dp4a(int a, int b, int c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 32; i += 8) {
    sum += static_cast<unsigned>(static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i));
  }
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255u) * (b >> i & 255u);
  return c;
}
inline int __dp4a(char4 a, char4 b, int c) { return __dp4a(on_cpu::bits<int>(a), on_cpu::bits<int>(b), c); }

template <typename T> inline T __ldg(const T* at) { return *at; }
template <typename T> inline T __ldca(const T* at) { return *at; }
template <typename T> inline T __ldcg(const T* at) { return *at; }
template <typename T> inline T __ldcs(const T* at) { return *at; }
template <typename T> inline void __stcg(T* at, T value) { *at = value; }
template <typename T> inline void __stcs(T* at, T value) { *at = value; }
