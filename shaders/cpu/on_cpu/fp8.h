// Floats of 8 bits: e5m2 is the upper half of a __half, e4m3 has one NaN a sign and no infinity. Conversions go to the
// nearest, ties to even, and end at the largest number, as those of the CUDA headers do.
#pragma once

namespace on_cpu {

// `digits` of a significand with its first one, `least` and `largest` of the normal numbers: 2^least, and the end.
inline uint8_t fp8Bits(float value, int digits, int least, float largest) {
  const uint8_t sign = static_cast<uint8_t>(bits<uint32_t>(value) >> 24 & 0x80u);
  if (value != value) return static_cast<uint8_t>(sign | 0x7fu);
  const double size = fabs(static_cast<double>(value));
  const int exponent = size == 0 ? least : ilogb(size) < least ? least : ilogb(size);
  double count = nearbyint(ldexp(size, digits - 1 - exponent));
  double nearest = ldexp(count, exponent - digits + 1);
  if (nearest > largest) nearest = largest;
  // In steps of the least ones: each binade above has as many steps, twice as large.
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
  // The same significand in a __half, whose exponents begin 8 lower.
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
