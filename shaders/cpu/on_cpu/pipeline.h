// cp.async of <cuda_pipeline_primitives.h>: a copy takes effect when its thread waits for it, and
// not earlier.
#pragma once

inline void __pipeline_memcpy_async(void* __restrict__ to, const void* __restrict__ from, size_t bytes,
                                    size_t zeros = 0, ON_CPU_LINE) {
  on_cpu::copyAsync(line, to, from, bytes, zeros);
}
inline void __pipeline_commit() { on_cpu::commit(); }
inline void __pipeline_wait_prior(size_t pending, ON_CPU_LINE) {
  on_cpu::wait(line, static_cast<unsigned>(pending));
}
