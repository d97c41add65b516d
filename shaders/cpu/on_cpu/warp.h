// Warp shuffle and vote functions.
#pragma once

inline void __syncwarp(unsigned mask = 0xffffffffu, ON_CPU_LINE) { on_cpu::warpBarrier(line, mask); }
inline unsigned __activemask() { return on_cpu::activeLanes(); }

namespace on_cpu {

template <typename T> inline T shuffle(int line, unsigned mask, T value, int from, bool inside) {
  exchange(line, mask, &value, sizeof value);
  const void* other = inside ? given(static_cast<unsigned>(from)) : nullptr;
  T result = value;
  if (other != nullptr) memcpy(&result, other, sizeof result);
  return result;
}

// Returns a bit mask of the lanes in `mask` whose predicate is true.
inline unsigned vote(int line, unsigned mask, int predicate) {
  const unsigned mine = predicate != 0;
  exchange(line, mask, &mine, sizeof mine);
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const void* other = mask >> lane & 1u ? given(lane) : nullptr;
    if (other == nullptr) continue;
    unsigned theirs;
    memcpy(&theirs, other, sizeof theirs);
    lanes |= theirs << lane;
  }
  return lanes;
}

}  // namespace on_cpu

// `width` splits the warp into groups; a source lane outside the group yields the thread's own value.
template <typename T> inline T __shfl_sync(unsigned mask, T value, int from, int width = 32, ON_CPU_LINE) {
  const int first = static_cast<int>(on_cpu::laneIndex()) / width * width;
  return on_cpu::shuffle(line, mask, value, first + (from & (width - 1)), true);
}
template <typename T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, ON_CPU_LINE) {
  const int lane = static_cast<int>(on_cpu::laneIndex()), from = lane - static_cast<int>(by);
  return on_cpu::shuffle(line, mask, value, from, from >= lane / width * width);
}
template <typename T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, ON_CPU_LINE) {
  const int lane = static_cast<int>(on_cpu::laneIndex()), from = lane + static_cast<int>(by);
  return on_cpu::shuffle(line, mask, value, from, from < (lane / width + 1) * width);
}
template <typename T> inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, ON_CPU_LINE) {
  const int lane = static_cast<int>(on_cpu::laneIndex()), from = lane ^ with;
  return on_cpu::shuffle(line, mask, value, from, from < (lane / width + 1) * width);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, ON_CPU_LINE) {
  return on_cpu::vote(line, mask, predicate);
}
inline int __any_sync(unsigned mask, int predicate, ON_CPU_LINE) {
  return on_cpu::vote(line, mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate, ON_CPU_LINE) {
  return on_cpu::vote(line, mask, !predicate) == 0;
}
