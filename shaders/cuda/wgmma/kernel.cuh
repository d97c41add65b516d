// The kernel. One warp group, the producer, copies tiles of A and B into a ring of STAGES buffers; the others, the consumers,
// multiply them. Each buffer has two barriers: `full`, which the copies complete, and `empty`, at which consumers arrive.

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // of what an instruction's depths are read from
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
#if CLUSTERED
#if SPLIT
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N * SPLIT_K;
#else
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;
#endif
#endif

DESCRIPTORS
SIGNATURE {
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
#if TMA_STORE
  const uint32_t Cs = Bs + STAGES * B_BYTES;
  const uint32_t full = Cs + CONSUMERS * 4 * OUT_BUFFERS * BOX_BYTES;
#else
  const uint32_t full = Bs + STAGES * B_BYTES;
#endif
  const uint32_t empty = full + STAGES * 8;

  // From the first lane, so that the compiler knows that a warp agrees on it, and keeps what follows in uniform registers.
  const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
#if CLUSTERED
  const int rank = clusterRank();
#if SPLIT
  // Blocks that differ in `part` alone compute the same tile, each from its own part of K.
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M % CLUSTER_N, part = rank / (CLUSTER_M * CLUSTER_N);
  const int firstRank = part * CLUSTER_M * CLUSTER_N;
#else
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M;
#endif
  const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
#else
  constexpr int blockM = 0, blockN = 0;
  const int cluster = blockIdx.x, clusters = gridDim.x;
#endif
#if BATCHED
  const Tiles tiles(M, N, batch);
#else
  const Tiles tiles(M, N);
#endif
#if SPLIT
  const int allSteps = (K + BK - 1) / BK;
  const int firstStep = allSteps * part / SPLIT_K, steps = allSteps * (part + 1) / SPLIT_K - firstStep;
#else
#if PIECED
  const int depths = (K + BK - 1) / BK, steps = PRODUCTS * depths;  // along K, and of a tile
#else
  const int steps = (K + BK - 1) / BK;
#endif
#endif

  if (threadIdx.x == 0) {
    prefetchMap(mapA);
    prefetchMap(mapB);
#if TMA_STORE
    prefetchMap(mapC);
#endif
    for (int stage = 0; stage < STAGES; ++stage) {
      initBarrier(full + stage * 8, 1);
      initBarrier(empty + stage * 8, RELEASES);
    }
    publishBarriers();
  }
#if CLUSTERED
  meetCluster();
#else
  __syncthreads();
#endif
#if PROGRAMMATIC
  // The next kernel may begin its own prologue as blocks of this one end; this one reads nothing before the one before it ended.
  letNextBegin();
  waitForPrevious();
#endif

  if (group == 0) {
#if REALLOCATE
    shrinkTo<PRODUCER_REGISTERS>();
#endif
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;
#if SHARED_A
      // Blocks of a row of the cluster need the same tile of A: each loads its part.
      uint16_t row = 0;
#if SPLIT
      for (int n = 0; n < CLUSTER_N; ++n) row |= 1 << (firstRank + blockM + n * CLUSTER_M);
#else
      for (int n = 0; n < CLUSTER_N; ++n) row |= 1 << (blockM + n * CLUSTER_M);
#endif
#endif
#if SHARED_B
      // Blocks of a column of the cluster need the same tile of B: each loads its part.
#if SPLIT
      const uint16_t column = ((1 << CLUSTER_M) - 1) << (firstRank + blockN * CLUSTER_M);
#else
      const uint16_t column = ((1 << CLUSTER_M) - 1) << (blockN * CLUSTER_M);
#endif
#endif
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
#if PIECED
        for (int step = 0; step < steps; ++step) {
          const int product = step / depths, k = step % depths * BK;
#if BATCHED
          const int pieceA = tile.batch * PIECES + (PIECES_A >> 4 * product & 15), pieceB = tile.batch * PIECES + (PIECES_B >> 4 * product & 15);
#else
          const int pieceA = PIECES_A >> 4 * product & 15, pieceB = PIECES_B >> 4 * product & 15;
#endif
#else
#if SPLIT
        for (int k = firstStep * BK; k < (firstStep + steps) * BK; k += BK) {
#else
        for (int k = 0; k < steps * BK; k += BK) {
#endif
#endif
          waitFor(empty + stage * 8, phase ^ 1);
          const uint32_t barrier = full + stage * 8;
          expectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          LOADS
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
#if CLUSTERED
      // Blocks that had tiles from here tell so here: this one stays until all of them have.
      for (int i = 0; i < STAGES; ++i) {
        waitFor(empty + stage * 8, phase ^ 1);
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
#endif
    }
#if SPLIT
    // Those that exchange sums meet twice.
    __syncwarp();
    syncCluster();
    syncCluster();
#endif
  } else {
#if REALLOCATE
    growTo<CONSUMER_REGISTERS>();
#endif
    const int consumer = group - 1;
    const int thread = threadIdx.x % 128;
#if CLUSTERED
    // The blocks whose copies bring this one's tiles: of its row of the cluster, and of its column.
    const bool releases = thread < CLUSTER_M + CLUSTER_N - 1;
    const int other = thread - CLUSTER_N;
#if SPLIT
    const uint32_t target = thread < CLUSTER_N ? firstRank + blockM + thread * CLUSTER_M
                                               : firstRank + (other + (other >= blockM)) + blockN * CLUSTER_M;
#else
    const uint32_t target = thread < CLUSTER_N ? blockM + thread * CLUSTER_M
                                               : (other + (other >= blockM)) + blockN * CLUSTER_M;
#endif
    const uint32_t released = inBlock(empty, releases ? target : 0);
#else
    const bool releases = thread == 0;
    const uint32_t released = empty;
#endif
#if PINGPONG
    // While one consumer stores, the other multiplies: they take turns, and take every other tile.
    const int turn = 1 + CONSUMERS;
    if (consumer == 1) arriveThreads(turn, 256);
    const uint32_t rowsA = As;
    int stage = consumer * steps % STAGES;
    uint32_t phase = consumer * steps / STAGES & 1;
#else
    const uint32_t rowsA = As + consumer * GROUP_ROWS * ROW_BYTES;
    int stage = 0;
    uint32_t phase = 0;
#endif
#if TMA_STORE
    int slot = 0;
    const uint32_t boxes = Cs + (threadIdx.x / 32 - 4) * OUT_BUFFERS * BOX_BYTES;
#endif
#if PINGPONG
    for (int index = cluster + consumer * clusters; index < tiles.total; index += 2 * clusters) {
#else
    for (int index = cluster; index < tiles.total; index += clusters) {
#endif
      float sums[PARTS][BN / 2];
#if PINGPONG
      syncThreads(turn + consumer, 256);
#endif
      int before = stage;
#if PIECED
      // Tensor cores cut off what fp32 would round, so they sum up PROMOTION steps at most; those sums are added up here.
      float partial[PARTS][BN / 2];
      #pragma unroll
      for (int m = 0; m < PARTS; ++m) {
        #pragma unroll
        for (int i = 0; i < BN / 2; ++i) sums[m][i] = 0;
      }
      for (int k = 0, run = 0; k < steps; ++k) {
#else
      for (int k = 0; k < steps; ++k) {
#endif
        waitFor(full + stage * 8, phase);
        const uint64_t a = descriptorA(rowsA + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
        fenceRegisters();
        #pragma unroll
        for (int depth = 0; depth < ROW_BYTES / 32; ++depth) {
          #pragma unroll
          for (int m = 0; m < PARTS; ++m) {
#if PIECED
            multiply(partial[m], a + m * PART_A + depth * DEPTH_A, b + depth * DEPTH_B, run + depth > 0);
#else
            multiply(sums[m], a + m * PART_A + depth * DEPTH_A, b + depth * DEPTH_B, k + depth > 0);
#endif
          }
        }
        commitProducts();
        // The products of the step before are summed: its buffer is free.
        waitForProducts<1>();
        if (k > 0 && releases) arrive(released + before * 8);
        before = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
#if PIECED
        if (++run == PROMOTION || k + 1 == steps) {
          run = 0;
          waitForProducts<0>();
          #pragma unroll
          for (int m = 0; m < PARTS; ++m) {
            #pragma unroll
            for (int i = 0; i < BN / 2; ++i) sums[m][i] += partial[m][i];
          }
        }
#endif
      }
#if PINGPONG
      arriveThreads(turn + (1 - consumer), 256);
#endif
      waitForProducts<0>();
      if (releases) arrive(released + before * 8);
#if PINGPONG
      // The other consumer's steps.
      stage += steps % STAGES;
      phase ^= steps / STAGES & 1;
      if (stage >= STAGES) stage -= STAGES, phase ^= 1;
#endif

      const Tile tile = tiles.at(index, blockM, blockN);
#if SPLIT
      addParts(sums, As, part, blockM + blockN * CLUSTER_M, consumer);
#endif
      #pragma unroll
      for (int m = 0; m < PARTS; ++m) {
#if PINGPONG
        const int row = tile.m + m * 64;
#else
        const int row = tile.m + consumer * GROUP_ROWS + m * 64;
#endif
#if SCALED
        #pragma unroll
        for (int i = 0; i < BN / 2; ++i) sums[m][i] *= alpha;
#endif
        STORE
      }
    }
#if TMA_STORE
    // The next block of this multiprocessor has the same shared memory: the last boxes are read before.
    if (thread % 32 == 0) waitForStores<0>();
#endif
  }
}
