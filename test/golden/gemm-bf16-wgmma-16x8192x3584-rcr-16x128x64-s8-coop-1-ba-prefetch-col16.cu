// wgmma GEMM, bf16, f32 accumulation: C = A * B
//
// Each CTA (thread block) computes 128 x 16 tiles of Ct.
// - Swap-AB: the kernel computes the transposed product Ct = Bt * At. Its A is the caller's B, its
//   M is the caller's N, and its rows are columns of C.
// - Warp specialization: a producer warp group loads 64-deep tiles of A and B with TMA. The tiles
//   fill an 8-stage shared-memory ring buffer (software pipelining, 128-byte XOR swizzle).
//   Mbarriers synchronize the producer with the consumers.
// - One consumer warp group computes the tiles with wgmma m64n16k16.
// - Epilogue: accumulators are stored directly from registers.
// - Persistent kernel: one CTA per SM; clusters loop over the tiles of C.
// - Rasterization in groups of 16 rows of cluster tiles: concurrent clusters reuse tiles of A and B
//   from the L2 cache.
// - Programmatic dependent launch with weight prefetch: while the previous kernel ends, each CTA
//   loads the first k-iterations of A into the L2 cache.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// M, N and K need not be multiples of the tile sizes: elements outside the matrices are loaded as
// zeros and not stored.
// Requires lda % 8 == 0, ldb % 8 == 0 and pointers with an alignment of 16 bytes (as from
// cudaMalloc).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k.
//
// Launch for 16 x 8192 x 3584: grid 64, block 256, 147,584 B of dynamic shared memory.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c FILE.cu
// Call: gemm_wgmma_launch(M, N, K, A, lda, B, ldb, C, ldc, stream);

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

using Output = __nv_bfloat16;  // element type of C

constexpr int BM = 128;            // rows of C per tile
constexpr int BN = 16;             // columns of C per tile and per wgmma instruction
constexpr int BK = 64;             // K extent of the shared-memory tiles
constexpr int ELEMENT_BYTES = 2;   // bytes per element of A and B
constexpr int STAGES = 8;          // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int CONSUMERS = 1;       // consumer warp groups
constexpr int THREADS = 256;       // threads per block: one producer warp group plus the consumers
constexpr int PREFETCHED = 4;      // k-iterations whose tiles of A are loaded into the L2 cache in advance
constexpr int CLUSTER_M = 1;       // CTAs per cluster along M, which share B tiles
constexpr int CLUSTER_N = 1;       // CTAs per cluster along N, which share A tiles
constexpr int RASTER_GROUP = 16;   // cluster tiles along M per raster group
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

// Programmatic dependent launch (PTX ISA, "griddepcontrol"). These instructions have no effect in
// an ordinary launch.
__device__ __forceinline__ void launchDependents() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void waitForPriorGrid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

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

// Load a box into the L2 cache only.
__device__ __forceinline__ void tmaPrefetch(const CUtensorMap& map, int x, int y) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(x), "r"(y) : "memory");
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

// wgmma 64 x 16 x 16: d = A * B + (accumulate ? d : 0), with A and B in shared memory.
// Immediates after the predicate: the scales of A and B, and whether A and B are transposed
// (1: M- or N-major).
__device__ __forceinline__ void wgmma(float (&d)[BN / 2], uint64_t a, uint64_t b, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %10, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, "
      "%8, %9, accumulate, 1, 1, 0, 0;\n"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
        "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "l"(a), "l"(b), "r"(accumulate));
}

// Epilogue: write a warp group's accumulators to C. In every 8 columns, each lane holds two
// adjacent columns of rows lane/4 and lane/4 + 8. Each warp owns 16 of the 64 rows (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16").

constexpr int ROWS_PER_CONSUMER = BM / CONSUMERS;
constexpr int M_INSTRUCTIONS = ROWS_PER_CONSUMER / WGMMA_M;  // instructions along M per consumer
constexpr int WARP_ROWS = 16;                                // rows of a wgmma instruction per warp

// Store 64 rows directly from registers: 8 lanes write 8 adjacent rows, which are contiguous in C.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], Output* C, int ldc, int M, int N, int row, int column) {
  const int thread = threadIdx.x % WARP_GROUP, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * WARP_ROWS + lane / 4 + half * 8;
    if (m >= M) continue;
    Output* line = C + m;  // columns have a stride of ldc elements
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
      const int n = column + block * 8 + lane % 4 * 2;
      float low = acc[block * 4 + half * 2], high = acc[block * 4 + half * 2 + 1];
      Output *first = line + static_cast<long long>(n) * ldc, *second = first + ldc;
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

// Descriptor offsets in units of 16 bytes: to the next 64 rows of A, and to the next k-step.
constexpr int NEXT_ROWS_A = WGMMA_M * ROW_BYTES / 16, NEXT_K_A = K_STEP_BYTES / 16, NEXT_K_B = K_STEP_BYTES / 16;
// Matrix descriptors of the tiles of a stage; the swizzle pattern repeats every 8 rows.
__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return matrixDescriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }
__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return matrixDescriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
           __nv_bfloat16* C, int ldc,
           int M, int N, int K) {
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
  const TileScheduler tiles(M, N);
  const int kIterations = (K + BK - 1) / BK;

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
  // While the previous kernel ends, load the first weights into the L2 cache. L2 is coherent: results
  // of the previous kernel replace what was loaded too early.
  if (threadIdx.x == 0) {
    const Tile tile = tiles.at(cluster, blockM, blockN);
    for (int k = 0; k < min(PREFETCHED, kIterations) * BK; k += BK) {
      tmaPrefetch(mapA, k, tile.m);
    }
  }
  // Wait until the previous kernel has finished before reading its results.
  waitForPriorGrid();

  if (warpGroup == 0) {
    // Producer: one thread issues all TMA loads.
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
        for (int k = 0; k < kIterations * BK; k += BK) {
          // Wait until `empty` has completed the phase before `phase`. A new mbarrier is in phase 0,
          // and the phase before it counts as complete, so the first pass does not block.
          waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
          const uint32_t barrier = full + stage * BARRIER_BYTES;
          arriveExpectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          tmaLoad(a, mapA, barrier, k, tile.m);
          tmaLoad(b, mapB, barrier, k, tile.n);
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
      // All loads are issued: allow the next kernel to start.
      launchDependents();
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

      // Epilogue: write the accumulators to C.
      const Tile tile = tiles.at(index, blockM, blockN);
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
        const int row = tile.m + consumer * ROWS_PER_CONSUMER + m * WGMMA_M;
        storeTile(acc[m], C, ldc, M, N, row, tile.n);
      }
    }
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
// but at most one per tile.
// Programmatic dependent launch: the kernel may start before the previous kernel has finished.
inline cudaError_t gemm_wgmma_launch_transposed(int M, int N, int K,
                                                const __nv_bfloat16* A, int lda, const __nv_bfloat16* B, int ldb,
                                                __nv_bfloat16* C, int ldc,
                                                cudaStream_t stream) {
  CUtensorMap mapA, mapB;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, A, K, M, uint64_t(lda) * ELEMENT_BYTES,
                                        /*batch*/ 1, /*batchStride*/ 0, BK, BM, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, B, K, N, uint64_t(ldb) * ELEMENT_BYTES,
                                        /*batch*/ 1, /*batchStride*/ 0, BK, BN, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  cudaLaunchAttribute programmaticLaunch{};
  programmaticLaunch.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmaticLaunch.val.programmaticStreamSerializationAllowed = 1;
  constexpr int sharedBytes = 147584;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int tiles = rows * columns;
  int device, sms;
  if (cudaError_t error = cudaGetDevice(&device)) return error;
  if (cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) return error;
  const int blocks = tiles < sms ? tiles : sms;
  const cudaLaunchConfig_t config = {dim3(blocks), dim3(THREADS), sharedBytes, stream, &programmaticLaunch, 1};
  return cudaLaunchKernelEx(&config, gemm_wgmma, mapA, mapB, C, ldc, M, N, K);
}

// Swap-AB: computes C = A * B as Ct = Bt * At by exchanging A with B and M with N.
inline cudaError_t gemm_wgmma_launch(int M, int N, int K,
                                     const __nv_bfloat16* A, int lda, const __nv_bfloat16* B, int ldb,
                                     __nv_bfloat16* C, int ldc,
                                     cudaStream_t stream) {
  return gemm_wgmma_launch_transposed(N, M, K, B, ldb, A, lda, C, ldc, stream);
}
#endif

// Spec key: gemm-bf16-wgmma-16x8192x3584-rcr-16x128x64-s8-coop-1-ba-prefetch-col16
// @gemm {"entry":"gemm_wgmma","version":1,"problem":{"m":16,"n":8192,"k":3584,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"col"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"wgmma","block":{"m":16,"n":128,"k":64},"stages":8,"raster":{"order":"col","group":16},"cluster":{"m":1,"n":1},"consumers":1,"kernelSchedule":"cooperative","operandOrder":"ba","launch":"prefetch"},"device":"h200","targets":["cuda"],"grid":[64],"block":[256],"args":["tensorMapB","tensorMapA","c","ldc","n","m","k"],"dynamicSharedBytes":147584,"tensorMaps":{"a":{"box":[64,16],"swizzleBytes":128},"b":{"box":[64,128],"swizzleBytes":128}},"programmatic":true}
// @gemm-generated v1 sha256=bc96e36fe6dcf11e7342cce68749e23c03ad7739b41e14f02df0636280f5c285
