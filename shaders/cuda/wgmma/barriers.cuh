// mbarriers (PTX ISA, "mbarrier"): 64-bit barriers in shared memory. A phase completes when all
// expected arrivals have occurred and all expected bytes have been copied. Addresses are 32-bit
// shared addresses.

constexpr int BARRIER_BYTES = 8;  // bytes per mbarrier

__device__ __forceinline__ uint32_t sharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void initBarrier(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Arrive once, and expect `bytes` more bytes from TMA before the phase completes.
__device__ __forceinline__ void arriveExpectBytes(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Spin until the phase with this parity has completed.
__device__ __forceinline__ void waitBarrier(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra finished;\n"
      "bra again;\n"
      "finished:\n"
      "}" ::"r"(barrier), "r"(parity) : "memory");
}
#if CLUSTERED

// Map a shared address to the same offset in the shared memory of CTA `rank` of the cluster.
__device__ __forceinline__ uint32_t remoteAddress(uint32_t address, uint32_t rank) {
  uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

// Arrive at a barrier of any CTA of the cluster.
__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ uint32_t clusterRank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Cluster barrier with relaxed arrive: it does not order prior writes, but costs less than release.
__device__ __forceinline__ void clusterSyncRelaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#if SPLIT

// Cluster barrier with release and acquire: makes writes to distributed shared memory visible.
__device__ __forceinline__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#endif
#else
#if SPECIALIZED

__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
#endif
#endif

// Make mbarrier initialization visible to the async proxy and to the cluster.
__device__ __forceinline__ void fenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
#if PROGRAMMATIC

// Programmatic dependent launch (PTX ISA, "griddepcontrol"). These instructions have no effect in
// an ordinary launch.
__device__ __forceinline__ void launchDependents() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void waitForPriorGrid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#endif
