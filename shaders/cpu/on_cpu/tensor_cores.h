// PTX tensor-core instructions as functions: the host replaces inline PTX with calls of these functions
// (src/host/cpu/inlinePtx.ts). Fragments are 32-bit words, like registers.
#pragma once

namespace on_cpu {

enum class Format { f16, bf16, tf32, f32, s8, s32, e4m3, e5m2 };

struct Words {
  uint32_t at[4];
};

// An MMA of 16 x k and k x 8 matrices with a 16 x 8 accumulator.
struct Product {
  unsigned k;
  Format factors, sum;
};

size_t sharedOffset(const void* at);
void* sharedPlace(int line, unsigned offset);
Words loadMatrices(int line, unsigned count, bool turned, unsigned offset);
Words multiplyMatrices(int line, const Product& product, const Words& a, const Words& b, const Words& sum);

// Reinterprets the bits of a register.
template <typename T> inline uint32_t word(T value) {
  static_assert(sizeof(T) == 4, "a register of 32 bits");
  return bits<uint32_t>(value);
}
template <typename T> inline void assign(T& to, uint32_t word) {
  static_assert(sizeof(T) == 4, "a register of 32 bits");
  to = bits<T>(word);
}

template <typename T> inline const void* pointer(T at) { return reinterpret_cast<const void*>(at); }

// Rounds to 10 mantissa bits, ties away from zero.
inline uint32_t nearestTf32(float value) {
  const uint32_t word = bits<uint32_t>(value);
  if ((word & 0x7f800000u) == 0x7f800000u) return (word & 0x007fffffu) != 0 ? 0x7fffffffu : word;
  return (word + 0x1000u) & 0xffffe000u;
}

}  // namespace on_cpu

inline size_t __cvta_generic_to_shared(const void* at) { return on_cpu::sharedOffset(at); }
