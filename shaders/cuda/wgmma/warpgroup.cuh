// Matrix multiply-accumulate of a warp group (PTX ISA, "wgmma"): 128 threads multiply tiles that lie in shared memory.

// Where a tile lies, for the instruction: its address, and the strides (in 16 bytes) from panel to panel along m or n, and from
// eight rows to the next eight. Swizzles of 128 and 64 bytes are modes 1 and 2 (PTX ISA, "Matrix descriptor").
__device__ __forceinline__ uint64_t descriptor(uint32_t address, int panelBytes, int groupBytes, int swizzleBytes) {
#if CLUSTERED
  // The address says the block of the cluster, too; the instruction wants the place in shared memory alone.
#else
  // The instruction wants the place in shared memory, in 16 bytes.
#endif
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(panelBytes >> 4) << 16 | uint64_t(groupBytes >> 4) << 32 |
         uint64_t(swizzleBytes == 128 ? 1 : 2) << 62;
}

// Before the first instruction, and wherever registers were written that it reads.
__device__ __forceinline__ void fenceRegisters() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Until all but the last `pending` groups of products are summed.
template <int pending>
__device__ __forceinline__ void waitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
#if PINGPONG

// Threads of some warps meet; those that only arrive go on.
__device__ __forceinline__ void syncThreads(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void arriveThreads(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
#endif
#if REALLOCATE

// The warp group gives registers back, or takes them.
template <int registers>
__device__ __forceinline__ void shrinkTo() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ __forceinline__ void growTo() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
#endif
