#if RESIDUAL_SOURCE
// The residual is loaded with TMA into the store buffers while the tensor cores work. The epilogue
// replaces its elements by elements of C, and TMA stores the boxes.
#else
// C is loaded with TMA into the store buffers while the tensor cores work. The epilogue replaces its
// elements, and TMA stores the boxes.
#endif
constexpr int ROW_BOXES = (BN + STORE_COLUMNS - 1) / STORE_COLUMNS;  // boxes per wgmma instruction
#if COLUMN_MAJOR
constexpr int TILE_BOXES = M_INSTRUCTIONS * ROW_BOXES;               // boxes per warp group
#else
constexpr int TILE_BOXES = M_INSTRUCTIONS * ROW_BOXES;               // boxes per warp
#endif

#if COLUMN_MAJOR
// ldmatrix: load four transposed 8 x 8 matrices; the inverse of stmatrix4.
__device__ __forceinline__ void ldmatrix4(uint32_t (&pairs)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3]) : "r"(address) : "memory");
}
#else
// ldmatrix: load four 8 x 8 matrices; the inverse of stmatrix4.
__device__ __forceinline__ void ldmatrix4(uint32_t (&pairs)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3]) : "r"(address) : "memory");
}
#endif

// First row and column of box `index`, relative to its first box. If STORE_COLUMNS does not divide
// BN, the last box ends at the tile's edge and overlaps the preceding box.
__device__ __forceinline__ int boxRow(int index) { return index / ROW_BOXES * WGMMA_M; }
__device__ __forceinline__ int boxColumn(int index) { return min(index % ROW_BOXES * STORE_COLUMNS, BN - STORE_COLUMNS); }

// Load box `index` into its buffer; `row` and `column` are the coordinates of box 0.
#if BATCHED
__device__ __forceinline__ void loadBox(const CUtensorMap& map, uint32_t boxes, uint32_t loaded, int index, int row, int column,
                                        int batch) {
#else
__device__ __forceinline__ void loadBox(const CUtensorMap& map, uint32_t boxes, uint32_t loaded, int index, int row, int column) {
#endif
  const uint32_t buffer = index % STORE_BUFFERS, barrier = loaded + buffer * BARRIER_BYTES;
  arriveExpectBytes(barrier, BOX_BYTES);
  tmaLoad(boxes + buffer * BOX_BYTES, map, barrier, BOX_COORDINATES);
}

// Load the first boxes of a tile into the buffers, and the others into the L2 cache.
#if BATCHED
__device__ __forceinline__ void loadBoxes(const CUtensorMap& map, uint32_t boxes, uint32_t loaded, int row, int column, int batch) {
#else
__device__ __forceinline__ void loadBoxes(const CUtensorMap& map, uint32_t boxes, uint32_t loaded, int row, int column) {
#endif
  tmaStoreWaitRead<0>();  // TMA has read the boxes of the preceding tile
  #pragma unroll
  for (int index = 0; index < TILE_BOXES; ++index) {
    if (index < STORE_BUFFERS) {
#if BATCHED
      loadBox(map, boxes, loaded, index, row, column, batch);
#else
      loadBox(map, boxes, loaded, index, row, column);
#endif
    } else {
      tmaPrefetch(map, BOX_COORDINATES);
    }
  }
}

// Finish and store the rows of wgmma instruction `m` in boxes of STORE_COLUMNS columns. `row` and
// `column` are the coordinates of the first box of the tile; bit i of `phases` is the mbarrier phase
// parity of buffer i.
STORE_SIGNATURE {
#if COLUMN_MAJOR
  const int lane = threadIdx.x % 32;
  const int rowChunk = threadIdx.x % WARP_GROUP / 32 * 2 + lane / 8 % 2;  // 16-byte chunk of 8 rows in a column
#else
  const int lane = threadIdx.x % 32, lineRow = lane % WARP_ROWS;
  constexpr int chunks = STORE_COLUMNS / 8;  // 16-byte chunks per row of a box
  // XOR swizzle of the tensor map of C: the 128-byte mode permutes 8 chunks, the 64-byte mode 4
  // chunks.
  const int swizzle = chunks == 8 ? lineRow % 8 : lineRow / 2 % 4;
#endif
  #pragma unroll
  for (int box = 0; box < ROW_BOXES; ++box) {
    const int index = m * ROW_BOXES + box, buffer = index % STORE_BUFFERS, first = boxColumn(box);
    const uint32_t address = boxes + buffer * BOX_BYTES;
    waitBarrier(loaded + buffer * BARRIER_BYTES, phases >> buffer & 1);
    phases ^= 1u << buffer;
    #pragma unroll
    for (int chunk = 0; chunk < STORE_COLUMNS / 8; chunk += 2) {
      const float* d = &acc[(first / 8 + chunk) * 4];
#if COLUMN_MAJOR
      const int line = chunk * 8 + lane / 16 * 8 + lane % 8;
      // XOR swizzle of the 128-byte mode, which permutes 8 chunks.
      const uint32_t at = address + line * BOX_ROWS * 2 + (rowChunk ^ line % 8) * 16;
#else
      const uint32_t at = address + lineRow * STORE_COLUMNS * 2 + ((chunk + lane / 16) ^ swizzle) * 16;
#endif
      uint32_t pairs[4];
      ldmatrix4(pairs, at);
      #pragma unroll
      for (int pair = 0; pair < 4; ++pair) pairs[pair] = FINISH_PAIR;
      stmatrix4(at, pairs[0], pairs[1], pairs[2], pairs[3]);
    }
    fenceAsyncProxy();
#if COLUMN_MAJOR
    namedBarrierSync(BOX_BARRIER + consumer, WARP_GROUP);
    if (threadIdx.x % WARP_GROUP == 0) {
#else
    __syncwarp();
    if (lane == 0) {
#endif
      if (index > 0 && index - 1 + STORE_BUFFERS < TILE_BOXES) {
        // Reuse the buffer of the preceding box after TMA has read it.
        tmaStoreWaitRead<0>();
        NEXT_BOX
      }
#if READS_STORED
      // The last box overlaps this box. Store this box only after the common columns are loaded.
      if (box == ROW_BOXES - 2) {
        const int next = (index + 1) % STORE_BUFFERS;
        waitBarrier(loaded + next * BARRIER_BYTES, phases >> next & 1);
      }
#endif
      STORE_BOX
      tmaStoreCommit();
    }
  }
}
