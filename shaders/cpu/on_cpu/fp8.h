// 8-bit floats: e5m2 is the upper half of a __half; e4m3 has one NaN per sign and no infinity.
// Conversions round to nearest even and saturate, as in the CUDA headers.
#pragma once

namespace on_cpu {

// `digits` counts the significand bits including the leading one; 2^least is the smallest normal
// number, `largest` the largest.
inline uint8_t fp8Bits(float value, int digits, int least, float largest) {
  const uint8_t sign = static_cast<uint8_t>(bits<uint32_t>(value) >> 24 & 0x80u);
  if (value != value) return static_cast<uint8_t>(sign | 0x7fu);
  const double size = fabs(static_cast<double>(value));
  const int exponent = size == 0 ? least : ilogb(size) < least ? least : ilogb(size);
  double count = nearbyint(ldexp(size, digits - 1 - exponent));
  double nearest = ldexp(count, exponent - digits + 1);
  if (nearest > largest) nearest = largest;
  // Subnormals are encoded as a count of steps. Each higher binade has as many steps of twice the
  // size.
  if (nearest < ldexp(1.0, least)) return static_cast<uint8_t>(sign | static_cast<uint8_t>(ldexp(nearest, digits - 1 - least)));
  const int of = ilogb(nearest);
  const int fraction = static_cast<int>(ldexp(nearest, digits - 1 - of)) - (1 << (digits - 1));
  return static_cast<uint8_t>(sign | ((of - least + 1) << (digits - 1)) | fraction);
}

inline uint8_t e4m3Bits(float value) { return fp8Bits(value, 4, -6, 448.0f); }
inline uint8_t e5m2Bits(float value) { return fp8Bits(value, 3, -14, 57344.0f); }

inline float e5m2Value(uint8_t word) { return halfValue(static_cast<uint16_t>(word << 8)); }
inline float e4m3Value(uint8_t word) {
  if ((word & 0x7fu) == 0x7fu) return NAN;
  // __half has the same significand; its exponent bias is larger by 8.
  const float value = halfValue(static_cast<uint16_t>((word & 0x80u) << 8 | (word & 0x7fu) << 7));
  return value * 256.0f;
}

}  // namespace on_cpu

#define ON_CPU_FLOAT8(T, toBits, toValue)                                      \
  struct T {                                                                   \
    uint8_t __x;                                                               \
    T() = default;                                                             \
    explicit T(float value) : __x(on_cpu::toBits(value)) {}                    \
    explicit operator float() const { return on_cpu::toValue(__x); }           \
  };
ON_CPU_FLOAT8(__nv_fp8_e4m3, e4m3Bits, e4m3Value)
ON_CPU_FLOAT8(__nv_fp8_e5m2, e5m2Bits, e5m2Value)
#undef ON_CPU_FLOAT8
