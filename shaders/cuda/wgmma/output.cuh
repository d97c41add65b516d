// From the sums of a warp group to C. A lane holds, of every 8 columns, two neighbours of row lane / 4 and of the row 8 further
// down; its warp's rows begin at 16 * warp (PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16").

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

constexpr int BOX_BYTES = 64 * OUT_COLUMNS * 2;

// 64 rows through shared memory, a box of OUT_COLUMNS columns after another. `boxes` are those of this warp group.
#if BATCHED
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& slot, int group,
                                          int row, int column, int batch) {
#else
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& slot, int group,
                                          int row, int column) {
#endif
  const int thread = threadIdx.x % 128, lane = thread % 32;
  const int boxRow = thread / 32 * 16 + lane % 16;
  constexpr int chunks = OUT_COLUMNS / 8;  // of 16 bytes, that rows of a box exchange
  const int turn = chunks == 8 ? boxRow % 8 : boxRow / 2 % 4;
  const uint32_t rowAddress = boxRow * OUT_COLUMNS * 2;
  #pragma unroll
  for (int box = 0; box < BN / OUT_COLUMNS; ++box) {
    const uint32_t place = boxes + slot * BOX_BYTES;
    if (thread == 0) waitForStores<OUT_BUFFERS - 1>();
    syncThreads(1 + group, 128);
    #pragma unroll
    for (int chunk = 0; chunk < chunks; chunk += 2) {
      const float* d = &sums[(box * chunks + chunk) * 4];
      storeMatrices(place + rowAddress + ((chunk + lane / 16) ^ turn) * 16, packed(d[0], d[1]), packed(d[2], d[3]),
                    packed(d[4], d[5]), packed(d[6], d[7]));
    }
    showToStores();
    syncThreads(1 + group, 128);
    if (thread == 0) {
#if BATCHED
      storeBox(map, place, column + box * OUT_COLUMNS, row, batch);
#else
      storeBox(map, place, column + box * OUT_COLUMNS, row);
#endif
      commitStores();
    }
    slot = slot + 1 == OUT_BUFFERS ? 0 : slot + 1;
  }
}
#else
// 64 rows from registers: lanes beside each other store pairs of columns.
#if BETA
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], Output* C, int ldc, int M, int N, int row, int column,
                                          float beta) {
#else
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], Output* C, int ldc, int M, int N, int row, int column) {
#endif
  const int thread = threadIdx.x % 128, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * 16 + lane / 4 + half * 8;
    if (m >= M) continue;
    Output* line = C + static_cast<long long>(m) * ldc;
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
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
      if (n < N) {
#if BETA
        low += beta * static_cast<float>(line[n]);
#endif
        line[n] = Output(low);
      }
      if (n + 1 < N) {
#if BETA
        high += beta * static_cast<float>(line[n + 1]);
#endif
        line[n + 1] = Output(high);
      }
#endif
    }
  }
}
#endif
