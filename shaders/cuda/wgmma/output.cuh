#if TWO_PASS
// Epilogue: write a warp group's accumulators to the workspace. In every 8 columns, each lane holds
// two adjacent columns of rows lane/4 and lane/4 + 8. Each warp owns 16 of the 64 rows (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16").
#else
#if MMA
// Epilogue: write the accumulators to C. In every 8 columns, each lane holds two adjacent columns of
// rows lane/4 and lane/4 + 8. Each warp owns 16 of every 64 rows (PTX ISA, "Matrix Fragments for
// mma.m16n8k16").
#else
// Epilogue: write a warp group's accumulators to C. In every 8 columns, each lane holds two
// adjacent columns of rows lane/4 and lane/4 + 8. Each warp owns 16 of the 64 rows (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16").
#endif
#endif

#if SPECIALIZED
#if PINGPONG
constexpr int ROWS_PER_CONSUMER = BM;  // each consumer computes whole tiles
#else
constexpr int ROWS_PER_CONSUMER = BM / CONSUMERS;
#endif
constexpr int M_INSTRUCTIONS = ROWS_PER_CONSUMER / WGMMA_M;  // instructions along M per consumer
#else
#if MMA
constexpr int M_INSTRUCTIONS = BM / GROUP_ROWS;  // instructions along M per warp
#else
constexpr int M_INSTRUCTIONS = BM / WGMMA_M;                 // instructions along M
#endif
#endif
#if MMA
#if !GROUP_BOXES || !A_PANELS
constexpr int WARP_ROWS = 16;                    // rows of an mma instruction
#endif
#else
#if !GROUP_BOXES
constexpr int WARP_ROWS = 16;                                // rows of a wgmma instruction per warp
#endif
#endif

#if TMA_STORE || STAGED_STORE
// Convert two accumulators to two adjacent elements of C.
__device__ __forceinline__ uint32_t packPair(float low, float high) {
  uint32_t out;
#if OUTPUT_F16
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
#else
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
#endif
  return out;
}

#if COLUMN_MAJOR
// stmatrix: store four transposed 8 x 8 matrices; lane i supplies the address of column i % 8 of
// matrix i / 8.
__device__ __forceinline__ void stmatrix4(uint32_t address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c),
               "r"(d) : "memory");
}

#if MMA
// A box holds 64 rows, so that its columns have 128 bytes. The warps of the block share a box and
// synchronize at a named barrier.
constexpr int BOX_ROWS = GROUP_ROWS;
#else
// A box holds all 64 rows of a wgmma instruction, so that its columns have 128 bytes. The warps of a
// warp group share a box and synchronize at a named barrier.
constexpr int BOX_ROWS = WGMMA_M;
#endif
constexpr int BOX_BARRIER = 1;  // consumer i uses barrier BOX_BARRIER + i; barrier 0 is __syncthreads
#else
// stmatrix: store four 8 x 8 matrices; lane i supplies the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void stmatrix4(uint32_t address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

constexpr int BOX_ROWS = WARP_ROWS;  // each warp has its own box
#endif
#if TMA_STORE
constexpr int BOX_BYTES = BOX_ROWS * STORE_COLUMNS * 2;  // bytes per TMA store box
#else
constexpr int BOX_BYTES = BOX_ROWS * STORE_COLUMNS * 2;  // bytes per staged box
#endif
#if COLUMN_MAJOR && !SOURCE

// Write the 16 rows of a warp to STORE_COLUMNS columns of a box, from tile column `first`.
__device__ __forceinline__ void stageColumns(const float (&acc)[BN / 2], uint32_t box, int first) {
  const int lane = threadIdx.x % 32;
  const int rowChunk = threadIdx.x % WARP_GROUP / 32 * 2 + lane / 8 % 2;  // 16-byte chunk of 8 rows in a column
  #pragma unroll
  for (int chunk = 0; chunk < STORE_COLUMNS / 8; chunk += 2) {
    const float* d = &acc[(first / 8 + chunk) * 4];
    const int column = chunk * 8 + lane / 16 * 8 + lane % 8;
    // XOR swizzle of the 128-byte mode, which permutes 8 chunks.
    stmatrix4(box + column * BOX_ROWS * 2 + (rowChunk ^ column % 8) * 16, packPair(d[0], d[1]), packPair(d[2], d[3]),
              packPair(d[4], d[5]), packPair(d[6], d[7]));
  }
}
#endif

#endif
#if !SOURCE
#if TMA_STORE
#if COLUMN_MAJOR
// Stage 64 rows in shared memory and store them with TMA, in boxes of STORE_COLUMNS columns. The
// columns are contiguous in C, so stmatrix transposes the accumulators. `boxes` is the address of
// the warp group's box buffers. If STORE_COLUMNS does not divide BN, the last box ends at the tile's
// edge and overlaps the preceding box.
#if BATCHED
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& buffer, int row,
                                          int column, int batch, int consumer) {
#else
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& buffer, int row,
                                          int column, int consumer) {
#endif
  const bool stores = threadIdx.x % WARP_GROUP == 0;
  #pragma unroll
  for (int box = 0; box < (BN + STORE_COLUMNS - 1) / STORE_COLUMNS; ++box) {
    const int first = min(box * STORE_COLUMNS, BN - STORE_COLUMNS);
    const uint32_t address = boxes + buffer * BOX_BYTES;
    // Reuse a buffer only after TMA has read it.
    if (stores) tmaStoreWaitRead<STORE_BUFFERS - 1>();
    namedBarrierSync(BOX_BARRIER + consumer, WARP_GROUP);
    stageColumns(acc, address, first);
    fenceAsyncProxy();
    namedBarrierSync(BOX_BARRIER + consumer, WARP_GROUP);
    if (stores) {
#if BATCHED
      tmaStore(map, address, row, column + first, batch);
#else
      tmaStore(map, address, row, column + first);
#endif
      tmaStoreCommit();
    }
    buffer = buffer + 1 == STORE_BUFFERS ? 0 : buffer + 1;
  }
}
#else
// Stage 64 rows in shared memory and store them with TMA. Each warp stores 16 rows in boxes of
// STORE_COLUMNS columns; `boxes` is the address of its box buffers. If STORE_COLUMNS does not
// divide BN, the last box ends at the tile's edge and overlaps the preceding box.
#if BATCHED
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& buffer, int row,
                                          int column, int batch) {
#else
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& buffer, int row,
                                          int column) {
#endif
  const int warp = threadIdx.x % WARP_GROUP / 32, lane = threadIdx.x % 32, boxRow = lane % WARP_ROWS;
  constexpr int chunks = STORE_COLUMNS / 8;  // 16-byte chunks per row of a box
  // XOR swizzle of the tensor map of C: the 128-byte mode permutes 8 chunks, the 64-byte mode 4
  // chunks.
  const int swizzle = chunks == 8 ? boxRow % 8 : boxRow / 2 % 4;
  #pragma unroll
  for (int box = 0; box < (BN + STORE_COLUMNS - 1) / STORE_COLUMNS; ++box) {
    const int first = min(box * STORE_COLUMNS, BN - STORE_COLUMNS);
    const uint32_t address = boxes + buffer * BOX_BYTES;
    // Reuse a buffer only after TMA has read it.
    if (lane == 0) tmaStoreWaitRead<STORE_BUFFERS - 1>();
    __syncwarp();
    #pragma unroll
    for (int chunk = 0; chunk < chunks; chunk += 2) {
      const float* d = &acc[(first / 8 + chunk) * 4];
      stmatrix4(address + boxRow * STORE_COLUMNS * 2 + ((chunk + lane / 16) ^ swizzle) * 16, packPair(d[0], d[1]),
                packPair(d[2], d[3]), packPair(d[4], d[5]), packPair(d[6], d[7]));
    }
    fenceAsyncProxy();
    __syncwarp();
    if (lane == 0) {
#if BATCHED
      tmaStore(map, address, column + first, row + warp * WARP_ROWS, batch);
#else
      tmaStore(map, address, column + first, row + warp * WARP_ROWS);
#endif
      tmaStoreCommit();
    }
    buffer = buffer + 1 == STORE_BUFFERS ? 0 : buffer + 1;
  }
}
#endif
#else
#if STAGED_STORE
#if COLUMN_MAJOR
// Load element (row, column) of a staged box.
__device__ __forceinline__ uint32_t boxElement(uint32_t box, int row, int column) {
  uint16_t element;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(element) : "r"(box + column * BOX_ROWS * 2 + ((row / 8) ^ column % 8) * 16 + row % 8 * 2)
               : "memory");
  return element;
}

// Stage 64 rows in shared memory and store them column by column, because TMA cannot store columns
// that are not aligned to 16 bytes. stmatrix transposes the accumulators, and each warp then writes
// every fourth column of the box, in adjacent pairs of rows. If STORE_COLUMNS does not divide BN, the
// last box ends at the tile's edge and overlaps the preceding box.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], uint32_t box, Output* C, int ldc, int M, int N, int row,
                                          int column, int consumer) {
  constexpr int warps = WARP_GROUP / 32;
  const int warp = threadIdx.x % WARP_GROUP / 32, lane = threadIdx.x % 32, rows = min(BOX_ROWS, M - row);
  #pragma unroll
  for (int i = 0; i < (BN + STORE_COLUMNS - 1) / STORE_COLUMNS; ++i) {
    const int first = min(i * STORE_COLUMNS, BN - STORE_COLUMNS);
    namedBarrierSync(BOX_BARRIER + consumer, WARP_GROUP);  // all warps have read the preceding box
    stageColumns(acc, box, first);
    namedBarrierSync(BOX_BARRIER + consumer, WARP_GROUP);
    #pragma unroll 4
    for (int from = warp; from < STORE_COLUMNS; from += warps) {
      if (column + first + from >= N) break;
      uint16_t* line = reinterpret_cast<uint16_t*>(C) + static_cast<long long>(column + first + from) * ldc + row;
      // A pair is one 4-byte store. If the column starts at an odd element, its first element is
      // stored separately, and pairs start at odd rows.
      const int shift = reinterpret_cast<uintptr_t>(line) / 2 % 2, m = lane * 2 + shift;
      if (m + 1 < rows) {
        *reinterpret_cast<uint32_t*>(line + m) = boxElement(box, m, from) | boxElement(box, m + 1, from) << 16;
      } else if (m < rows) {
        line[m] = boxElement(box, m, from);
      }
      if (m == 1 && rows > 0) line[0] = boxElement(box, 0, from);
    }
  }
}
#else
// Load element (row, column) of a staged box.
__device__ __forceinline__ uint32_t boxElement(uint32_t box, int row, int column) {
  const int swizzle = STORE_COLUMNS == 64 ? row % 8 : row / 2 % 4;
  uint16_t element;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(element) : "r"(box + row * STORE_COLUMNS * 2 + ((column / 8) ^ swizzle) * 16 + column % 8 * 2)
               : "memory");
  return element;
}

// Stage 64 rows in shared memory and store them row by row, because TMA cannot store rows that are
// not aligned to 16 bytes. Each warp stages 16 rows in boxes of STORE_COLUMNS columns; adjacent
// lanes then write adjacent pairs of elements. If STORE_COLUMNS does not divide BN, the last box
// ends at the tile's edge and overlaps the preceding box.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], uint32_t box, Output* C, int ldc, int M, int N, int row,
                                          int column) {
  const int firstRow = row + threadIdx.x % WARP_GROUP / 32 * WARP_ROWS, lane = threadIdx.x % 32, boxRow = lane % WARP_ROWS;
  constexpr int chunks = STORE_COLUMNS / 8;  // 16-byte chunks per row of a box
  // XOR swizzle, so that stmatrix and the loads of rows have no bank conflicts.
  const int swizzle = chunks == 8 ? boxRow % 8 : boxRow / 2 % 4;
  constexpr int rowLanes = STORE_COLUMNS / 2, rowsPerStore = 32 / rowLanes;
  #pragma unroll
  for (int i = 0; i < (BN + STORE_COLUMNS - 1) / STORE_COLUMNS; ++i) {
    const int first = min(i * STORE_COLUMNS, BN - STORE_COLUMNS);
    __syncwarp();  // all lanes have read the preceding box
    #pragma unroll
    for (int chunk = 0; chunk < chunks; chunk += 2) {
      const float* d = &acc[(first / 8 + chunk) * 4];
      stmatrix4(box + boxRow * STORE_COLUMNS * 2 + ((chunk + lane / 16) ^ swizzle) * 16, packPair(d[0], d[1]),
                packPair(d[2], d[3]), packPair(d[4], d[5]), packPair(d[6], d[7]));
    }
    __syncwarp();
    const int columns = min(STORE_COLUMNS, N - (column + first));
    #pragma unroll 4
    for (int from = lane / rowLanes; from < WARP_ROWS; from += rowsPerStore) {
      if (firstRow + from >= M) break;
      uint16_t* line = reinterpret_cast<uint16_t*>(C) + static_cast<long long>(firstRow + from) * ldc + column + first;
      // A pair is one 4-byte store. If the row starts at an odd element, its first element is stored
      // separately, and pairs start at odd columns.
      const int shift = reinterpret_cast<uintptr_t>(line) / 2 % 2, n = lane % rowLanes * 2 + shift;
      if (n + 1 < columns) {
        *reinterpret_cast<uint32_t*>(line + n) = boxElement(box, from, n) | boxElement(box, from, n + 1) << 16;
      } else if (n < columns) {
        line[n] = boxElement(box, from, n);
      }
      if (n == 1 && columns > 0) line[0] = boxElement(box, from, 0);
    }
  }
}
#endif
#else
#if SPLIT
#if SENDERS
// Split-K reduction in the cluster: the CTAs of the first REDUCERS slices reduce BN / REDUCERS of the
// columns each. Each thread sends its accumulators of the other columns through distributed shared
// memory. The receiver is the thread with the same index in the CTA that reduces these columns.
#else
// Split-K reduction in the cluster: each CTA reduces BN / SPLIT_K of the columns. Each thread sends
// its accumulators of the other columns through distributed shared memory. The receiver is the thread
// with the same index in the CTA that reduces these columns.
#endif
__device__ __forceinline__ void reduceSlices(float (&acc)[M_INSTRUCTIONS][BN / 2], uint32_t buffers, int slice, int rank,
                                             int consumer) {
  constexpr int OWNED = BN / 2 / REDUCERS;  // accumulators of this CTA per thread and instruction
  const uint32_t mine = buffers + (consumer * WARP_GROUP + threadIdx.x % WARP_GROUP) * 16;
  // Accumulators are exchanged as float4 values of 16 bytes; a line holds one float4 per consumer
  // thread.
  constexpr uint32_t LINE_BYTES = CONSUMERS * WARP_GROUP * 16, SLICE_BYTES = M_INSTRUCTIONS * OWNED / 4 * LINE_BYTES;
  clusterSync();  // wait for all main loops of the cluster: the exchange overwrites the tile buffers
  #pragma unroll
  for (int to = 0; to < REDUCERS; ++to) {
    if (to == slice) continue;
    const uint32_t remote = remoteAddress(mine + slice * SLICE_BYTES, rank + to * CLUSTER_M * CLUSTER_N);
    #pragma unroll
    for (int m = 0; m < M_INSTRUCTIONS; ++m) {
      #pragma unroll
      for (int i = 0; i < OWNED; i += 4) {
        const float* four = &acc[m][to * OWNED + i];
        asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(remote + (m * OWNED + i) / 4 * LINE_BYTES),
                     "f"(four[0]), "f"(four[1]), "f"(four[2]), "f"(four[3]) : "memory");
      }
    }
  }
  clusterSync();  // wait for the partial results of all slices
  #pragma unroll
  for (int own = 0; own < REDUCERS; ++own) {
    if (own != slice) continue;
    #pragma unroll
    for (int m = 0; m < M_INSTRUCTIONS; ++m) {
      #pragma unroll
      for (int i = 0; i < OWNED; i += 4) {
        float* kept = &acc[m][own * OWNED + i];
        float sum[4] = {};
        // In the order of the slices, so that the result does not depend on the CTA that reduces it.
        #pragma unroll
        for (int from = 0; from < SPLIT_K; ++from) {
          float four[4] = {kept[0], kept[1], kept[2], kept[3]};
          if (from != own) {
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                         : "r"(mine + from * SLICE_BYTES + (m * OWNED + i) / 4 * LINE_BYTES));
          }
          #pragma unroll
          for (int j = 0; j < 4; ++j) sum[j] += four[j];
        }
        #pragma unroll
        for (int j = 0; j < 4; ++j) kept[j] = sum[j];
      }
    }
  }
}

#endif
#if TWO_PASS
#if COLUMN_MAJOR
// Store 64 rows of a slice's partial result directly from registers. It has no padding and is
// column-major like C: 8 lanes write 8 adjacent rows.
#else
// Store 64 rows of a slice's partial result directly from registers. It has no padding and is
// row-major like C: adjacent lanes write adjacent pairs of columns.
#endif
#else
#if COLUMN_MAJOR
// Store 64 rows directly from registers: 8 lanes write 8 adjacent rows, which are contiguous in C.
#else
// Store 64 rows directly from registers: adjacent lanes write adjacent pairs of columns.
#endif
#endif
__device__ __forceinline__ void storeTile(STORE_PARAMETERS) {
  const int thread = threadIdx.x % WARP_GROUP, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * WARP_ROWS + lane / 4 + half * 8;
    if (m >= M) continue;
#if TWO_PASS
#if COLUMN_MAJOR
    Output* line = partial + m;  // columns have a stride of M elements
#else
    Output* line = partial + static_cast<long long>(m) * N;
#endif
#else
#if COLUMN_MAJOR
    Output* line = C + m;  // columns have a stride of ldc elements
#else
    Output* line = C + static_cast<long long>(m) * ldc;
#endif
#endif
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
#if SPLIT
      if (block / (BN / 8 / REDUCERS) != slice) continue;
#endif
      const int n = column + block * 8 + lane % 4 * 2;
      float low = acc[block * 4 + half * 2], high = acc[block * 4 + half * 2 + 1];
#if PAIRED
      if (n >= N) continue;
      Pair* to = reinterpret_cast<Pair*>(line + n);
#if BETA
      const Pair old = *to;
      low += beta * static_cast<float>(old.x);
      high += beta * static_cast<float>(old.y);
#endif
      *to = Pair{Output(low), Output(high)};
#else
#if COLUMN_MAJOR
#if TWO_PASS
      Output *first = line + static_cast<long long>(n) * M, *second = first + M;
#else
      Output *first = line + static_cast<long long>(n) * ldc, *second = first + ldc;
#endif
#else
      Output *first = line + n, *second = first + 1;
#endif
      if (n < N) {
#if BETA
        low += beta * static_cast<float>(*first);
#endif
        *first = Output(low);
      }
      if (n + 1 < N) {
#if BETA
        high += beta * static_cast<float>(*second);
#endif
        *second = Output(high);
      }
#endif
    }
  }
}
#endif
#endif
#endif
