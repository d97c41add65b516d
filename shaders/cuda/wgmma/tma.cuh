// Copies of boxes between global and shared memory (PTX ISA, "cp.async.bulk.tensor"), described by tensor maps: what lies
// outside of the matrix arrives as zeros, and is not stored.

__device__ __forceinline__ void prefetchMap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// A box whose first element is (x, y): x counts along the contiguous side. The barrier counts its bytes.
#if BATCHED || PIECED
__device__ __forceinline__ void loadBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void loadBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y) : "memory");
}
#endif
#if CLUSTERED

// The same box to the same place, and the same barrier, of each block of the cluster whose bit is set.
#if BATCHED || PIECED
__device__ __forceinline__ void multicastBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, uint16_t blocks, int x, int y,
                                             int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5, %6}], "
      "[%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(blocks), "r"(x), "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void multicastBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, uint16_t blocks, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], "
      "[%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(blocks), "r"(x), "r"(y) : "memory");
}
#endif
#endif
#if TMA_STORE

#if BATCHED
__device__ __forceinline__ void storeBox(const CUtensorMap& map, uint32_t from, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(from), "r"(x),
               "r"(y), "r"(z) : "memory");
}
#else
__device__ __forceinline__ void storeBox(const CUtensorMap& map, uint32_t from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(from), "r"(x),
               "r"(y) : "memory");
}
#endif

__device__ __forceinline__ void commitStores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Until all but the last `pending` stores of this thread have read shared memory.
template <int pending>
__device__ __forceinline__ void waitForStores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// What was written to shared memory before is seen by stores after it.
__device__ __forceinline__ void showToStores() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#endif
