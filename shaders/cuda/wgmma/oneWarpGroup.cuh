  const int kIterations = (K + BK - 1) / BK;

  // Prologue: one thread initializes the mbarriers.
  if (threadIdx.x == 0) {
    prefetchTensorMap(mapA);
    prefetchTensorMap(mapB);
#if GATED
    prefetchTensorMap(mapB2);
#endif
#if TMA_STORE
    prefetchTensorMap(mapC);
#endif
    for (int i = 0; i < STAGES; ++i) initBarrier(full + i * BARRIER_BYTES, 1);  // one arrival: arriveExpectBytes
    fenceBarrierInit();
  }
  __syncthreads();
#if PROGRAMMATIC
  // Allow the next kernel to start its prologue. Wait until the previous kernel has finished before
  // reading its results.
  launchDependents();
  waitForPriorGrid();
#endif

#if BATCHED
  const TileScheduler tiles(M, N, batch);
#else
  const TileScheduler tiles(M, N);
#endif
  const Tile tile = tiles.at(blockIdx.x, 0, 0);
  // Load the tiles of one k-iteration; called by one thread.
  const auto load = [&](int iteration, int stage) {
    const int k = iteration * BK;
    const uint32_t barrier = full + stage * BARRIER_BYTES;
    arriveExpectBytes(barrier, A_BYTES + B_BYTES);
    const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
    LOADS
  };

  // Fill the ring buffer. New stages are free, so no wait is needed.
  if (threadIdx.x == 0) {
    for (int i = 0; i < min(STAGES, kIterations); ++i) load(i, i);
  }

#if MMA
  // Warp w computes rows 16 w to 16 w + 15 of every 64 rows, and all columns.
#if GATED
  float products[M_INSTRUCTIONS][COLUMNS / 2] = {};  // BM x COLUMNS accumulators of A * B and A * B2
#else
  float acc[M_INSTRUCTIONS][BN / 2] = {};  // BM x BN accumulators, BN / 2 per thread and 64 rows
#endif
  int stage = 0;
  uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    waitBarrier(full + stage * BARRIER_BYTES, phase);
    const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
    #pragma unroll
    for (int kStep = 0; kStep < K_STEPS; ++kStep) {
      uint32_t fragmentsA[M_INSTRUCTIONS][4];
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) loadA(fragmentsA[m], a, m, kStep);
      #pragma unroll
#if GATED
      for (int n = 0; n < COLUMNS / 16; ++n) {
#else
      for (int n = 0; n < BN / 16; ++n) {
#endif
        uint32_t fragmentsB[4];
        loadB(fragmentsB, b, n, kStep);
        #pragma unroll
        for (int m = 0; m < M_INSTRUCTIONS; ++m) {
#if GATED
          mma(&products[m][n * 8], fragmentsA[m], fragmentsB[0], fragmentsB[1]);
          mma(&products[m][n * 8 + 4], fragmentsA[m], fragmentsB[2], fragmentsB[3]);
#else
          mma(&acc[m][n * 8], fragmentsA[m], fragmentsB[0], fragmentsB[1]);
          mma(&acc[m][n * 8 + 4], fragmentsA[m], fragmentsB[2], fragmentsB[3]);
#endif
        }
      }
    }
    // ldmatrix reads the stage through the generic proxy, and TMA refills it through the async proxy.
    // The barrier alone does not order accesses of different proxies, so each thread executes a proxy
    // fence after its reads (PTX ISA, "Async proxy").
    fenceAsyncProxy();
    // After the barrier, no warp reads the stage, so thread 0 refills it. Every thread has also passed
    // the wait for the current phase of its mbarrier, so the next phase cannot overtake a slow thread.
    __syncthreads();
    const int next = iteration + STAGES;  // k-iteration that reuses the stage
    if (threadIdx.x == 0 && next < kIterations) load(next, stage);
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
#else
#if GATED
  float products[M_INSTRUCTIONS][COLUMNS / 2];  // BM x COLUMNS accumulators of A * B and A * B2
#else
  float acc[M_INSTRUCTIONS][BN / 2];  // BM x BN accumulators, BN / 2 per thread and instruction
#endif
  int stage = 0, previousStage = 0;
  uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    waitBarrier(full + stage * BARRIER_BYTES, phase);
    const uint64_t a = descriptorA(As + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
    wgmmaFence();
    #pragma unroll
    for (int kStep = 0; kStep < K_STEPS; ++kStep) {
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
        // The first wgmma overwrites the accumulators; later wgmma instructions add to them.
#if GATED
        wgmma(products[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, iteration + kStep > 0);
#else
        wgmma(acc[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, iteration + kStep > 0);
#endif
      }
    }
    wgmmaCommit();
    // Wait for the previous k-iteration; one wgmma group stays in flight.
    wgmmaWait<1>();
    // Each warp waits only for its own wgmma instructions. After the barrier, no warp reads the stage
    // of the previous k-iteration, so thread 0 refills it. Every thread has also passed the wait for
    // the current phase of its mbarrier, so the next phase cannot overtake a slow thread.
    __syncthreads();
    const int next = iteration - 1 + STAGES;  // k-iteration that reuses the stage
    if (threadIdx.x == 0 && iteration > 0 && next < kIterations) load(next, previousStage);
    previousStage = stage;
    if (++stage == STAGES) stage = 0, phase ^= 1;
  }
  wgmmaWait<0>();
#endif

  // Epilogue: write the accumulators to C.
#if TMA_STORE
  int storeBuffer = 0;
#if GROUP_BOXES
  const int consumer = 0;  // index of the only warp group
  const uint32_t boxes = Cs;
#else
  const uint32_t boxes = Cs + threadIdx.x / 32 * STORE_BUFFERS * BOX_BYTES;
#endif
#endif
#if STAGED_STORE
#if GROUP_BOXES
  const int consumer = 0;  // index of the only warp group
  const uint32_t box = Cs;
#else
  const uint32_t box = Cs + threadIdx.x / 32 * BOX_BYTES;
#endif
#endif
#if GATED
  float acc[M_INSTRUCTIONS][BN / 2];
  APPLY_GATE
#endif
#if EPILOGUE
  APPLY_EPILOGUE
#endif
  #pragma unroll
  for (int m = 0; m < M_INSTRUCTIONS; ++m) {
#if MMA
    const int row = tile.m + m * GROUP_ROWS;
#else
    const int row = tile.m + m * WGMMA_M;
#endif
#if SCALED_STORE
    #pragma unroll
    for (int i = 0; i < BN / 2; ++i) acc[m][i] *= alpha;
#endif
    STORE
  }
#if TMA_STORE
  // Shared memory must remain valid until TMA has read the last boxes.
  if (threadIdx.x % 32 == 0) tmaStoreWaitRead<0>();
#endif
}
