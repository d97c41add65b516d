// wgmma GEMM, f32: C = A * B
//
// Each CTA (thread block) computes 128 x 128 tiles of C.
// - Warp specialization: a producer warp group loads 64-deep tiles of A and B with TMA. The tiles
//   fill a 7-stage shared-memory ring buffer (software pipelining, 128-byte XOR swizzle). Mbarriers
//   synchronize the producer with the consumers.
// - 2 consumer warp groups share each tile, 64 rows per warp group, with wgmma m64n128k16.
// - FP32 emulation (bf16x6): pre-pass kernels split A and B into 3 bf16 terms each, and 6 products
//   of terms are accumulated. Every 4 k-iterations the tensor-core result is promoted, that is,
//   added to FP32 accumulators.
// - Epilogue: accumulators are stored directly from registers.
// - Persistent kernel: one CTA per SM; clusters loop over the tiles of C.
// - Rasterization in groups of 16 rows of cluster tiles: concurrent clusters reuse tiles of A and B
//   from the L2 cache.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// M, N and K need not be multiples of the tile sizes: elements outside the matrices are loaded as
// zeros and not stored.
// Requires N % 2 == 0, ldc % 2 == 0 and pointers with an alignment of 16 bytes (as from
// cudaMalloc).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k, in one pass over K per pair of terms.
//
// Launch for 4096 x 4096 x 4096: grid 132, block 384, 229,488 B of dynamic shared memory.
// Workspace: 201,326,592 B for split terms; it need not be initialized.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c FILE.cu
// Call: gemm_wgmma_launch(M, N, K, A, lda, B, ldb, C, ldc, workspace, stream);

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

using Output = float;  // element type of C
using Pair = float2;  // two adjacent elements of C, stored together

constexpr int BM = 128;                           // rows of C per tile
constexpr int BN = 128;                           // columns of C per tile and per wgmma instruction
constexpr int BK = 64;                            // K extent of the shared-memory tiles
constexpr int ELEMENT_BYTES = 2;                  // bytes per element of A and B
constexpr int STAGES = 7;                         // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int CONSUMERS = 2;                      // consumer warp groups
constexpr int THREADS = 384;                      // threads per block: one producer warp group plus the consumers
constexpr int CLUSTER_M = 1;                      // CTAs per cluster along M, which share B tiles
constexpr int CLUSTER_N = 1;                      // CTAs per cluster along N, which share A tiles
constexpr int TERMS = 3;                          // bf16 terms whose sum approximates an f32 element
constexpr int PRODUCTS = 6;                       // products of terms, accumulated smallest first
constexpr unsigned long long TERMS_A = 0x010210;  // A term of each product, 4 bits each, lowest bits first
constexpr unsigned long long TERMS_B = 0x001012;  // B term of each product, encoded like TERMS_A
constexpr int PROMOTION_INTERVAL = 4;             // k-iterations between FP32 promotions
constexpr int RASTER_GROUP = 16;                  // cluster tiles along M per raster group
constexpr int EMPTY_ARRIVALS = 2;                 // arrival count of each "empty" mbarrier
constexpr int PRODUCER_REGISTERS = 56;            // registers per producer thread
constexpr int CONSUMER_REGISTERS = 224;           // registers per consumer thread

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

// setmaxnreg: set the register limit per thread of the calling warp group.
template <int registers>
__device__ __forceinline__ void decreaseRegistersTo() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ __forceinline__ void increaseRegistersTo() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
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

// wgmma 64 x 128 x 16: d = A * B + (accumulate ? d : 0), with A and B in shared memory.
// Immediates after the predicate: the scales of A and B, and whether A and B are transposed
// (1: M- or N-major).
__device__ __forceinline__ void wgmma(float (&d)[BN / 2], uint64_t a, uint64_t b, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, "
      " %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, "
      " %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, "
      " %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, accumulate, 1, 1, 0, 0;\n"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
        "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
        "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
        "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
        "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
        "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
        "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
        "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
        "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]),
        "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
        "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(accumulate));
}

// Epilogue: write a warp group's accumulators to C. In every 8 columns, each lane holds two
// adjacent columns of rows lane/4 and lane/4 + 8. Each warp owns 16 of the 64 rows (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16").

constexpr int ROWS_PER_CONSUMER = BM / CONSUMERS;
constexpr int M_INSTRUCTIONS = ROWS_PER_CONSUMER / WGMMA_M;  // instructions along M per consumer
constexpr int WARP_ROWS = 16;                                // rows of a wgmma instruction per warp

// Store 64 rows directly from registers: adjacent lanes write adjacent pairs of columns.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], Output* C, int ldc, int M, int N, int row, int column) {
  const int thread = threadIdx.x % WARP_GROUP, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * WARP_ROWS + lane / 4 + half * 8;
    if (m >= M) continue;
    Output* line = C + static_cast<long long>(m) * ldc;
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
      const int n = column + block * 8 + lane % 4 * 2;
      float low = acc[block * 4 + half * 2], high = acc[block * 4 + half * 2 + 1];
      if (n >= N) continue;
      Pair* to = reinterpret_cast<Pair*>(line + n);
      *to = Pair{Output(low), Output(high)};
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
           float* C, int ldc,
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
  // Each product of terms is a pass over K, so a tile takes PRODUCTS passes.
  const int passIterations = (K + BK - 1) / BK, kIterations = PRODUCTS * passIterations;

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
    decreaseRegistersTo<PRODUCER_REGISTERS>();
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
        for (int iteration = 0; iteration < kIterations; ++iteration) {
          // Terms to multiply in this pass: 4-bit digits of TERMS_A and TERMS_B.
          const int product = iteration / passIterations, k = iteration % passIterations * BK;
          const int termA = TERMS_A >> 4 * product & 15, termB = TERMS_B >> 4 * product & 15;
          // Wait until `empty` has completed the phase before `phase`. A new mbarrier is in phase 0,
          // and the phase before it counts as complete, so the first pass does not block.
          waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
          const uint32_t barrier = full + stage * BARRIER_BYTES;
          arriveExpectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          tmaLoad(a, mapA, barrier, k, tile.m, termA);
          tmaLoad(b, mapB, barrier, k, tile.n, termB);
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
    }
  } else {
    // Consumers: multiply the staged tiles and store C.
    increaseRegistersTo<CONSUMER_REGISTERS>();
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
        waitBarrier(full + stage * BARRIER_BYTES, phase);
        const uint64_t a = descriptorA(rowsA + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
        wgmmaFence();
        #pragma unroll
        for (int kStep = 0; kStep < K_STEPS; ++kStep) {
          #pragma unroll
          for (int m = 0; m < M_INSTRUCTIONS; ++m) {
            // The first wgmma overwrites the accumulators; later wgmma instructions add to them.
            wgmma(partial[m], a + m * NEXT_ROWS_A + kStep * NEXT_K_A, b + kStep * NEXT_K_B, sincePromotion + kStep > 0);
          }
        }
        wgmmaCommit();
        // Wait for the previous k-iteration and release its stage; one wgmma group stays in flight.
        wgmmaWait<1>();
        if (iteration > 0 && releases) arrive(emptyBarriers + previousStage * BARRIER_BYTES);
        previousStage = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
        if (++sincePromotion == PROMOTION_INTERVAL || iteration + 1 == kIterations) {
          sincePromotion = 0;
          wgmmaWait<0>();
          #pragma unroll
          for (int m = 0; m < M_INSTRUCTIONS; ++m) {
            #pragma unroll
            for (int i = 0; i < BN / 2; ++i) acc[m][i] += partial[m][i];
          }
        }
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

constexpr int COPY_THREADS = 256;   // threads per block of the pre-pass kernels
constexpr int LD_UNIT = 64;         // elements per 128-byte cache line, the alignment of repacked rows
constexpr int A_ROW_THREADS = 256;  // threads per row of A in its repacking kernel
constexpr int COPY_WORDS = 4;       // words per thread of the repacking kernels

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
gemm_wgmma_split_a(int M, int K,
                   const float* __restrict__ A, int lda,
                   __nv_bfloat16* __restrict__ workspace) {
  const int line = blockIdx.x * (COPY_THREADS / A_ROW_THREADS) + threadIdx.x / A_ROW_THREADS;
  const int start = blockIdx.y * COPY_WORDS * A_ROW_THREADS + threadIdx.x % A_ROW_THREADS;
  #pragma unroll
  for (int step = 0; step < COPY_WORDS; ++step) {
    const int element = start + step * A_ROW_THREADS;
    if (line < M && element < K) {
      float remainder;
      remainder = A[line * lda + element];
      __nv_bfloat16 term0;
      term0 = __float2bfloat16(remainder);
      workspace[line * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element] = term0;
      remainder = remainder - __bfloat162float(term0);
      __nv_bfloat16 term1;
      term1 = __float2bfloat16(remainder);
      workspace[(M + line) * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element] = term1;
      remainder = remainder - __bfloat162float(term1);
      __nv_bfloat16 term2;
      term2 = __float2bfloat16(remainder);
      workspace[(2 * M + line) * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element] = term2;
    }
  }
}

constexpr int B_ROW_THREADS = 256;  // threads per row of B in its repacking kernel

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
gemm_wgmma_split_b(int M, int N, int K,
                   const float* __restrict__ B, int ldb,
                   __nv_bfloat16* __restrict__ workspace) {
  const int first = M * 3 * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT);
  const int line = blockIdx.x * (COPY_THREADS / B_ROW_THREADS) + threadIdx.x / B_ROW_THREADS;
  const int start = blockIdx.y * COPY_WORDS * B_ROW_THREADS + threadIdx.x % B_ROW_THREADS;
  #pragma unroll
  for (int step = 0; step < COPY_WORDS; ++step) {
    const int element = start + step * B_ROW_THREADS;
    if (line < N && element < K) {
      float remainder;
      remainder = B[line * ldb + element];
      __nv_bfloat16 term0;
      term0 = __float2bfloat16(remainder);
      workspace[first + line * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element] = term0;
      remainder = remainder - __bfloat162float(term0);
      __nv_bfloat16 term1;
      term1 = __float2bfloat16(remainder);
      workspace[first + (N + line) * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element] = term1;
      remainder = remainder - __bfloat162float(term1);
      __nv_bfloat16 term2;
      term2 = __float2bfloat16(remainder);
      workspace[first + (2 * N + line) * ((K + LD_UNIT - 1) / LD_UNIT * LD_UNIT) + element] = term2;
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
// Pre-pass: split A and B into 3 terms each, which are stored in the workspace.
inline cudaError_t gemm_wgmma_launch(int M, int N, int K,
                                     const float* A, int lda, const float* B, int ldb,
                                     float* C, int ldc,
                                     __nv_bfloat16* workspace,
                                     cudaStream_t stream) {
  CUtensorMap mapA, mapB;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, workspace, K, M, uint64_t((K + 63) / 64 * 64) * ELEMENT_BYTES,
                                        TERMS, uint64_t(M) * ((K + 63) / 64 * 64) * ELEMENT_BYTES, BK, BM, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 3)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, workspace + size_t{1} * TERMS * M * ((K + 63) / 64 * 64), K, N, uint64_t((K + 63) / 64 * 64) * ELEMENT_BYTES,
                                        TERMS, uint64_t(N) * ((K + 63) / 64 * 64) * ELEMENT_BYTES, BK, BN, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 3)) {
    return error;
  }
  gemm_wgmma_split_a<<<dim3((M + (COPY_THREADS / A_ROW_THREADS) - 1) / (COPY_THREADS / A_ROW_THREADS), (K + (A_ROW_THREADS * COPY_WORDS) - 1) / (A_ROW_THREADS * COPY_WORDS)), COPY_THREADS, 0, stream>>>(M, K, A, lda, workspace);
  gemm_wgmma_split_b<<<dim3((N + (COPY_THREADS / B_ROW_THREADS) - 1) / (COPY_THREADS / B_ROW_THREADS), (K + (B_ROW_THREADS * COPY_WORDS) - 1) / (B_ROW_THREADS * COPY_WORDS)), COPY_THREADS, 0, stream>>>(M, N, K, B, ldb, workspace);
  constexpr int sharedBytes = 229488;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int tiles = rows * columns;
  int device, sms;
  if (cudaError_t error = cudaGetDevice(&device)) return error;
  if (cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) return error;
  const int blocks = tiles < sms ? tiles : sms;
  gemm_wgmma<<<blocks, THREADS, sharedBytes, stream>>>(mapA, mapB, C, ldc, M, N, K);
  return cudaGetLastError();
}
#endif

// Spec key: gemm-f32-wgmma-4096x4096x4096-rcr-128x128x64-s7-coop-bf16x6-row16
// @gemm {"entry":"gemm_wgmma","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"wgmma","block":{"m":128,"n":128,"k":64},"stages":7,"raster":{"order":"row","group":16},"cluster":{"m":1,"n":1},"consumers":2,"kernelSchedule":"cooperative","split":"bf16x6"},"device":"h200","targets":["cuda"],"grid":[132],"block":[384],"args":["tensorMapA","tensorMapB","c","ldc","m","n","k"],"dynamicSharedBytes":229488,"tensorMaps":{"a":{"box":[64,128],"swizzleBytes":128,"workspaceOffset":0,"ld":4096,"batchStride":16777216,"dtype":"bf16","terms":3},"b":{"box":[64,128],"swizzleBytes":128,"workspaceOffset":100663296,"ld":4096,"batchStride":16777216,"dtype":"bf16","terms":3}},"before":[{"entry":"gemm_wgmma_split_a","grid":[4096,4],"block":[256],"args":["m","k","a","lda","workspace"]},{"entry":"gemm_wgmma_split_b","grid":[4096,4],"block":[256],"args":["m","n","k","b","ldb","workspace"]}],"workspaceBytes":201326592}
// @gemm-generated v1 sha256=56c59e206b18c37e8bd782536a14fecfb269c7bd48a1229355c36df03431cb21
