// TMA: asynchronous copies of boxes between global and shared memory (PTX ISA,
// "cp.async.bulk.tensor"), described by tensor maps. Elements outside the matrix are loaded as
// zeros and never stored.

__device__ __forceinline__ void prefetchTensorMap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Load the box that starts at (x, y); x is the coordinate along the contiguous dimension. `barrier`
// counts the bytes that arrive.
#if BATCHED || EMULATED
__device__ __forceinline__ void tmaLoad(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void tmaLoad(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y) : "memory");
}
#endif
#if CLUSTERED

// Multicast: one load writes the box at the same offset, and signals the same barrier, in every CTA
// of `ctaMask`.
#if BATCHED || EMULATED
__device__ __forceinline__ void tmaLoadMulticast(uint32_t to, const CUtensorMap& map, uint32_t barrier, uint16_t ctaMask, int x,
                                                 int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5, %6}], "
      "[%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(ctaMask), "r"(x), "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void tmaLoadMulticast(uint32_t to, const CUtensorMap& map, uint32_t barrier, uint16_t ctaMask, int x,
                                                 int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], "
      "[%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(ctaMask), "r"(x), "r"(y) : "memory");
}
#endif
#endif
#if L2_LOADS

// Load a box into the L2 cache only.
#if BATCHED
__device__ __forceinline__ void tmaPrefetch(const CUtensorMap& map, int x, int y, int z) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map), "r"(x), "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void tmaPrefetch(const CUtensorMap& map, int x, int y) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(x), "r"(y) : "memory");
}
#endif
#endif
#if TMA_STORE

// Store a box from shared to global memory.
#if BATCHED
__device__ __forceinline__ void tmaStore(const CUtensorMap& map, uint32_t from, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(from), "r"(x),
               "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void tmaStore(const CUtensorMap& map, uint32_t from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(from), "r"(x),
               "r"(y) : "memory");
}
#endif

__device__ __forceinline__ void tmaStoreCommit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Wait until at most `pending` store groups of this thread still read shared memory.
template <int pending>
__device__ __forceinline__ void tmaStoreWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
#endif
#if MMA

// Order prior accesses of this thread to shared memory before later accesses through the async proxy,
// that is, by TMA.
__device__ __forceinline__ void fenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#else
#if TMA_STORE

// Make prior writes to shared memory visible to the async proxy, that is, to TMA stores.
__device__ __forceinline__ void fenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#endif
#endif
