// wgmma GEMM, f16, f32 accumulation: C = alpha * A * B + beta * C
//
// Each CTA (thread block) computes one K slice of 64 x 32 tiles of Ct.
// - Swap-AB: the kernel computes the transposed product Ct = Bt * At. Its A is the caller's B, its
//   M is the caller's N, and its rows are columns of C.
// - Warp specialization: a producer warp group loads 64-deep tiles of A and B with TMA. The tiles
//   fill an 8-stage shared-memory ring buffer (software pipelining, 128-byte XOR swizzle).
//   Mbarriers synchronize the producer with the consumers.
// - One consumer warp group computes the tiles with wgmma m64n32k16.
// - Split-K: K is partitioned into 3 slices of 384; each slice of a tile is a separate work item.
//   FP32 partial results go to a workspace; gemm_wgmma_reduce reduces them.
// - Epilogue: partial results are stored to the workspace directly from registers.
// - Persistent kernel: one CTA per SM; clusters loop over the K slices of the tiles of C.
// - Rasterization in groups of 32 rows of cluster tiles: concurrent clusters reuse tiles of A and B
//   from the L2 cache.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: elements outside the matrices are loaded as
// zeros and not stored.
// Batch entry i of a matrix starts at i times its batch stride.
// Each K slice requires a k-iteration: ceil(K / 64) > 2 * ceil(K / 192).
// TMA requires strides that are multiples of 16 bytes: a pre-pass kernel repacks A and B into the
// workspace with a padded leading dimension.
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k within a K slice, then adds the slices in ascending
// order.
//
// Launch for 129 x 77 x 1001, batch 2: grid 60, block 256, 98,432 B of dynamic shared memory.
// Workspace: 1,279,288 B for repacked copies and partial results; it need not be initialized.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c FILE.cu
// Call: gemm_wgmma_launch(M, N, K, batch, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, workspace, stream);

#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>

using Output = float;  // element type of the partial results

constexpr int BM = 64;             // rows of C per tile
constexpr int BN = 32;             // columns of C per tile and per wgmma instruction
constexpr int BK = 64;             // K extent of the shared-memory tiles
constexpr int ELEMENT_BYTES = 2;   // bytes per element of A and B
constexpr int STAGES = 8;          // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int CONSUMERS = 1;       // consumer warp groups
constexpr int THREADS = 256;       // threads per block: one producer warp group plus the consumers
constexpr int CLUSTER_M = 1;       // CTAs per cluster along M, which share B tiles
constexpr int CLUSTER_N = 1;       // CTAs per cluster along N, which share A tiles
constexpr int SPLIT_K = 3;         // split-K slices, which a second kernel reduces
constexpr int RASTER_GROUP = 32;   // cluster tiles along M per raster group
constexpr int EMPTY_ARRIVALS = 1;  // arrival count of each "empty" mbarrier

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

__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
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
__device__ __forceinline__ void tmaLoad(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
}

// wgmma (PTX ISA, "wgmma"): the 128 threads of a warp group multiply two tiles in shared memory.

constexpr int WARP_GROUP = 128;  // threads per warp group
constexpr int WGMMA_M = 64;      // rows of C per wgmma instruction

// Shared-memory matrix descriptor (PTX ISA, "Matrix descriptor"). Addresses and offsets are in
// units of 16 bytes:
//   bits  0-13  start address
//   bits 16-29  leading byte offset: to the next panel along M or N; unused if K-major
//   bits 32-45  stride byte offset: to the next 8 rows
//   bits 62-63  swizzle mode: 1 for 128 bytes, 2 for 64 bytes
__device__ __forceinline__ uint64_t matrixDescriptor(uint32_t address, int leadingBytes, int strideBytes, int swizzleBytes) {
  // The mask keeps the 18 address bits of shared memory.
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(leadingBytes >> 4) << 16 | uint64_t(strideBytes >> 4) << 32 |
         uint64_t(swizzleBytes == 128 ? 1 : 2) << 62;
}

// wgmma.fence: required before the first wgmma and after modifying accumulator registers.
__device__ __forceinline__ void wgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// Commit the current wgmma group (wgmma.commit_group).
__device__ __forceinline__ void wgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Wait until at most `pending` wgmma groups are in flight.
template <int pending>
__device__ __forceinline__ void wgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Tile scheduler. A cluster tile is CLUSTER_M x CLUSTER_N tiles of C. Clusters traverse C
// column by column, in groups of RASTER_GROUP rows of cluster tiles. Concurrent clusters thus reuse
// tiles of A and B from the L2 cache.

struct Tile {
  int m, n, batch, slice;  // first row and column in C, the batch entry, and the slice of K
};

struct TileScheduler {
  int clusterRows, clusterColumns;  // extents of C in cluster tiles
  int total;

  __device__ TileScheduler(int M, int N, int batch)
      : clusterRows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
        clusterColumns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(clusterRows * clusterColumns * batch * SPLIT_K) {}

  // Return the tile of CTA (blockM, blockN) within cluster tile `index`. All tiles of a slice of K
  // precede those of the next slice, so concurrent clusters read the same slice of A and B.
  __device__ Tile at(int index, int blockM, int blockN) const {
    const int part = index / (clusterRows * clusterColumns);  // slice of a batch entry
    index -= part * clusterRows * clusterColumns;
    const int group = index / (RASTER_GROUP * clusterColumns);
    const int inGroup = index - group * RASTER_GROUP * clusterColumns;
    const int groupRows = min(RASTER_GROUP, clusterRows - group * RASTER_GROUP);
    const int m = group * RASTER_GROUP + inGroup % groupRows, n = inGroup / groupRows;
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN, part / SPLIT_K, part % SPLIT_K};
  }
};

// wgmma 64 x 32 x 16: d = A * B + (accumulate ? d : 0), with A and B in shared memory.
// Immediates after the predicate: the scales of A and B, and whether A and B are transposed
// (1: M- or N-major).
__device__ __forceinline__ void wgmma(float (&d)[BN / 2], uint64_t a, uint64_t b, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %18, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15}, "
      "%16, %17, accumulate, 1, 1, 1, 0;\n"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
        "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
      : "l"(a), "l"(b), "r"(accumulate));
}

// Epilogue: write a warp group's accumulators to the workspace. In every 8 columns, each lane holds
// two adjacent columns of rows lane/4 and lane/4 + 8. Each warp owns 16 of the 64 rows (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16").

constexpr int ROWS_PER_CONSUMER = BM / CONSUMERS;
constexpr int M_INSTRUCTIONS = ROWS_PER_CONSUMER / WGMMA_M;  // instructions along M per consumer
constexpr int WARP_ROWS = 16;                                // rows of a wgmma instruction per warp

// Store 64 rows of a slice's partial result directly from registers. It has no padding and is
// column-major like C: 8 lanes write 8 adjacent rows.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], Output* partial, int M, int N, int row, int column) {
  const int thread = threadIdx.x % WARP_GROUP, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * WARP_ROWS + lane / 4 + half * 8;
    if (m >= M) continue;
    Output* line = partial + m;  // columns have a stride of M elements
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
      const int n = column + block * 8 + lane % 4 * 2;
      float low = acc[block * 4 + half * 2], high = acc[block * 4 + half * 2 + 1];
      Output *first = line + static_cast<long long>(n) * M, *second = first + M;
      if (n < N) {
        *first = Output(low);
      }
      if (n + 1 < N) {
        *second = Output(high);
      }
    }
  }
}

// Main kernel. Warp specialization: warp group 0 is the producer, which fills a ring buffer of
// STAGES tile pairs with TMA. The other warp groups are consumers, which multiply the tiles with
// wgmma. Each stage has two mbarriers: `full` (the TMA bytes have arrived) and `empty` (all
// consumers of the stage have read it).

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // bytes per K-major row of a tile
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
constexpr int K_STEP_BYTES = 32;                   // K extent of one wgmma instruction, in bytes
constexpr int K_STEPS = ROW_BYTES / K_STEP_BYTES;  // wgmma instructions along K per tile
constexpr unsigned ALL_LANES = 0xffffffff;

// A is M-major: its tile is stored as panels of BK rows; each row is one swizzle width.
constexpr int PANEL_BYTES_A = 128, PANEL_SIDE_A = PANEL_BYTES_A / ELEMENT_BYTES;
constexpr int WGMMA_K = 16;  // K extent of one wgmma instruction, in elements
// Descriptor offsets in units of 16 bytes: to the next 64 rows of A, and to the next k-step.
constexpr int NEXT_ROWS_A = BK * PANEL_BYTES_A / 16, NEXT_K_A = WGMMA_K * PANEL_BYTES_A / 16, NEXT_K_B = K_STEP_BYTES / 16;
// Matrix descriptors of the tiles of a stage; the swizzle pattern repeats every 8 rows.
__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return matrixDescriptor(address, 0, 8 * PANEL_BYTES_A, PANEL_BYTES_A); }
__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return matrixDescriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
           float* workspace,
           int M, int N, int K, int batch) {
  // Tiles with a 128-byte swizzle must start at multiples of 1,024 bytes.
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
  const uint32_t full = Bs + STAGES * B_BYTES;
  const uint32_t empty = full + STAGES * BARRIER_BYTES;

  // Broadcasting from lane 0 makes the value provably warp-uniform, so that the compiler keeps it
  // in a uniform register.
  const int warpGroup = __shfl_sync(ALL_LANES, threadIdx.x / WARP_GROUP, 0);
  constexpr int blockM = 0, blockN = 0;
  const int cluster = blockIdx.x, clusters = gridDim.x;
  const TileScheduler tiles(M, N, batch);
  // The last slice of K may have fewer k-iterations than the others.
  const int allIterations = (K + BK - 1) / BK, sliceIterations = (allIterations + SPLIT_K - 1) / SPLIT_K;

  // Prologue: one thread initializes the mbarriers.
  if (threadIdx.x == 0) {
    prefetchTensorMap(mapA);
    prefetchTensorMap(mapB);
    for (int stage = 0; stage < STAGES; ++stage) {
      initBarrier(full + stage * BARRIER_BYTES, 1);  // one arrival: arriveExpectBytes
      initBarrier(empty + stage * BARRIER_BYTES, EMPTY_ARRIVALS);
    }
    fenceBarrierInit();
  }
  __syncthreads();

  if (warpGroup == 0) {
    // Producer: one thread issues all TMA loads.
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
        const int firstIteration = tile.slice * sliceIterations;
        const int lastIteration = min(firstIteration + sliceIterations, allIterations);
        for (int k = firstIteration * BK; k < lastIteration * BK; k += BK) {
          // Wait until `empty` has completed the phase before `phase`. A new mbarrier is in phase 0,
          // and the phase before it counts as complete, so the first pass does not block.
          waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
          const uint32_t barrier = full + stage * BARRIER_BYTES;
          arriveExpectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          for (int panel = 0; panel < BM / PANEL_SIDE_A; ++panel) {
            tmaLoad(a + panel * (BK * PANEL_BYTES_A), mapA, barrier, tile.m + panel * PANEL_SIDE_A, k, tile.batch);
          }
          tmaLoad(b, mapB, barrier, k, tile.n, tile.batch);
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
    }
  } else {
    // Consumers: multiply the staged tiles and store C.
    const int consumer = warpGroup - 1;
    const int thread = threadIdx.x % WARP_GROUP;
    const bool releases = thread == 0;
    const uint32_t emptyBarriers = empty;
    const uint32_t rowsA = As + consumer * ROWS_PER_CONSUMER * ROW_BYTES;
    int stage = 0;
    uint32_t phase = 0;
    for (int index = cluster; index < tiles.total; index += clusters) {
      const Tile tile = tiles.at(index, blockM, blockN);
      const int kIterations = min(sliceIterations, allIterations - tile.slice * sliceIterations);
      float acc[M_INSTRUCTIONS][BN / 2];  // 64 x BN accumulators, BN / 2 per thread and instruction
      int previousStage = stage;
      for (int iteration = 0; iteration < kIterations; ++iteration) {
        waitBarrier(full + stage * BARRIER_BYTES, phase);
        const uint64_t a = descriptorA(rowsA + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
        wgmmaFence();
        #pragma unroll
        for (int kStep = 0; kStep < K_STEPS; ++kStep) {
          #pragma unroll
          for (int m = 0; m < M_INSTRUCTIONS; ++m) {
            // The first wgmma overwrites the accumulators; later wgmma instructions add to them.
            wgmma(acc[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, iteration + kStep > 0);
          }
        }
        wgmmaCommit();
        // Wait for the previous k-iteration and release its stage; one wgmma group stays in flight.
        wgmmaWait<1>();
        if (iteration > 0 && releases) arrive(emptyBarriers + previousStage * BARRIER_BYTES);
        previousStage = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
      wgmmaWait<0>();
      if (releases) arrive(emptyBarriers + previousStage * BARRIER_BYTES);

      // Epilogue: write the accumulators to the workspace.
      // The repacked copies precede the partial results in the workspace.
      const long long copied = 1ll * batch * K * ((M + 63) / 64 * 32) + 1ll * batch * N * ((K + 63) / 64 * 32);
      float* partial = workspace + copied + (static_cast<long long>(tile.batch) * SPLIT_K + tile.slice) * M * N;
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
        const int row = tile.m + consumer * ROWS_PER_CONSUMER + m * WGMMA_M;
        storeTile(acc[m], partial, M, N, row, tile.n);
      }
    }
  }
}

constexpr int COPY_THREADS = 256;  // threads per block of the pre-pass kernels
constexpr int LD_UNIT = 64;        // elements per 128-byte cache line, the alignment of repacked rows
constexpr int A_ROW_THREADS = 32;  // threads per row of A in its repacking kernel
constexpr int COPY_WORDS = 4;      // words per thread of the repacking kernels
constexpr int A_WORD = 2;          // elements per 4-byte word

// Vectorized copy of 2 elements in one 4-byte access; both addresses must be 4-byte aligned.
__device__ __forceinline__ void copy2(__half* to, const __half* from) {
  *reinterpret_cast<int*>(to) = *reinterpret_cast<const int*>(from);
}

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
gemm_wgmma_repack_a(int M, int K,
                    const __half* __restrict__ A, int lda, int strideA,
                    __half* __restrict__ workspace) {
  const int offsetA = blockIdx.z * strideA;
  const int line = blockIdx.x * (COPY_THREADS / A_ROW_THREADS) + threadIdx.x / A_ROW_THREADS;
  const int start = blockIdx.y * COPY_WORDS * A_ROW_THREADS + threadIdx.x % A_ROW_THREADS;
  // All loads precede the stores, so that many of them are in flight.
  alignas(4) __half v[COPY_WORDS * A_WORD] = {};
  #pragma unroll
  for (int step = 0; step < COPY_WORDS; ++step) {
    const int element = (start + step * A_ROW_THREADS) * A_WORD;
    #pragma unroll
    for (int i = 0; i < A_WORD; ++i) {
      if (line < K && element + i < M) {
        v[step * A_WORD + i] = A[offsetA + line * lda + element + i];
      }
    }
  }
  #pragma unroll
  for (int step = 0; step < COPY_WORDS; ++step) {
    const int element = (start + step * A_ROW_THREADS) * A_WORD;
    if (line < K && element < M) {
      copy2(&workspace[(blockIdx.z * K + line) * ((M + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element], &v[step * A_WORD]);
    }
  }
}

constexpr int B_ROW_THREADS = 128;  // threads per row of B in its repacking kernel
constexpr int B_WORD = 2;           // elements per 4-byte word

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
gemm_wgmma_repack_b(int M, int N, int K, int batch,
                    const __half* __restrict__ B, int ldb, int strideB,
                    __half* __restrict__ workspace) {
  const int offsetB = blockIdx.z * strideB;
  const int first = batch * K * ((M + LD_UNIT - 1) / LD_UNIT * LD_UNIT);
  const int line = blockIdx.x * (COPY_THREADS / B_ROW_THREADS) + threadIdx.x / B_ROW_THREADS;
  const int start = blockIdx.y * COPY_WORDS * B_ROW_THREADS + threadIdx.x % B_ROW_THREADS;
  // All loads precede the stores, so that many of them are in flight.
  alignas(4) __half v[COPY_WORDS * B_WORD] = {};
  #pragma unroll
  for (int step = 0; step < COPY_WORDS; ++step) {
    const int element = (start + step * B_ROW_THREADS) * B_WORD;
    #pragma unroll
    for (int i = 0; i < B_WORD; ++i) {
      if (line < N && element + i < K) {
        v[step * B_WORD + i] = B[offsetB + line * ldb + element + i];
      }
    }
  }
  #pragma unroll
  for (int step = 0; step < COPY_WORDS; ++step) {
    const int element = (start + step * B_ROW_THREADS) * B_WORD;
    if (line < N && element < K) {
      copy2(&workspace[first + (blockIdx.z * N + line) * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element], &v[step * B_WORD]);
    }
  }
}

constexpr int RM = 32;  // rows of C per block of the reduction kernel
constexpr int RN = 8;   // columns of C per block of the reduction kernel

extern "C" __global__ void __launch_bounds__(RM * RN)
gemm_wgmma_reduce(int M, int N, int K, int batch, float alpha,
                  const float* __restrict__ workspace,
                  float beta, __half* __restrict__ C, int ldc, int strideC) {
  // The repacked copies precede the partial results in the workspace.
  const int partialStart = batch * K * ((M + LD_UNIT - 1) / LD_UNIT) * 32 + batch * N * ((K + LD_UNIT - 1) / LD_UNIT) * 32;
  const int offsetC = blockIdx.z * strideC;
  const int row = blockIdx.x * RM + threadIdx.x;
  const int col = blockIdx.y * RN + threadIdx.y;
  if (row < M && col < N) {
    float acc = 0.0f;
    #pragma unroll
    for (int s = 0; s < SPLIT_K; ++s) {
      acc += workspace[partialStart + ((blockIdx.z * SPLIT_K + s) * N + col) * M + row];
    }
    C[offsetC + col * ldc + row] = __float2half(alpha * acc + beta * __half2float(C[offsetC + col * ldc + row]));
  }
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

// Encodes the tensor maps and launches the persistent kernel with as many CTAs as can be resident,
// but at most one per slice of a tile. The reduction kernel follows.
// Pre-pass: copy each operand whose layout TMA or wgmma does not support into the workspace.
inline cudaError_t gemm_wgmma_launch_transposed(int M, int N, int K, int batch, float alpha,
                                                const __half* A, int lda, long long strideA, const __half* B, int ldb, long long strideB,
                                                float beta, __half* C, int ldc, long long strideC,
                                                __half* workspace,
                                                cudaStream_t stream) {
  CUtensorMap mapA, mapB;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, workspace, M, K, uint64_t((M + 63) / 64 * 64) * ELEMENT_BYTES,
                                        batch, uint64_t(K) * ((M + 63) / 64 * 64) * ELEMENT_BYTES, PANEL_SIDE_A, BK, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 3)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, workspace + size_t{1} * batch * K * ((M + 63) / 64 * 64), K, N, uint64_t((K + 63) / 64 * 64) * ELEMENT_BYTES,
                                        batch, uint64_t(N) * ((K + 63) / 64 * 64) * ELEMENT_BYTES, BK, BN, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 3)) {
    return error;
  }
  gemm_wgmma_repack_a<<<dim3((K + (COPY_THREADS / A_ROW_THREADS) - 1) / (COPY_THREADS / A_ROW_THREADS), (M + (A_ROW_THREADS * COPY_WORDS * A_WORD) - 1) / (A_ROW_THREADS * COPY_WORDS * A_WORD), batch), COPY_THREADS, 0, stream>>>(M, K, A, lda, strideA, workspace);
  gemm_wgmma_repack_b<<<dim3((N + (COPY_THREADS / B_ROW_THREADS) - 1) / (COPY_THREADS / B_ROW_THREADS), (K + (B_ROW_THREADS * COPY_WORDS * B_WORD) - 1) / (B_ROW_THREADS * COPY_WORDS * B_WORD), batch), COPY_THREADS, 0, stream>>>(M, N, K, batch, B, ldb, strideB, workspace);
  constexpr int sharedBytes = 98432;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int tiles = rows * columns * batch * SPLIT_K;
  int device, sms;
  if (cudaError_t error = cudaGetDevice(&device)) return error;
  if (cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) return error;
  const int blocks = tiles < sms ? tiles : sms;
  gemm_wgmma<<<blocks, THREADS, sharedBytes, stream>>>(mapA, mapB, reinterpret_cast<float*>(workspace), M, N, K, batch);
  const dim3 elements((M + RM - 1) / RM, (N + RN - 1) / RN, batch);
  gemm_wgmma_reduce<<<elements, dim3(RM, RN), 0, stream>>>(M, N, K, batch, alpha, reinterpret_cast<float*>(workspace), beta, C, ldc, strideC);
  return cudaGetLastError();
}

// Swap-AB: computes C = A * B as Ct = Bt * At by exchanging A with B and M with N.
inline cudaError_t gemm_wgmma_launch(int M, int N, int K, int batch, float alpha,
                                     const __half* A, int lda, long long strideA, const __half* B, int ldb, long long strideB,
                                     float beta, __half* C, int ldc, long long strideC,
                                     __half* workspace,
                                     cudaStream_t stream) {
  return gemm_wgmma_launch_transposed(N, M, K, batch, alpha, B, ldb, strideB, A, lda, strideA, beta, C, ldc, strideC, workspace, stream);
}
#endif

// Spec key: gemm-f16-wgmma-129x77x1001-rrr-32x64x64-s8-coop-1-ba-col32-82f1c636
// @gemm {"entry":"gemm_wgmma","version":1,"problem":{"m":129,"n":77,"k":1001,"batch":2,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"row"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"wgmma","block":{"m":32,"n":64,"k":64},"stages":8,"raster":{"order":"col","group":32},"splitK":3,"splitKReduction":"two-pass","cluster":{"m":1,"n":1},"consumers":1,"kernelSchedule":"cooperative","operandOrder":"ba"},"device":"h200","targets":["cuda"],"grid":[60],"block":[256],"args":["tensorMapB","tensorMapA","workspace","n","m","k","batch"],"dynamicSharedBytes":98432,"tensorMaps":{"a":{"box":[64,32],"swizzleBytes":128,"workspaceOffset":512512,"ld":1024,"batchStride":132096},"b":{"box":[64,64],"swizzleBytes":128,"workspaceOffset":0,"ld":128,"batchStride":128128}},"before":[{"entry":"gemm_wgmma_repack_a","grid":[126,1,2],"block":[256],"args":["n","k","b","ldb","strideB","workspace"]},{"entry":"gemm_wgmma_repack_b","grid":[65,1,2],"block":[256],"args":["n","m","k","batch","a","lda","strideA","workspace"]}],"after":[{"entry":"gemm_wgmma_reduce","grid":[3,17,2],"block":[32,8],"args":["n","m","k","batch","alpha","workspace","beta","c","ldc","strideC"]}],"workspaceBytes":1279288}
// @gemm-generated v1 sha256=261424bc086be9efe4844bec494a7c55089868122fee186ca089f29028e4aa1a
