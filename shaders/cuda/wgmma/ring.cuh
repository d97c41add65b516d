#if SPECIALIZED
// Main kernel. Warp specialization: warp group 0 is the producer, which fills a ring buffer of
// STAGES tile pairs with TMA. The other warp groups are consumers, which multiply the tiles with
// wgmma. Each stage has two mbarriers: `full` (the TMA bytes have arrived) and `empty` (all
// consumers of the stage have read it).
#else
// Main kernel without warp specialization: all 128 threads of the block multiply. Thread 0 also
// issues the TMA loads, which fill a ring buffer of STAGES tile pairs. Each stage has an mbarrier
#if MMA
// `full` (the TMA bytes have arrived). __syncthreads releases a stage after all warps have loaded
// their fragments from it.
#else
// `full` (the TMA bytes have arrived). __syncthreads releases a stage: it follows the wait for the
// wgmma instructions that read the stage.
#endif
#endif

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // bytes per K-major row of a tile
#if GATED
// The tile of the second B follows that of B, so that one instruction reads both.
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = COLUMNS * ROW_BYTES;
#else
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
#endif
#if MMA
constexpr int K_STEP_BYTES = 32;                   // K extent of one mma instruction, in bytes
constexpr int K_STEPS = ROW_BYTES / K_STEP_BYTES;  // mma instructions along K per tile
#else
constexpr int K_STEP_BYTES = 32;                   // K extent of one wgmma instruction, in bytes
constexpr int K_STEPS = ROW_BYTES / K_STEP_BYTES;  // wgmma instructions along K per tile
#endif
#if SPECIALIZED
constexpr unsigned ALL_LANES = 0xffffffff;
#endif
#if WARP_BOXES
#if SPECIALIZED
constexpr int WARPS_PER_CONSUMER = WARP_GROUP / 32;
#else
constexpr int WARPS = THREADS / 32;
#endif
#endif
#if CLUSTERED
#if SPLIT
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N * SPLIT_K;  // CTAs per cluster
#else
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;  // CTAs per cluster
#endif
#endif
#if PINGPONG
// Named barriers that order the consumers' main loops: consumer i waits on MATH_ORDER_BARRIER + i.
#if GROUP_BOXES
// Barrier 0 is __syncthreads; barriers 1 to CONSUMERS belong to the epilogue.
#else
// Barrier 0 is __syncthreads; barriers 1 to CONSUMERS are unused.
#endif
constexpr int MATH_ORDER_BARRIER = 1 + CONSUMERS, MATH_ORDER_THREADS = 2 * WARP_GROUP;
#endif

DESCRIPTORS
SIGNATURE {
  // Tiles with a 128-byte swizzle must start at multiples of 1,024 bytes.
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
#if TMA_STORE
#if PADDED_BOXES
  // The boxes of C have a 128-byte swizzle too.
  const uint32_t Cs = (Bs + STAGES * B_BYTES + 1023) / 1024 * 1024;
#else
  const uint32_t Cs = Bs + STAGES * B_BYTES;
#endif
#if SPECIALIZED
#if GROUP_BOXES
  const uint32_t full = Cs + CONSUMERS * STORE_BUFFERS * BOX_BYTES;
#else
  const uint32_t full = Cs + CONSUMERS * WARPS_PER_CONSUMER * STORE_BUFFERS * BOX_BYTES;
#endif
#else
#if GROUP_BOXES
  const uint32_t full = Cs + STORE_BUFFERS * BOX_BYTES;
#else
  const uint32_t full = Cs + WARPS * STORE_BUFFERS * BOX_BYTES;
#endif
#endif
#else
#if STAGED_STORE
  const uint32_t Cs = Bs + STAGES * B_BYTES;
#if SPECIALIZED
#if GROUP_BOXES
  const uint32_t full = Cs + CONSUMERS * BOX_BYTES;
#else
  const uint32_t full = Cs + CONSUMERS * WARPS_PER_CONSUMER * BOX_BYTES;
#endif
#else
#if GROUP_BOXES
  const uint32_t full = Cs + BOX_BYTES;
#else
  const uint32_t full = Cs + WARPS * BOX_BYTES;
#endif
#endif
#else
  const uint32_t full = Bs + STAGES * B_BYTES;
#endif
#endif
