// __half and __nv_bfloat16 with hardware rounding: to nearest even, once per operation. Addition, subtraction and
// multiplication are computed in float and then rounded. An FMA is computed in double with rounding to odd, which
// avoids double rounding (Boldo and Melquiond, 2008).
#pragma once

namespace on_cpu {

inline uint16_t halfBits(float value) {
  uint32_t word = bits<uint32_t>(value);
  const uint32_t sign = word >> 16 & 0x8000u;
  word &= 0x7fffffffu;
  if (word > 0x7f800000u) return 0x7fff;
  if (word >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);
  // Below 2^-14, adding 0.5 shifts the bits of a subnormal to the end of the significand.
  if (word < 0x38800000u) return static_cast<uint16_t>(sign | (bits<uint32_t>(bits<float>(word) + 0.5f) - 0x3f000000u));
  return static_cast<uint16_t>(sign | ((word + 0xc8000fffu + (word >> 13 & 1u)) >> 13));
}

inline float halfValue(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) return bits<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude < 0x400u) return bits<float>(sign | bits<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f));
  return bits<float>(sign | ((magnitude << 13) + 0x38000000u));
}

inline uint16_t bfloatBits(float value) {
  const uint32_t word = bits<uint32_t>(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

inline float bfloatValue(uint16_t value) { return bits<float>(static_cast<uint32_t>(value) << 16); }

// Computes a * b + c with rounding to odd.
inline float fusedToOdd(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, sum = product + c;
  const double part = sum - product, error = (product - (sum - part)) + (c - part);
  uint64_t word = bits<uint64_t>(sum);
  if (error != 0 && (word & 1u) == 0 && sum - sum == 0) word += (error > 0) == (sum > 0) ? 1 : -1;
  const double odd = bits<double>(word);
  const float rounded = static_cast<float>(odd);
  uint32_t narrow = bits<uint32_t>(rounded);
  if (rounded - rounded != 0 || static_cast<double>(rounded) == odd || (narrow & 1u) != 0) return rounded;
  return bits<float>(fabs(static_cast<double>(rounded)) > fabs(odd) ? narrow - 1 : narrow + 1);
}

}  // namespace on_cpu

#define ON_CPU_FLOAT16(T, T2, toBits, toValue)                                                  \
  struct T {                                                                                          \
    uint16_t storage;                                                                                 \
    T() = default;                                                                                    \
    T(float value) : storage(on_cpu::toBits(value)) {}                                                \
    explicit T(double value) : storage(on_cpu::toBits(static_cast<float>(value))) {}                  \
    explicit T(int value) : storage(on_cpu::toBits(static_cast<float>(value))) {}                     \
    operator float() const { return on_cpu::toValue(storage); }                                       \
    T& operator+=(T other) { return *this = T(float(*this) + float(other)); }                         \
    T& operator-=(T other) { return *this = T(float(*this) - float(other)); }                         \
    T& operator*=(T other) { return *this = T(float(*this) * float(other)); }                         \
  };                                                                                                  \
  struct alignas(4) T2 { T x, y; };                                                                   \
  inline T operator+(T a, T b) { return T(float(a) + float(b)); }                                     \
  inline T operator-(T a, T b) { return T(float(a) - float(b)); }                                     \
  inline T operator*(T a, T b) { return T(float(a) * float(b)); }                                     \
  inline T operator/(T a, T b) { return T(float(a) / float(b)); }                                     \
  inline T operator-(T a) { return T(-float(a)); }                                                    \
  inline T __hadd(T a, T b) { return a + b; }                                                         \
  inline T __hsub(T a, T b) { return a - b; }                                                         \
  inline T __hmul(T a, T b) { return a * b; }                                                         \
  inline T __hdiv(T a, T b) { return a / b; }                                                         \
  inline T __hneg(T a) { return -a; }                                                                 \
  inline T __hmax(T a, T b) { return float(a) < float(b) ? b : a; }                                   \
  inline T __hmin(T a, T b) { return float(b) < float(a) ? b : a; }                                   \
  inline bool __hlt(T a, T b) { return float(a) < float(b); }                                         \
  inline bool __heq(T a, T b) { return float(a) == float(b); }                                        \
  inline T __hfma(T a, T b, T c) { return T(on_cpu::fusedToOdd(a, b, c)); }                           \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }      \
  inline T2 __hadd2(T2 a, T2 b) { return {a.x + b.x, a.y + b.y}; }                                    \
  inline T2 __hsub2(T2 a, T2 b) { return {a.x - b.x, a.y - b.y}; }                                    \
  inline T2 __hmul2(T2 a, T2 b) { return {a.x * b.x, a.y * b.y}; }                                    \
  inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                           \
  inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                           \
  inline float __low2float(T2 a) { return a.x; }                                                      \
  inline float __high2float(T2 a) { return a.y; }

ON_CPU_FLOAT16(__half, __half2, halfBits, halfValue)
ON_CPU_FLOAT16(__nv_bfloat16, __nv_bfloat162, bfloatBits, bfloatValue)
#undef ON_CPU_FLOAT16

using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

namespace on_cpu {

// Rounds toward zero.
template <typename T> T cut(float value) {
  T near = value;
  if (fabs(static_cast<double>(float(near))) > fabs(static_cast<double>(value))) --near.storage;
  return near;
}

}  // namespace on_cpu

inline float __half2float(__half value) { return value; }
inline __half __float2half_rz(float value) { return on_cpu::cut<__half>(value); }
inline __half __float2half(float value) { return value; }
inline __half __float2half_rn(float value) { return value; }
inline __half __int2half_rn(int value) { return __half(value); }
inline __half __ushort_as_half(unsigned short value) { return on_cpu::bits<__half>(value); }
inline unsigned short __half_as_ushort(__half value) { return value.storage; }
inline __half2 __half2half2(__half value) { return {value, value}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __float2half2_rn(float value) { return {value, value}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 value) { return {value.x, value.y}; }
inline float2 __half22float2(__half2 value) { return {value.x, value.y}; }
inline __half __low2half(__half2 value) { return value.x; }
inline __half __high2half(__half2 value) { return value.y; }

inline float __bfloat162float(__nv_bfloat16 value) { return value; }
inline __nv_bfloat16 __float2bfloat16(float value) { return value; }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return value; }
inline __nv_bfloat16 __float2bfloat16_rz(float value) { return on_cpu::cut<__nv_bfloat16>(value); }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 value) { return {value, value}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 value) { return {value.x, value.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 value) { return {value.x, value.y}; }
