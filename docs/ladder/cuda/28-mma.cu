// mma GEMM, bf16, f32 accumulation: C = A * B
//
// Each CTA (thread block) computes 128 x 128 tiles of C.
// - No warp specialization: thread 0 of the only warp group loads 64-deep tiles of A and B with
//   TMA. The tiles fill a 2-stage shared-memory ring buffer (software pipelining, 128-byte XOR
//   swizzle). An mbarrier per stage signals the arrival of its tiles; __syncthreads releases a
//   stage.
// - All 128 threads compute one tile: each warp loads fragments with ldmatrix and multiplies 16 of
//   every 64 rows with mma m16n8k16.
// - Epilogue: accumulators are staged in shared memory as 16 x 64 boxes and written by TMA store.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: elements outside the matrices are loaded as
// zeros and not stored.
// Requires lda % 8 == 0, ldb % 8 == 0, ldc % 8 == 0 and pointers with an alignment of 16 bytes (as
// from cudaMalloc).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k.
//
// Launch for 4096 x 4096 x 4096: grid 1024, block 128, 73,744 B of dynamic shared memory.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c FILE.cu
// Call: gemm_mma_launch(M, N, K, A, lda, B, ldb, C, ldc, stream);

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

constexpr int BM = 128;            // rows of C per tile
constexpr int BN = 128;            // columns of C per tile
constexpr int BK = 64;             // K extent of the shared-memory tiles
constexpr int ELEMENT_BYTES = 2;   // bytes per element of A and B
constexpr int STAGES = 2;          // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int THREADS = 128;       // threads per block: one warp group
constexpr int CLUSTER_M = 1;       // CTAs per cluster along M, which share B tiles
constexpr int CLUSTER_N = 1;       // CTAs per cluster along N, which share A tiles
constexpr int RASTER_GROUP = 1;    // cluster tiles along M per raster group
constexpr int STORE_BUFFERS = 1;   // TMA store boxes in shared memory per warp
constexpr int STORE_COLUMNS = 64;  // columns of C per TMA store box

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

// Make mbarrier initialization visible to the async proxy and to the cluster.
__device__ __forceinline__ void fenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// TMA: asynchronous copies of boxes between global and shared memory (PTX ISA,
// "cp.async.bulk.tensor"), described by tensor maps. Elements outside the matrix are loaded as
// zeros and never stored.

__device__ __forceinline__ void prefetchTensorMap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Load the box that starts at (x, y); x is the coordinate along the contiguous dimension. `barrier`
// counts the bytes that arrive.
__device__ __forceinline__ void tmaLoad(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y) : "memory");
}

// Store a box from shared to global memory.
__device__ __forceinline__ void tmaStore(const CUtensorMap& map, uint32_t from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(from), "r"(x),
               "r"(y) : "memory");
}

__device__ __forceinline__ void tmaStoreCommit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Wait until at most `pending` store groups of this thread still read shared memory.
template <int pending>
__device__ __forceinline__ void tmaStoreWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// Order prior accesses of this thread to shared memory before later accesses through the async proxy,
// that is, by TMA.
__device__ __forceinline__ void fenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

constexpr int WARP_GROUP = 128;  // threads per warp group: four warps
constexpr int GROUP_ROWS = 64;   // rows of C that the warps compute with one instruction each

// Tile scheduler. A cluster tile is CLUSTER_M x CLUSTER_N tiles of C. Clusters traverse C
// column by column, in groups of RASTER_GROUP rows of cluster tiles. Concurrent clusters thus reuse
// tiles of A and B from the L2 cache.

struct Tile {
  int m, n;  // first row and column in C
};

struct TileScheduler {
  int clusterRows, clusterColumns;  // extents of C in cluster tiles
  int total;

  __device__ TileScheduler(int M, int N)
      : clusterRows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)), total(clusterRows * clusterColumns) {}

  // Return the tile of CTA (blockM, blockN) within cluster tile `index`.
  __device__ Tile at(int index, int blockM, int blockN) const {
    const int group = index / (RASTER_GROUP * clusterColumns);
    const int inGroup = index - group * RASTER_GROUP * clusterColumns;
    const int groupRows = min(RASTER_GROUP, clusterRows - group * RASTER_GROUP);
    const int m = group * RASTER_GROUP + inGroup % groupRows, n = inGroup / groupRows;
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN};
  }
};

// mma.sync 16 x 8 x 16: d += A * B, with the fragments of A and B in registers.
__device__ __forceinline__ void mma(float* d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Epilogue: write the accumulators to C. In every 8 columns, each lane holds two adjacent columns of
// rows lane/4 and lane/4 + 8. Each warp owns 16 of every 64 rows (PTX ISA, "Matrix Fragments for
// mma.m16n8k16").

constexpr int M_INSTRUCTIONS = BM / GROUP_ROWS;  // instructions along M per warp
constexpr int WARP_ROWS = 16;                    // rows of an mma instruction

// Convert two accumulators to two adjacent elements of C.
__device__ __forceinline__ uint32_t packPair(float low, float high) {
  uint32_t out;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
  return out;
}

// stmatrix: store four 8 x 8 matrices; lane i supplies the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void stmatrix4(uint32_t address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

constexpr int BOX_ROWS = WARP_ROWS;  // each warp has its own box
constexpr int BOX_BYTES = BOX_ROWS * STORE_COLUMNS * 2;  // bytes per TMA store box

// Stage 64 rows in shared memory and store them with TMA. Each warp stores 16 rows in boxes of
// STORE_COLUMNS columns; `boxes` is the address of its box buffers. If STORE_COLUMNS does not
// divide BN, the last box ends at the tile's edge and overlaps the preceding box.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& buffer, int row,
                                          int column) {
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
      tmaStore(map, address, column + first, row + warp * WARP_ROWS);
      tmaStoreCommit();
    }
    buffer = buffer + 1 == STORE_BUFFERS ? 0 : buffer + 1;
  }
}

// Main kernel without warp specialization: all 128 threads of the block multiply. Thread 0 also
// issues the TMA loads, which fill a ring buffer of STAGES tile pairs. Each stage has an mbarrier
// `full` (the TMA bytes have arrived). __syncthreads releases a stage after all warps have loaded
// their fragments from it.

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // bytes per K-major row of a tile
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
constexpr int K_STEP_BYTES = 32;                   // K extent of one mma instruction, in bytes
constexpr int K_STEPS = ROW_BYTES / K_STEP_BYTES;  // mma instructions along K per tile
constexpr int WARPS = THREADS / 32;

// B is N-major: its tile is stored as panels of BK rows; each row is one swizzle width.
constexpr int PANEL_BYTES_B = 128, PANEL_SIDE_B = PANEL_BYTES_B / ELEMENT_BYTES;
constexpr int MMA_K = 16;  // K extent of one mma instruction, in elements

// Fragments. ldmatrix loads four matrices of 8 rows x 16 bytes; lane i supplies the address of row
// i % 8 of matrix i / 8.
__device__ __forceinline__ void ldmatrix4(uint32_t (&d)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}

// Load four matrices of 8 x 8 elements and transpose them, for tiles whose rows have one k each.
__device__ __forceinline__ void ldmatrix4Transposed(uint32_t (&d)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(address) : "memory");
}

// Address of a 16-byte chunk in rows of `rowBytes`. TMA permutes the 8 chunks of 128-byte rows, and
// the 4 chunks of 64-byte rows (XOR swizzle), so that the 8 rows of a matrix are in different banks.
template <int rowBytes>
__device__ __forceinline__ uint32_t chunkAddress(uint32_t tile, int row, int chunk) {
  return tile + row * rowBytes + (chunk ^ (rowBytes == 128 ? row % 8 : row / 2 % 4)) * 16;
}

// Load the fragment of A of this warp: 16 rows of the m-th 64 rows of the tile.
__device__ __forceinline__ void loadA(uint32_t (&fragment)[4], uint32_t tile, int m, int kStep) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  ldmatrix4(fragment, chunkAddress<ROW_BYTES>(tile, m * GROUP_ROWS + warp * WARP_ROWS + lane % 16, kStep * 2 + lane / 16));
}

// Load the fragments of B of columns 16 n to 16 n + 15: two registers per 8 columns.
__device__ __forceinline__ void loadB(uint32_t (&fragments)[4], uint32_t tile, int n, int kStep) {
  const int lane = threadIdx.x % 32;
  // A panel has PANEL_SIDE_B columns of B. Its rows in shared memory have one k each.
  const uint32_t panel = tile + n * 16 / PANEL_SIDE_B * (BK * PANEL_BYTES_B);
  ldmatrix4Transposed(fragments, chunkAddress<PANEL_BYTES_B>(panel, kStep * MMA_K + lane % 16,
                                                             n * 16 % PANEL_SIDE_B / 8 + lane / 16));
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_mma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
         const __grid_constant__ CUtensorMap mapC,
         int M, int N, int K) {
  // Tiles with a 128-byte swizzle must start at multiples of 1,024 bytes.
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
  const uint32_t Cs = Bs + STAGES * B_BYTES;
  const uint32_t full = Cs + WARPS * STORE_BUFFERS * BOX_BYTES;
  const int kIterations = (K + BK - 1) / BK;

  // Prologue: one thread initializes the mbarriers.
  if (threadIdx.x == 0) {
    prefetchTensorMap(mapA);
    prefetchTensorMap(mapB);
    prefetchTensorMap(mapC);
    for (int i = 0; i < STAGES; ++i) initBarrier(full + i * BARRIER_BYTES, 1);  // one arrival: arriveExpectBytes
    fenceBarrierInit();
  }
  __syncthreads();

  const TileScheduler tiles(M, N);
  const Tile tile = tiles.at(blockIdx.x, 0, 0);
  // Load the tiles of one k-iteration; called by one thread.
  const auto load = [&](int iteration, int stage) {
    const int k = iteration * BK;
    const uint32_t barrier = full + stage * BARRIER_BYTES;
    arriveExpectBytes(barrier, A_BYTES + B_BYTES);
    const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
    tmaLoad(a, mapA, barrier, k, tile.m);
    for (int panel = 0; panel < BN / PANEL_SIDE_B; ++panel) {
      tmaLoad(b + panel * (BK * PANEL_BYTES_B), mapB, barrier, tile.n + panel * PANEL_SIDE_B, k);
    }
  };

  // Fill the ring buffer. New stages are free, so no wait is needed.
  if (threadIdx.x == 0) {
    for (int i = 0; i < min(STAGES, kIterations); ++i) load(i, i);
  }

  // Warp w computes rows 16 w to 16 w + 15 of every 64 rows, and all columns.
  float acc[M_INSTRUCTIONS][BN / 2] = {};  // BM x BN accumulators, BN / 2 per thread and 64 rows
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
      for (int n = 0; n < BN / 16; ++n) {
        uint32_t fragmentsB[4];
        loadB(fragmentsB, b, n, kStep);
        #pragma unroll
        for (int m = 0; m < M_INSTRUCTIONS; ++m) {
          mma(&acc[m][n * 8], fragmentsA[m], fragmentsB[0], fragmentsB[1]);
          mma(&acc[m][n * 8 + 4], fragmentsA[m], fragmentsB[2], fragmentsB[3]);
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

  // Epilogue: write the accumulators to C.
  int storeBuffer = 0;
  const uint32_t boxes = Cs + threadIdx.x / 32 * STORE_BUFFERS * BOX_BYTES;
  #pragma unroll
  for (int m = 0; m < M_INSTRUCTIONS; ++m) {
    const int row = tile.m + m * GROUP_ROWS;
    storeTile(acc[m], mapC, boxes, storeBuffer, row, tile.n);
  }
  // Shared memory must remain valid until TMA has read the last boxes.
  if (threadIdx.x % 32 == 0) tmaStoreWaitRead<0>();
}

#ifndef __CUDACC_RTC__
// Encodes a tensor map of `batch` matrices; strides are in bytes. TMA accesses the matrices in
// boxes of boxInner x boxOuter elements.
inline cudaError_t makeTensorMap(CUtensorMap* map, CUtensorMapDataType type, const void* matrix, uint64_t inner, uint64_t outer,
                                 uint64_t stride, uint64_t batch, uint64_t batchStride, uint32_t boxInner, uint32_t boxOuter,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, int rank) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
#else
  cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess) return error;
  if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
  const cuuint64_t sizes[] = {inner, outer, batch}, strides[] = {stride, batchStride};
  const cuuint32_t box[] = {boxInner, boxOuter, 1}, steps[] = {1, 1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
      map, type, rank, const_cast<void*>(matrix), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

// Encodes the tensor maps and launches one CTA per tile.
inline cudaError_t gemm_mma_launch(int M, int N, int K,
                                   const __nv_bfloat16* A, int lda, const __nv_bfloat16* B, int ldb,
                                   __nv_bfloat16* C, int ldc,
                                   cudaStream_t stream) {
  CUtensorMap mapA, mapB, mapC;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, A, K, M, uint64_t(lda) * ELEMENT_BYTES,
                                        /*batch*/ 1, /*batchStride*/ 0, BK, BM, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, B, N, K, uint64_t(ldb) * ELEMENT_BYTES,
                                        /*batch*/ 1, /*batchStride*/ 0, PANEL_SIDE_B, BK, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapC, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, C, N, M, uint64_t(ldc) * sizeof(*C),
                                        /*batch*/ 1, /*batchStride*/ 0, STORE_COLUMNS, BOX_ROWS, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  constexpr int sharedBytes = 73744;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int tiles = rows * columns;
  const int blocks = tiles;
  gemm_mma<<<blocks, THREADS, sharedBytes, stream>>>(mapA, mapB, mapC, M, N, K);
  return cudaGetLastError();
}
#endif

// Spec key: gemm-bf16-mma-4096x4096x4096-rrr-128x128x64-s2-tma-1
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":64},"stages":2,"raster":{"order":"row","group":1},"cluster":{"m":1,"n":1},"consumers":1,"kernelSchedule":"tma"},"device":"h200","targets":["cuda"],"grid":[1024],"block":[128],"args":["tensorMapA","tensorMapB","tensorMapC","m","n","k"],"dynamicSharedBytes":73744,"tensorMaps":{"a":{"box":[64,128],"swizzleBytes":128},"b":{"box":[64,64],"swizzleBytes":128},"c":{"box":[64,16],"swizzleBytes":128}}}
// @gemm-generated v1 sha256=f796027b6cb8bcb45bce0fdf0f8f36311bdca6109ae8edf85a7fc8d10d568eb3
