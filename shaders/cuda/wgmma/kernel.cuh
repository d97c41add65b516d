  const uint32_t empty = full + STAGES * BARRIER_BYTES;
#if SOURCE
  const uint32_t boxBarriers = empty + STAGES * BARRIER_BYTES;
#endif

  // Broadcasting from lane 0 makes the value provably warp-uniform, so that the compiler keeps it
  // in a uniform register.
  const int warpGroup = __shfl_sync(ALL_LANES, threadIdx.x / WARP_GROUP, 0);
#if CLUSTERED
  const int rank = clusterRank();
#if SPLIT
  // CTAs that differ only in `slice` compute the same tile of C, each over a different slice of K.
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M % CLUSTER_N, slice = rank / (CLUSTER_M * CLUSTER_N);
  const int firstRank = slice * CLUSTER_M * CLUSTER_N;
#else
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M;
#endif
  const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
#else
  constexpr int blockM = 0, blockN = 0;
  const int cluster = blockIdx.x, clusters = gridDim.x;
#endif
#if BATCHED
  const TileScheduler tiles(M, N, batch);
#else
  const TileScheduler tiles(M, N);
#endif
#if SPLIT
  const int allIterations = (K + BK - 1) / BK;
  const int firstIteration = allIterations * slice / SPLIT_K;
  const int kIterations = allIterations * (slice + 1) / SPLIT_K - firstIteration;
#else
#if TWO_PASS
  // The last slice of K may have fewer k-iterations than the others.
  const int allIterations = (K + BK - 1) / BK, sliceIterations = (allIterations + SPLIT_K - 1) / SPLIT_K;
#else
#if EMULATED
  // Each product of terms is a pass over K, so a tile takes PRODUCTS passes.
  const int passIterations = (K + BK - 1) / BK, kIterations = PRODUCTS * passIterations;
#else
  const int kIterations = (K + BK - 1) / BK;
#endif
#endif
#endif

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
#if RESIDUAL_SOURCE
    prefetchTensorMap(mapResidual);
#endif
    for (int stage = 0; stage < STAGES; ++stage) {
      initBarrier(full + stage * BARRIER_BYTES, 1);  // one arrival: arriveExpectBytes
      initBarrier(empty + stage * BARRIER_BYTES, EMPTY_ARRIVALS);
    }
#if SOURCE
#if GROUP_BOXES
    for (int i = 0; i < CONSUMERS * STORE_BUFFERS; ++i) initBarrier(boxBarriers + i * BARRIER_BYTES, 1);
#else
    for (int i = 0; i < CONSUMERS * WARPS_PER_CONSUMER * STORE_BUFFERS; ++i) initBarrier(boxBarriers + i * BARRIER_BYTES, 1);
#endif
#endif
    fenceBarrierInit();
  }
#if CLUSTERED
  clusterSyncRelaxed();
#else
  __syncthreads();
#endif
#if PROGRAMMATIC
#if PREFETCH
  // While the previous kernel ends, load the first weights into the L2 cache. L2 is coherent: results
  // of the previous kernel replace what was loaded too early.
  if (threadIdx.x == 0) {
    const Tile tile = tiles.at(cluster, blockM, blockN);
#if TWO_PASS
    const int firstIteration = tile.slice * sliceIterations;
    const int kIterations = min(sliceIterations, allIterations - firstIteration);
#endif
#if SPLIT || TWO_PASS
    for (int k = firstIteration * BK; k < (firstIteration + min(PREFETCHED, kIterations)) * BK; k += BK) {
#else
    for (int k = 0; k < min(PREFETCHED, kIterations) * BK; k += BK) {
#endif
      WEIGHT_LOADS
    }
  }
  // Wait until the previous kernel has finished before reading its results.
  waitForPriorGrid();
#else
  // Allow the next kernel to start its prologue. Wait until the previous kernel has finished before
  // reading its results.
  launchDependents();
  waitForPriorGrid();
#endif
#endif

  if (warpGroup == 0) {
    // Producer: one thread issues all TMA loads.
#if SETMAXNREG
    decreaseRegistersTo<PRODUCER_REGISTERS>();
#endif
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
#if MULTICAST_A
      // CTAs in a row of the cluster share the A tile: each CTA loads 1 / CLUSTER_N of it and
      // multicasts that slice to the row.
      uint16_t rowMask = 0;
#if SPLIT
      for (int n = 0; n < CLUSTER_N; ++n) rowMask |= 1 << (firstRank + blockM + n * CLUSTER_M);
#else
      for (int n = 0; n < CLUSTER_N; ++n) rowMask |= 1 << (blockM + n * CLUSTER_M);
#endif
#endif
#if MULTICAST_B
      // CTAs in a column of the cluster share the B tile: each CTA loads 1 / CLUSTER_M of it and
      // multicasts that slice to the column.
#if SPLIT
      const uint16_t columnMask = ((1 << CLUSTER_M) - 1) << (firstRank + blockN * CLUSTER_M);
#else
      const uint16_t columnMask = ((1 << CLUSTER_M) - 1) << (blockN * CLUSTER_M);
#endif
#endif
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
#if EMULATED
        for (int iteration = 0; iteration < kIterations; ++iteration) {
          // Terms to multiply in this pass: 4-bit digits of TERMS_A and TERMS_B.
          const int product = iteration / passIterations, k = iteration % passIterations * BK;
#if BATCHED
          const int termA = tile.batch * TERMS + (TERMS_A >> 4 * product & 15), termB = tile.batch * TERMS + (TERMS_B >> 4 * product & 15);
#else
          const int termA = TERMS_A >> 4 * product & 15, termB = TERMS_B >> 4 * product & 15;
#endif
#else
#if SPLIT
        for (int k = firstIteration * BK; k < (firstIteration + kIterations) * BK; k += BK) {
#else
#if TWO_PASS
        const int firstIteration = tile.slice * sliceIterations;
        const int lastIteration = min(firstIteration + sliceIterations, allIterations);
        for (int k = firstIteration * BK; k < lastIteration * BK; k += BK) {
#else
        for (int k = 0; k < kIterations * BK; k += BK) {
#endif
#endif
#endif
          // Wait until `empty` has completed the phase before `phase`. A new mbarrier is in phase 0,
          // and the phase before it counts as complete, so the first pass does not block.
          waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
          const uint32_t barrier = full + stage * BARRIER_BYTES;
          arriveExpectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          LOADS
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
#if PREFETCH
      // All loads are issued: allow the next kernel to start.
      launchDependents();
#endif
#if CLUSTERED
      // Drain: consumers of other CTAs arrive at these barriers, so this CTA must not exit before
      // the last arrival.
      for (int i = 0; i < STAGES; ++i) {
        waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
#endif
    }
#if SPLIT
    // All threads of the cluster must arrive at the two cluster barriers of the split-K reduction.
    __syncwarp();
    clusterSync();
    clusterSync();
#endif
  } else {
    // Consumers: multiply the staged tiles and store C.
#if SETMAXNREG
    increaseRegistersTo<CONSUMER_REGISTERS>();
#endif
    const int consumer = warpGroup - 1;
    const int thread = threadIdx.x % WARP_GROUP;
#if CLUSTERED
    // Release a stage in every CTA that multicasts into it. Thread i < CLUSTER_N arrives in CTA i
    // of this CTA's row; the next CLUSTER_M - 1 threads arrive in the other CTAs of its column.
    const bool releases = thread < CLUSTER_M + CLUSTER_N - 1;
    const int columnPeer = thread - CLUSTER_N;  // index of a peer CTA in this cluster column
#if SPLIT
    const uint32_t targetRank = thread < CLUSTER_N ? firstRank + blockM + thread * CLUSTER_M
                                                   : firstRank + (columnPeer + (columnPeer >= blockM)) + blockN * CLUSTER_M;
#else
    const uint32_t targetRank = thread < CLUSTER_N ? blockM + thread * CLUSTER_M
                                                   : (columnPeer + (columnPeer >= blockM)) + blockN * CLUSTER_M;
#endif
    const uint32_t emptyBarriers = remoteAddress(empty, releases ? targetRank : 0);
#else
    const bool releases = thread == 0;
    const uint32_t emptyBarriers = empty;
#endif
#if PINGPONG
    // Ping-pong: the consumers compute alternate tiles; one runs its main loop while the other runs
    // its epilogue. Consumer 0 starts: consumer 1 arrives at the barrier of consumer 0 in advance.
    if (consumer == 1) namedBarrierArrive(MATH_ORDER_BARRIER, MATH_ORDER_THREADS);
    const uint32_t rowsA = As;
    // The ring buffer first receives the A and B tiles for the first C tile of consumer 0. Consumer 1
    // starts after those k-iterations.
    int stage = consumer * kIterations % STAGES;
    uint32_t phase = consumer * kIterations / STAGES & 1;
#else
    const uint32_t rowsA = As + consumer * ROWS_PER_CONSUMER * ROW_BYTES;
    int stage = 0;
    uint32_t phase = 0;
#endif
#if TMA_STORE
#if SOURCE
#if GROUP_BOXES
    const int boxOwner = consumer;
    const bool loadsBoxes = thread == 0;
#else
    const int boxOwner = threadIdx.x / 32 - WARPS_PER_CONSUMER;
    const bool loadsBoxes = thread % 32 == 0;
#endif
    const uint32_t boxes = Cs + boxOwner * STORE_BUFFERS * BOX_BYTES;
    const uint32_t loaded = boxBarriers + boxOwner * STORE_BUFFERS * BARRIER_BYTES;
    const int loadIteration = min(1, kIterations - 1);
    uint32_t boxPhases = 0;
#else
    int storeBuffer = 0;
#if GROUP_BOXES
    const uint32_t boxes = Cs + consumer * STORE_BUFFERS * BOX_BYTES;
#else
    const uint32_t boxes = Cs + (threadIdx.x / 32 - WARPS_PER_CONSUMER) * STORE_BUFFERS * BOX_BYTES;
#endif
#endif
#endif
#if STAGED_STORE
#if GROUP_BOXES
    const uint32_t box = Cs + consumer * BOX_BYTES;
#else
    const uint32_t box = Cs + (threadIdx.x / 32 - WARPS_PER_CONSUMER) * BOX_BYTES;
#endif
#endif
#if PINGPONG
    for (int index = cluster + consumer * clusters; index < tiles.total; index += 2 * clusters) {
#else
    for (int index = cluster; index < tiles.total; index += clusters) {
#endif
#if TWO_PASS
      const Tile tile = tiles.at(index, blockM, blockN);
      const int kIterations = min(sliceIterations, allIterations - tile.slice * sliceIterations);
#endif
#if GATED
      float products[M_INSTRUCTIONS][COLUMNS / 2];  // 64 x COLUMNS accumulators of A * B and A * B2
#else
      float acc[M_INSTRUCTIONS][BN / 2];  // 64 x BN accumulators, BN / 2 per thread and instruction
#endif
#if PINGPONG
      namedBarrierSync(MATH_ORDER_BARRIER + consumer, MATH_ORDER_THREADS);
#endif
      int previousStage = stage;
#if EMULATED
      // Tensor cores truncate sums that FP32 addition would round. They accumulate
      // PROMOTION_INTERVAL k-iterations in `partial`, which is then added to the FP32 accumulators
      // (promotion).
      float partial[M_INSTRUCTIONS][BN / 2];
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
        #pragma unroll
        for (int i = 0; i < BN / 2; ++i) acc[m][i] = 0;
      }
      for (int iteration = 0, sincePromotion = 0; iteration < kIterations; ++iteration) {
#else
      for (int iteration = 0; iteration < kIterations; ++iteration) {
#endif
        waitBarrier(full + stage * BARRIER_BYTES, phase);
        const uint64_t a = descriptorA(rowsA + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
        wgmmaFence();
        #pragma unroll
        for (int kStep = 0; kStep < K_STEPS; ++kStep) {
          #pragma unroll
          for (int m = 0; m < M_INSTRUCTIONS; ++m) {
            // The first wgmma overwrites the accumulators; later wgmma instructions add to them.
#if EMULATED
            wgmma(partial[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, sincePromotion + kStep > 0);
#else
#if GATED
            wgmma(products[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, iteration + kStep > 0);
#else
            wgmma(acc[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, iteration + kStep > 0);
#endif
#endif
          }
        }
        wgmmaCommit();
#if SOURCE
        if (iteration == loadIteration && loadsBoxes) {
          const Tile tile = tiles.at(index, blockM, blockN);
          LOAD_BOXES
        }
#endif
        // Wait for the previous k-iteration and release its stage; one wgmma group stays in flight.
        wgmmaWait<1>();
        if (iteration > 0 && releases) arrive(emptyBarriers + previousStage * BARRIER_BYTES);
        previousStage = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
#if EMULATED
        if (++sincePromotion == PROMOTION_INTERVAL || iteration + 1 == kIterations) {
          sincePromotion = 0;
          wgmmaWait<0>();
          #pragma unroll
          for (int m = 0; m < M_INSTRUCTIONS; ++m) {
            #pragma unroll
            for (int i = 0; i < BN / 2; ++i) acc[m][i] += partial[m][i];
          }
        }
#endif
      }
#if PINGPONG
      // All wgmma instructions of this tile are issued: the other consumer may start its main loop.
      namedBarrierArrive(MATH_ORDER_BARRIER + (1 - consumer), MATH_ORDER_THREADS);
#endif
      wgmmaWait<0>();
      if (releases) arrive(emptyBarriers + previousStage * BARRIER_BYTES);
#if PINGPONG
      // Skip the k-iterations of the other consumer's tile.
      stage += kIterations % STAGES;
      phase ^= kIterations / STAGES & 1;
      if (stage >= STAGES) stage -= STAGES, phase ^= 1;
#endif

#if TWO_PASS
      // Epilogue: write the accumulators to the workspace.
      PARTIAL
#else
      // Epilogue: write the accumulators to C.
      const Tile tile = tiles.at(index, blockM, blockN);
#endif
#if GATED
      float acc[M_INSTRUCTIONS][BN / 2];
      APPLY_GATE
#endif
#if SPLIT
      reduceSlices(acc, As, slice, blockM + blockN * CLUSTER_M, consumer);
#endif
#if EPILOGUE
      APPLY_EPILOGUE
#endif
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
#if !SOURCE
#if PINGPONG
        const int row = tile.m + m * WGMMA_M;
#else
        const int row = tile.m + consumer * ROWS_PER_CONSUMER + m * WGMMA_M;
#endif
#endif
#if SCALED_STORE
        #pragma unroll
        for (int i = 0; i < BN / 2; ++i) acc[m][i] *= alpha;
#endif
        STORE
      }
    }
#if TMA_STORE
    // Shared memory must remain valid until TMA has read the last boxes.
    if (thread % 32 == 0) tmaStoreWaitRead<0>();
#endif
  }
}
