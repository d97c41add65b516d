// CUDA vector types with their alignment.
#pragma once

#define ON_CPU_VECTORS(name, type)                                                                    \
  struct alignas(sizeof(type)) name##1 { type x; };                                                   \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; };                                            \
  struct name##3 { type x, y, z; };                                                                   \
  struct alignas(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) name##4 { type x, y, z, w; };         \
  inline name##1 make_##name##1(type x) { return {x}; }                                               \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                    \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                         \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

ON_CPU_VECTORS(char, signed char)
ON_CPU_VECTORS(uchar, unsigned char)
ON_CPU_VECTORS(short, short)
ON_CPU_VECTORS(ushort, unsigned short)
ON_CPU_VECTORS(int, int)
ON_CPU_VECTORS(uint, unsigned)
ON_CPU_VECTORS(long, long)
ON_CPU_VECTORS(ulong, unsigned long)
ON_CPU_VECTORS(longlong, long long)
ON_CPU_VECTORS(ulonglong, unsigned long long)
ON_CPU_VECTORS(float, float)
ON_CPU_VECTORS(double, double)
#undef ON_CPU_VECTORS
