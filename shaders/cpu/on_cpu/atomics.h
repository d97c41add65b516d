// Atomic operations as compare-and-swap loops.
#pragma once

namespace on_cpu {

template <size_t kBytes> struct Word;
template <> struct Word<1> { using type = uint8_t; };
template <> struct Word<2> { using type = uint16_t; };
template <> struct Word<4> { using type = uint32_t; };
template <> struct Word<8> { using type = uint64_t; };

// Compare-and-swap in the runtime, which is not instrumented. Returns true on success, otherwise
// sets `expected` to the current word.
bool compareExchange(volatile uint8_t* at, uint8_t& expected, uint8_t desired);
bool compareExchange(volatile uint16_t* at, uint16_t& expected, uint16_t desired);
bool compareExchange(volatile uint32_t* at, uint32_t& expected, uint32_t desired);
bool compareExchange(volatile uint64_t* at, uint64_t& expected, uint64_t desired);

template <typename T> struct Same { using type = T; };
template <typename T> using Given = typename Same<T>::type;

template <typename T, typename Change> T atomic(T* at, int line, Change change) {
  using Bits = typename Word<sizeof(T)>::type;
  atomicAccess(line, at, sizeof(T));
  Bits old = 0;
  for (;;) {
    T value;
    memcpy(&value, &old, sizeof value);
    const T next = change(value);
    Bits bits;
    memcpy(&bits, &next, sizeof bits);
    if (compareExchange(reinterpret_cast<volatile Bits*>(at), old, bits)) return value;
  }
}

}  // namespace on_cpu

#define ON_CPU_ATOMIC(name, result)                                                                   \
  template <typename T> inline T name(T* at, on_cpu::Given<T> value, ON_CPU_LINE) {                   \
    return on_cpu::atomic(at, line, [&](T old) -> T { return result; });                              \
  }                                                                                                   \
  template <typename T> inline T name##_block(T* at, on_cpu::Given<T> value, ON_CPU_LINE) {           \
    return name(at, value, line);                                                                     \
  }                                                                                                   \
  template <typename T> inline T name##_system(T* at, on_cpu::Given<T> value, ON_CPU_LINE) {          \
    return name(at, value, line);                                                                     \
  }

ON_CPU_ATOMIC(atomicAdd, old + value)
ON_CPU_ATOMIC(atomicSub, old - value)
ON_CPU_ATOMIC(atomicExch, value)
ON_CPU_ATOMIC(atomicMin, value < old ? value : old)
ON_CPU_ATOMIC(atomicMax, old < value ? value : old)
ON_CPU_ATOMIC(atomicAnd, old & value)
ON_CPU_ATOMIC(atomicOr, old | value)
ON_CPU_ATOMIC(atomicXor, old ^ value)
ON_CPU_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
ON_CPU_ATOMIC(atomicDec, old == 0 || old > value ? value : T(old - 1))
#undef ON_CPU_ATOMIC

template <typename T>
inline T atomicCAS(T* at, on_cpu::Given<T> expected, on_cpu::Given<T> value, ON_CPU_LINE) {
  return on_cpu::atomic(at, line, [&](T old) -> T { return old == expected ? value : old; });
}
