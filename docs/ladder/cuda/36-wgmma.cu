// wgmma GEMM, bf16, f32 accumulation: C = A * B
//
// Each CTA (thread block) computes 128 x 192 tiles of C.
// - Warp specialization: a producer warp group loads 64-deep tiles of A and B with TMA. The tiles
//   fill a 5-stage shared-memory ring buffer (software pipelining, 128-byte XOR swizzle). Mbarriers
//   synchronize the producer with the consumers.
// - 2 consumer warp groups alternate on tiles (ping-pong): one runs its main loop with wgmma
//   m64n192k16 while the other runs its epilogue.
// - Clusters of 2 x 1 CTAs: each CTA loads 1/2 of the shared B tile and multicasts it (TMA
//   multicast).
// - Epilogue: accumulators are staged in shared memory as 16 x 64 boxes and written by TMA store.
// - Persistent kernel: one CTA per SM; clusters loop over the tiles of C.
// - Rasterization in groups of 8 rows of cluster tiles: concurrent clusters reuse tiles of A and B
//   from the L2 cache.
// - Programmatic dependent launch: the prologue overlaps the previous kernel.
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
// Launch for 4096 x 4096 x 4096: grid 132, block 384, 221,264 B of dynamic shared memory.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c FILE.cu
// Call: gemm_wgmma_launch(M, N, K, A, lda, B, ldb, C, ldc, stream);

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

constexpr int BM = 128;                  // rows of C per tile
constexpr int BN = 192;                  // columns of C per tile and per wgmma instruction
constexpr int BK = 64;                   // K extent of the shared-memory tiles
constexpr int ELEMENT_BYTES = 2;         // bytes per element of A and B
constexpr int STAGES = 5;                // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int CONSUMERS = 2;             // consumer warp groups
constexpr int THREADS = 384;             // threads per block: one producer warp group plus the consumers
constexpr int CLUSTER_M = 2;             // CTAs per cluster along M, which share B tiles
constexpr int CLUSTER_N = 1;             // CTAs per cluster along N, which share A tiles
constexpr int RASTER_GROUP = 8;          // cluster tiles along M per raster group
constexpr int EMPTY_ARRIVALS = 2;        // arrival count of each "empty" mbarrier
constexpr int PRODUCER_REGISTERS = 40;   // registers per producer thread
constexpr int CONSUMER_REGISTERS = 232;  // registers per consumer thread
constexpr int STORE_BUFFERS = 1;         // TMA store boxes in shared memory per warp
constexpr int STORE_COLUMNS = 64;        // columns of C per TMA store box

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

// Make prior writes to shared memory visible to the async proxy, that is, to TMA stores.
__device__ __forceinline__ void fenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

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

// Named barriers: `threads` counts both waiting threads and arrive-only threads.
__device__ __forceinline__ void namedBarrierSync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void namedBarrierArrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
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

// wgmma 64 x 192 x 16: d = A * B + (accumulate ? d : 0), with A and B in shared memory.
// Immediates after the predicate: the scales of A and B, and whether A and B are transposed
// (1: M- or N-major).
__device__ __forceinline__ void wgmma(float (&d)[BN / 2], uint64_t a, uint64_t b, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %98, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, "
      " %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, "
      " %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, "
      " %56, %57, %58, %59, %60, %61, %62, %63, "
      " %64, %65, %66, %67, %68, %69, %70, %71, "
      " %72, %73, %74, %75, %76, %77, %78, %79, "
      " %80, %81, %82, %83, %84, %85, %86, %87, "
      " %88, %89, %90, %91, %92, %93, %94, %95}, "
      "%96, %97, accumulate, 1, 1, 0, 1;\n"
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
        "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
        "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]),
        "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
        "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]),
        "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
        "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
        "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
        "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]),
        "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
      : "l"(a), "l"(b), "r"(accumulate));
}

// Epilogue: write a warp group's accumulators to C. In every 8 columns, each lane holds two
// adjacent columns of rows lane/4 and lane/4 + 8. Each warp owns 16 of the 64 rows (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16").

constexpr int ROWS_PER_CONSUMER = BM;  // each consumer computes whole tiles
constexpr int M_INSTRUCTIONS = ROWS_PER_CONSUMER / WGMMA_M;  // instructions along M per consumer
constexpr int WARP_ROWS = 16;                                // rows of a wgmma instruction per warp

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

// Main kernel. Warp specialization: warp group 0 is the producer, which fills a ring buffer of
// STAGES tile pairs with TMA. The other warp groups are consumers, which multiply the tiles with
// wgmma. Each stage has two mbarriers: `full` (the TMA bytes have arrived) and `empty` (all
// consumers of the stage have read it).

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // bytes per K-major row of a tile
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
constexpr int K_STEP_BYTES = 32;                   // K extent of one wgmma instruction, in bytes
constexpr int K_STEPS = ROW_BYTES / K_STEP_BYTES;  // wgmma instructions along K per tile
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr int WARPS_PER_CONSUMER = WARP_GROUP / 32;
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;  // CTAs per cluster
// Named barriers that order the consumers' main loops: consumer i waits on MATH_ORDER_BARRIER + i.
// Barrier 0 is __syncthreads; barriers 1 to CONSUMERS are unused.
constexpr int MATH_ORDER_BARRIER = 1 + CONSUMERS, MATH_ORDER_THREADS = 2 * WARP_GROUP;

// B is N-major: its tile is stored as panels of BK rows; each row is one swizzle width.
constexpr int PANEL_BYTES_B = 128, PANEL_SIDE_B = PANEL_BYTES_B / ELEMENT_BYTES;
constexpr int WGMMA_K = 16;  // K extent of one wgmma instruction, in elements
// Descriptor offsets in units of 16 bytes: to the next 64 rows of A, and to the next k-step.
constexpr int NEXT_ROWS_A = WGMMA_M * ROW_BYTES / 16, NEXT_K_A = K_STEP_BYTES / 16, NEXT_K_B = WGMMA_K * PANEL_BYTES_B / 16;
// Matrix descriptors of the tiles of a stage; the swizzle pattern repeats every 8 rows.
__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return matrixDescriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }
__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return matrixDescriptor(address, BK * PANEL_BYTES_B, 8 * PANEL_BYTES_B, PANEL_BYTES_B); }

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
gemm_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
           const __grid_constant__ CUtensorMap mapC,
           int M, int N, int K) {
  // Tiles with a 128-byte swizzle must start at multiples of 1,024 bytes.
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
  const uint32_t Cs = Bs + STAGES * B_BYTES;
  const uint32_t full = Cs + CONSUMERS * WARPS_PER_CONSUMER * STORE_BUFFERS * BOX_BYTES;
  const uint32_t empty = full + STAGES * BARRIER_BYTES;

  // Broadcasting from lane 0 makes the value provably warp-uniform, so that the compiler keeps it
  // in a uniform register.
  const int warpGroup = __shfl_sync(ALL_LANES, threadIdx.x / WARP_GROUP, 0);
  const int rank = clusterRank();
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M;
  const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  const TileScheduler tiles(M, N);
  const int kIterations = (K + BK - 1) / BK;

  // Prologue: one thread initializes the mbarriers.
  if (threadIdx.x == 0) {
    prefetchTensorMap(mapA);
    prefetchTensorMap(mapB);
    prefetchTensorMap(mapC);
    for (int stage = 0; stage < STAGES; ++stage) {
      initBarrier(full + stage * BARRIER_BYTES, 1);  // one arrival: arriveExpectBytes
      initBarrier(empty + stage * BARRIER_BYTES, EMPTY_ARRIVALS);
    }
    fenceBarrierInit();
  }
  clusterSyncRelaxed();
  // Allow the next kernel to start its prologue. Wait until the previous kernel has finished before
  // reading its results.
  launchDependents();
  waitForPriorGrid();

  if (warpGroup == 0) {
    // Producer: one thread issues all TMA loads.
    decreaseRegistersTo<PRODUCER_REGISTERS>();
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;  // mbarrier phase parity; flips when `stage` wraps around
      // CTAs in a column of the cluster share the B tile: each CTA loads 1 / CLUSTER_M of it and
      // multicasts that slice to the column.
      const uint16_t columnMask = ((1 << CLUSTER_M) - 1) << (blockN * CLUSTER_M);
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
          for (int panel = 0; panel < BN / PANEL_SIDE_B; ++panel) {
            tmaLoadMulticast(b + panel * (BK * PANEL_BYTES_B) + blockM * (BK / CLUSTER_M * PANEL_BYTES_B), mapB, barrier, columnMask, tile.n + panel * PANEL_SIDE_B, k + blockM * (BK / CLUSTER_M));
          }
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
      // Drain: consumers of other CTAs arrive at these barriers, so this CTA must not exit before
      // the last arrival.
      for (int i = 0; i < STAGES; ++i) {
        waitBarrier(empty + stage * BARRIER_BYTES, phase ^ 1);
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
    }
  } else {
    // Consumers: multiply the staged tiles and store C.
    increaseRegistersTo<CONSUMER_REGISTERS>();
    const int consumer = warpGroup - 1;
    const int thread = threadIdx.x % WARP_GROUP;
    // Release a stage in every CTA that multicasts into it. Thread i < CLUSTER_N arrives in CTA i
    // of this CTA's row; the next CLUSTER_M - 1 threads arrive in the other CTAs of its column.
    const bool releases = thread < CLUSTER_M + CLUSTER_N - 1;
    const int columnPeer = thread - CLUSTER_N;  // index of a peer CTA in this cluster column
    const uint32_t targetRank = thread < CLUSTER_N ? blockM + thread * CLUSTER_M
                                                   : (columnPeer + (columnPeer >= blockM)) + blockN * CLUSTER_M;
    const uint32_t emptyBarriers = remoteAddress(empty, releases ? targetRank : 0);
    // Ping-pong: the consumers compute alternate tiles; one runs its main loop while the other runs
    // its epilogue. Consumer 0 starts: consumer 1 arrives at the barrier of consumer 0 in advance.
    if (consumer == 1) namedBarrierArrive(MATH_ORDER_BARRIER, MATH_ORDER_THREADS);
    const uint32_t rowsA = As;
    // The ring buffer first receives the A and B tiles for the first C tile of consumer 0. Consumer 1
    // starts after those k-iterations.
    int stage = consumer * kIterations % STAGES;
    uint32_t phase = consumer * kIterations / STAGES & 1;
    int storeBuffer = 0;
    const uint32_t boxes = Cs + (threadIdx.x / 32 - WARPS_PER_CONSUMER) * STORE_BUFFERS * BOX_BYTES;
    for (int index = cluster + consumer * clusters; index < tiles.total; index += 2 * clusters) {
      float acc[M_INSTRUCTIONS][BN / 2];  // 64 x BN accumulators, BN / 2 per thread and instruction
      namedBarrierSync(MATH_ORDER_BARRIER + consumer, MATH_ORDER_THREADS);
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
      // All wgmma instructions of this tile are issued: the other consumer may start its main loop.
      namedBarrierArrive(MATH_ORDER_BARRIER + (1 - consumer), MATH_ORDER_THREADS);
      wgmmaWait<0>();
      if (releases) arrive(emptyBarriers + previousStage * BARRIER_BYTES);
      // Skip the k-iterations of the other consumer's tile.
      stage += kIterations % STAGES;
      phase ^= kIterations / STAGES & 1;
      if (stage >= STAGES) stage -= STAGES, phase ^= 1;

      // Epilogue: write the accumulators to C.
      const Tile tile = tiles.at(index, blockM, blockN);
      #pragma unroll
      for (int m = 0; m < M_INSTRUCTIONS; ++m) {
        const int row = tile.m + m * WGMMA_M;
        storeTile(acc[m], mapC, boxes, storeBuffer, row, tile.n);
      }
    }
    // Shared memory must remain valid until TMA has read the last boxes.
    if (thread % 32 == 0) tmaStoreWaitRead<0>();
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
inline cudaError_t gemm_wgmma_launch(int M, int N, int K,
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
                                        /*batch*/ 1, /*batchStride*/ 0, PANEL_SIDE_B, BK / CLUSTER_M, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapC, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, C, N, M, uint64_t(ldc) * sizeof(*C),
                                        /*batch*/ 1, /*batchStride*/ 0, STORE_COLUMNS, BOX_ROWS, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)) {
    return error;
  }
  cudaLaunchAttribute programmaticLaunch{};
  programmaticLaunch.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmaticLaunch.val.programmaticStreamSerializationAllowed = 1;
  constexpr int sharedBytes = 221264;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int clusters = rows * columns;
  cudaLaunchAttribute clusterShape{};
  clusterShape.id = cudaLaunchAttributeClusterDimension;
  clusterShape.val.clusterDim = {CLUSTER, 1, 1};
  const cudaLaunchConfig_t oneCluster = {dim3(CLUSTER), dim3(THREADS), sharedBytes, stream, &clusterShape, 1};
  int resident;
  if (cudaError_t error = cudaOccupancyMaxActiveClusters(&resident, gemm_wgmma, &oneCluster)) return error;
  const int blocks = (clusters < resident ? clusters : resident) * CLUSTER;
  const cudaLaunchConfig_t config = {dim3(blocks), dim3(THREADS), sharedBytes, stream, &programmaticLaunch, 1};
  return cudaLaunchKernelEx(&config, gemm_wgmma, mapA, mapB, mapC, M, N, K);
}
#endif

// Spec key: gemm-bf16-wgmma-4096x4096x4096-rrr-128x192x64-s5-c2x1-pp-pdl-row8
// @gemm {"entry":"gemm_wgmma","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"wgmma","block":{"m":128,"n":192,"k":64},"stages":5,"raster":{"order":"row","group":8},"cluster":{"m":2,"n":1},"consumers":2,"kernelSchedule":"pingpong","launch":"programmatic"},"device":"h200","targets":["cuda"],"grid":[132],"block":[384],"args":["tensorMapA","tensorMapB","tensorMapC","m","n","k"],"dynamicSharedBytes":221264,"tensorMaps":{"a":{"box":[64,128],"swizzleBytes":128},"b":{"box":[64,32],"swizzleBytes":128},"c":{"box":[64,16],"swizzleBytes":128}},"programmatic":true}
// @gemm-generated v1 sha256=f3b49f80718196d2513691b32e07dfa85f83ca0f8db8057c7812ae1b733e897f
