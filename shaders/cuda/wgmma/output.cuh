// From the sums of a warp group to C. A lane holds, of every 8 columns, two neighbours of row lane / 4 and of the row 8 further
// down; its warp's rows begin at 16 * warp (PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16").

#if PINGPONG
constexpr int GROUP_ROWS = BM;  // of a consumer: each has tiles of its own
#else
constexpr int GROUP_ROWS = BM / CONSUMERS;
#endif
constexpr int PARTS = GROUP_ROWS / 64;  // an instruction multiplies 64 rows

#if TMA_STORE
// Two sums as two neighbouring elements of C.
__device__ __forceinline__ uint32_t packed(float low, float high) {
  uint32_t out;
#if OUTPUT_F16
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
#else
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
#endif
  return out;
}

// Four 8 x 8 matrices: lane i says where row i % 8 of matrix i / 8 goes.
__device__ __forceinline__ void storeMatrices(uint32_t address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

constexpr int BOX_ROWS = 16, BOX_BYTES = BOX_ROWS * OUT_COLUMNS * 2;

// 64 rows through shared memory: each warp stores its own 16, a box of OUT_COLUMNS columns after another. The last box begins
// where it ends with the tile, and stores some columns again where boxes do not divide it. `boxes` are those of this warp.
#if BATCHED
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& slot, int row,
                                          int column, int batch) {
#else
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& slot, int row,
                                          int column) {
#endif
  const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32, boxRow = lane % BOX_ROWS;
  constexpr int chunks = OUT_COLUMNS / 8;  // of 16 bytes, that rows of a box exchange
  const int turn = chunks == 8 ? boxRow % 8 : boxRow / 2 % 4;
  #pragma unroll
  for (int box = 0; box < (BN + OUT_COLUMNS - 1) / OUT_COLUMNS; ++box) {
    const int first = min(box * OUT_COLUMNS, BN - OUT_COLUMNS);
    const uint32_t place = boxes + slot * BOX_BYTES;
    if (lane == 0) waitForStores<OUT_BUFFERS - 1>();
    __syncwarp();
    #pragma unroll
    for (int chunk = 0; chunk < chunks; chunk += 2) {
      const float* d = &sums[(first / 8 + chunk) * 4];
      storeMatrices(place + boxRow * OUT_COLUMNS * 2 + ((chunk + lane / 16) ^ turn) * 16, packed(d[0], d[1]), packed(d[2], d[3]),
                    packed(d[4], d[5]), packed(d[6], d[7]));
    }
    showToStores();
    __syncwarp();
    if (lane == 0) {
#if BATCHED
      storeBox(map, place, column + first, row + warp * BOX_ROWS, batch);
#else
      storeBox(map, place, column + first, row + warp * BOX_ROWS);
#endif
      commitStores();
    }
    slot = slot + 1 == OUT_BUFFERS ? 0 : slot + 1;
  }
}
#else
#if SPLIT
// Sums of the same elements by the blocks of a cluster that each had a part of K: each sums up BN / SPLIT_K of the columns.
// What a thread holds of those goes to the same thread of that block, through its shared memory.
__device__ __forceinline__ void addParts(float (&sums)[PARTS][BN / 2], uint32_t buffers, int part, int rank,
                                         int consumer) {
  constexpr int SHARE = BN / 2 / SPLIT_K;  // sums of a thread and 64 rows
  const uint32_t mine = buffers + (consumer * 128 + threadIdx.x % 128) * 16;
  constexpr uint32_t LINE = CONSUMERS * 128 * 16, OF_PART = PARTS * SHARE / 4 * LINE;
  syncCluster();  // nobody copies to the buffers any more
  #pragma unroll
  for (int to = 0; to < SPLIT_K; ++to) {
    if (to == part) continue;
    const uint32_t there = inBlock(mine + part * OF_PART, rank + to * CLUSTER_M * CLUSTER_N);
    #pragma unroll
    for (int m = 0; m < PARTS; ++m) {
      #pragma unroll
      for (int i = 0; i < SHARE; i += 4) {
        const float* four = &sums[m][to * SHARE + i];
        asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there + (m * SHARE + i) / 4 * LINE), "f"(four[0]),
                     "f"(four[1]), "f"(four[2]), "f"(four[3]) : "memory");
      }
    }
  }
  syncCluster();
  #pragma unroll
  for (int own = 0; own < SPLIT_K; ++own) {
    if (own != part) continue;
    #pragma unroll
    for (int from = 0; from < SPLIT_K; ++from) {
      if (from == own) continue;
      #pragma unroll
      for (int m = 0; m < PARTS; ++m) {
        #pragma unroll
        for (int i = 0; i < SHARE; i += 4) {
          float four[4];
          asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                       : "r"(mine + from * OF_PART + (m * SHARE + i) / 4 * LINE));
          #pragma unroll
          for (int j = 0; j < 4; ++j) sums[m][own * SHARE + i + j] += four[j];
        }
      }
    }
  }
}

#endif
#if COLUMN_MAJOR
// 64 rows from registers: eight lanes store neighbouring rows, which lie beside each other.
#else
// 64 rows from registers: lanes beside each other store pairs of columns.
#endif
__device__ __forceinline__ void storeTile(STORE_PARAMETERS) {
  const int thread = threadIdx.x % 128, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * 16 + lane / 4 + half * 8;
    if (m >= M) continue;
#if COLUMN_MAJOR
    Output* line = C + m;  // of elements that are ldc apart
#else
    Output* line = C + static_cast<long long>(m) * ldc;
#endif
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
#if SPLIT
      if (block / (BN / 8 / SPLIT_K) != part) continue;
#endif
      const int n = column + block * 8 + lane % 4 * 2;
      float low = sums[block * 4 + half * 2], high = sums[block * 4 + half * 2 + 1];
#if PAIRS
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
      Output *first = line + static_cast<long long>(n) * ldc, *second = first + ldc;
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
