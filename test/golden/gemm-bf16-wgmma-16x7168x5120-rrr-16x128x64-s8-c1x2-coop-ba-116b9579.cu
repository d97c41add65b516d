// wgmma GEMM, bf16, f32 accumulation: C = A * B
//
// Each CTA (thread block) computes one K slice of 128 x 16 tiles of Ct.
// - Swap-AB: the kernel computes the transposed product Ct = Bt * At. Its A is the caller's B, its
//   M is the caller's N, and its rows are columns of C.
// - Warp specialization: a producer warp group loads 64-deep tiles of A and B with TMA. The tiles
//   fill an 8-stage shared-memory ring buffer (software pipelining, 128-byte XOR swizzle).
//   Mbarriers synchronize the producer with the consumers.
// - 2 consumer warp groups share each tile, 64 rows per warp group, with wgmma m64n16k16.
// - Split-K in the cluster: 4 CTAs accumulate one slice of K each and reduce the partial results
//   through distributed shared memory; each of the first 2 CTAs reduces and stores 1/2 of the
//   columns.
// - Clusters of 2 x 1 CTAs: each CTA loads 1/2 of the shared B tile and multicasts it (TMA
//   multicast).
// - Epilogue: accumulators are stored directly from registers.
// - Rasterization in groups of 8 rows of cluster tiles: concurrent clusters reuse tiles of A and B
//   from the L2 cache.
// - Programmatic dependent launch with weight prefetch: while the previous kernel ends, each CTA
//   loads the first k-iterations of A into the L2 cache.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: elements outside the matrices are loaded as
// zeros and not stored.
// Requires lda % 8 == 0, ldb % 8 == 0 and pointers with an alignment of 16 bytes (as from
// cudaMalloc).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k within a K slice, then adds the slices in ascending
// order.
//
// Launch for 16 x 7168 x 5120: grid 224, block 384, 147,584 B of dynamic shared memory.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c FILE.cu
// Call: gemm_wgmma_launch(M, N, K, A, lda, B, ldb, C, ldc, stream);

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

using Output = __nv_bfloat16;  // element type of C

constexpr int BM = 128;                  // rows of C per tile
constexpr int BN = 16;                   // columns of C per tile and per wgmma instruction
constexpr int BK = 64;                   // K extent of the shared-memory tiles
constexpr int ELEMENT_BYTES = 2;         // bytes per element of A and B
constexpr int STAGES = 8;                // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int CONSUMERS = 2;             // consumer warp groups
constexpr int THREADS = 384;             // threads per block: one producer warp group plus the consumers
constexpr int PREFETCHED = 4;            // k-iterations whose tiles of A are loaded into the L2 cache in advance
constexpr int CLUSTER_M = 2;             // CTAs per cluster along M, which share B tiles
constexpr int CLUSTER_N = 1;             // CTAs per cluster along N, which share A tiles
constexpr int SPLIT_K = 4;               // split-K slices: CTAs of a cluster that share a tile of C
constexpr int REDUCERS = 2;              // slices whose CTAs reduce columns of the tile; the others only send
constexpr int RASTER_GROUP = 8;          // cluster tiles along M per raster group
constexpr int EMPTY_ARRIVALS = 4;        // arrival count of each "empty" mbarrier
constexpr int PRODUCER_REGISTERS = 56;   // registers per producer thread
constexpr int CONSUMER_REGISTERS = 224;  // registers per consumer thread

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

// Map a shared address to the same offset in the shared memory of CTA `rank` of the cluster.
__device__ __forceinline__ uint32_t remoteAddress(uint32_t address, uint32_t rank) {
  uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

// Arrive at a barrier of any CTA of the cluster.
__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ uint32_t clusterRank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Cluster barrier with relaxed arrive: it does not order prior writes, but costs less than release.
__device__ __forceinline__ void clusterSyncRelaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Cluster barrier with release and acquire: makes writes to distributed shared memory visible.
__device__ __forceinline__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
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

// Multicast: one load writes the box at the same offset, and signals the same barrier, in every CTA
// of `ctaMask`.
__device__ __forceinline__ void tmaLoadMulticast(uint32_t to, const CUtensorMap& map, uint32_t barrier, uint16_t ctaMask, int x,
                                                 int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], "
      "[%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(ctaMask), "r"(x), "r"(y) : "memory");
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
  // The mask drops the cluster rank from the address: the descriptor addresses this CTA's shared
  // memory.
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
      "%8, %9, accumulate, 1, 1, 1, 0;\n"
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

// Split-K reduction in the cluster: the CTAs of the first REDUCERS slices reduce BN / REDUCERS of the
// columns each. Each thread sends its accumulators of the other columns through distributed shared
// memory. The receiver is the thread with the same index in the CTA that reduces these columns.
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

// Store 64 rows directly from registers: 8 lanes write 8 adjacent rows, which are contiguous in C.
__device__ __forceinline__ void storeTile(const float (&acc)[BN / 2], Output* C, int ldc, int M, int N, int row, int column,
                                          int slice) {
  const int thread = threadIdx.x % WARP_GROUP, lane = thread % 32;
  #pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + thread / 32 * WARP_ROWS + lane / 4 + half * 8;
    if (m >= M) continue;
    Output* line = C + m;  // columns have a stride of ldc elements
    #pragma unroll
    for (int block = 0; block < BN / 8; ++block) {
      if (block / (BN / 8 / REDUCERS) != slice) continue;
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
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N * SPLIT_K;  // CTAs per cluster

// A is M-major: its tile is stored as panels of BK rows; each row is one swizzle width.
constexpr int PANEL_BYTES_A = 128, PANEL_SIDE_A = PANEL_BYTES_A / ELEMENT_BYTES;
constexpr int WGMMA_K = 16;  // K extent of one wgmma instruction, in elements
// Descriptor offsets in units of 16 bytes: to the next 64 rows of A, and to the next k-step.
constexpr int NEXT_ROWS_A = BK * PANEL_BYTES_A / 16, NEXT_K_A = WGMMA_K * PANEL_BYTES_A / 16, NEXT_K_B = K_STEP_BYTES / 16;
// Matrix descriptors of the tiles of a stage; the swizzle pattern repeats every 8 rows.
__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return matrixDescriptor(address, 0, 8 * PANEL_BYTES_A, PANEL_BYTES_A); }
__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return matrixDescriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
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
  const int rank = clusterRank();
  // CTAs that differ only in `slice` compute the same tile of C, each over a different slice of K.
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M % CLUSTER_N, slice = rank / (CLUSTER_M * CLUSTER_N);
  const int firstRank = slice * CLUSTER_M * CLUSTER_N;
  const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  const TileScheduler tiles(M, N);
  const int allIterations = (K + BK - 1) / BK;
  const int firstIteration = allIterations * slice / SPLIT_K;
  const int kIterations = allIterations * (slice + 1) / SPLIT_K - firstIteration;

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
  clusterSyncRelaxed();
  // While the previous kernel ends, load the first weights into the L2 cache. L2 is coherent: results
  // of the previous kernel replace what was loaded too early.
  if (threadIdx.x == 0) {
    const Tile tile = tiles.at(cluster, blockM, blockN);
    for (int k = firstIteration * BK; k < (firstIteration + min(PREFETCHED, kIterations)) * BK; k += BK) {
      for (int panel = 0; panel < BM / PANEL_SIDE_A; ++panel) {
        tmaPrefetch(mapA, tile.m + panel * PANEL_SIDE_A, k);
      }
    }
  }
  // Wait until the previous kernel has finished before reading its results.
  waitForPriorGrid();

  if (warpGroup == 0) {
    // Producer: one thread issues all TMA loads.
    decreaseRegistersTo<PRODUCER_REGISTERS>();
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
      // CTAs in a column of the cluster share the B tile: each CTA loads 1 / CLUSTER_M of it and
      // multicasts that slice to the column.
      const uint16_t columnMask = ((1 << CLUSTER_M) - 1) << (firstRank + blockN * CLUSTER_M);
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
        for (int k = firstIteration * BK; k < (firstIteration + kIterations) * BK; k += BK) {
          // Wait until `empty` has completed the phase before `phase`. A new mbarrier is in phase 0,
          // and the phase before it counts as complete, so the first pass does not block.
          waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
          const uint32_t barrier = full + stage * BARRIER_BYTES;
          arriveExpectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          for (int panel = 0; panel < BM / PANEL_SIDE_A; ++panel) {
            tmaLoad(a + panel * (BK * PANEL_BYTES_A), mapA, barrier, tile.m + panel * PANEL_SIDE_A, k);
          }
          tmaLoadMulticast(b + blockM * (B_BYTES / CLUSTER_M), mapB, barrier, columnMask, k, tile.n + blockM * (BN / CLUSTER_M));
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
      // All loads are issued: allow the next kernel to start.
      launchDependents();
      // Drain: consumers of other CTAs arrive at these barriers, so this CTA must not exit before
      // the last arrival.
      for (int i = 0; i < STAGES; ++i) {
        waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
    }
    // All threads of the cluster must arrive at the two cluster barriers of the split-K reduction.
    __syncwarp();
    clusterSync();
    clusterSync();
  } else {
    // Consumers: multiply the staged tiles and store C.
    increaseRegistersTo<CONSUMER_REGISTERS>();
    const int consumer = warpGroup - 1;
    const int thread = threadIdx.x % WARP_GROUP;
    // Release a stage in every CTA that multicasts into it. Thread i < CLUSTER_N arrives in CTA i
    // of this CTA's row; the next CLUSTER_M - 1 threads arrive in the other CTAs of its column.
    const bool releases = thread < CLUSTER_M + CLUSTER_N - 1;
    const int columnPeer = thread - CLUSTER_N;  // index of a peer CTA in this cluster column
    const uint32_t targetRank = thread < CLUSTER_N ? firstRank + blockM + thread * CLUSTER_M
                                                   : firstRank + (columnPeer + (columnPeer >= blockM)) + blockN * CLUSTER_M;
    const uint32_t emptyBarriers = remoteAddress(empty, releases ? targetRank : 0);
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
      reduceSlices(acc, As, slice, blockM + blockN * CLUSTER_M, consumer);
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
        const int row = tile.m + consumer * ROWS_PER_CONSUMER + m * WGMMA_M;
        storeTile(acc[m], C, ldc, M, N, row, tile.n, slice);
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

// Encodes the tensor maps and launches one cluster per cluster tile.
// Programmatic dependent launch: the kernel may start before the previous kernel has finished.
inline cudaError_t gemm_wgmma_launch_transposed(int M, int N, int K,
                                                const __nv_bfloat16* A, int lda, const __nv_bfloat16* B, int ldb,
                                                __nv_bfloat16* C, int ldc,
                                                cudaStream_t stream) {
  CUtensorMap mapA, mapB;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, A, M, K, uint64_t(lda) * ELEMENT_BYTES,
                                        /*batch*/ 1, /*batchStride*/ 0, PANEL_SIDE_A, BK, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, B, K, N, uint64_t(ldb) * ELEMENT_BYTES,
                                        /*batch*/ 1, /*batchStride*/ 0, BK, BN / CLUSTER_M, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  cudaLaunchAttribute programmaticLaunch{};
  programmaticLaunch.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmaticLaunch.val.programmaticStreamSerializationAllowed = 1;
  constexpr int sharedBytes = 147584;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int clusters = rows * columns;
  const int blocks = clusters * CLUSTER;
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

// Spec key: gemm-bf16-wgmma-16x7168x5120-rrr-16x128x64-s8-c1x2-coop-ba-116b9579
// @gemm {"entry":"gemm_wgmma","version":1,"problem":{"m":16,"n":7168,"k":5120,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"wgmma","block":{"m":16,"n":128,"k":64},"stages":8,"raster":{"order":"col","group":8},"splitK":4,"cluster":{"m":1,"n":2},"consumers":2,"kernelSchedule":"cooperative","operandOrder":"ba","launch":"prefetch"},"device":"h200","targets":["cuda"],"grid":[224],"block":[384],"args":["tensorMapB","tensorMapA","c","ldc","n","m","k"],"dynamicSharedBytes":147584,"tensorMaps":{"a":{"box":[64,8],"swizzleBytes":128},"b":{"box":[64,64],"swizzleBytes":128}},"programmatic":true}
// @gemm-generated v1 sha256=228543b214f7cdceb3a98237b07fe1333ffc508a5ff653ce74cd9bb7222c6c8b
