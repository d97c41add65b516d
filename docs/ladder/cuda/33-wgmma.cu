// wgmma GEMM, bf16, summed in f32: C = A * B
//
// Hopper's warp-group multiply: 2 warp groups take turns at tiles of 128 x 192: one multiplies while the other stores, in instructions of 64 x 192 x 16.
// Another, the producer, has tiles of A and B brought to 5 stages of shared memory by TMA, 64 deep, swizzled.
// 2 blocks of a cluster, 2 x 1, share what they load (multicast).
// Sums pass through shared memory in boxes of 16 x 64, which TMA stores.
// Blocks are persistent: there is one for each multiprocessor, and clusters walk the tiles.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: what lies past the edges arrives as zeros, and is not stored.
// Needs lda a multiple of 8, ldb a multiple of 8, ldc a multiple of 8, and matrices that begin at multiples of 16 bytes, as allocations do.
//
// Launch for 4096 x 4096 x 4096: grid 132, block 384, 221,264 B of shared memory, dynamic.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c 33-wgmma.cu
// Call: gemm_wgmma_launch(M, N, K, A, lda, B, ldb, C, ldc, stream);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"wgmma","block":{"m":128,"n":192,"k":64},"stages":5,"raster":{"order":"row","group":8},"cluster":{"m":2,"n":1},"consumers":2,"kernelSchedule":"pingpong"},"device":"h200","targets":["cuda"],"grid":[132],"block":[384],"args":["tensorMapA","tensorMapB","tensorMapC","m","n","k"],"dynamicSharedBytes":221264,"tensorMaps":{"a":{"box":[64,128],"swizzleBytes":128},"b":{"box":[64,32],"swizzleBytes":128},"c":{"box":[64,16],"swizzleBytes":128}}}
// @gemm-generated v1 sha256=493cd1d85e974916ac828522164c6365cd597bb3406acee5cf3c40bd70635284

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

constexpr int BM = 128;                  // rows of C of a tile
constexpr int BN = 192;                  // columns of C of a tile, and of the instruction
constexpr int BK = 64;                   // depth of the tiles in shared memory
constexpr int ELEMENT_BYTES = 2;         // of A and B
constexpr int STAGES = 5;                // tiles of A and of B that shared memory holds
constexpr int CONSUMERS = 2;             // warp groups that multiply
constexpr int THREADS = 384;             // threads a block: a producer, and the consumers
constexpr int CLUSTER_M = 2;             // blocks of a cluster along M, which share B
constexpr int CLUSTER_N = 1;             // blocks of a cluster along N, which share A
constexpr int GROUP = 8;                 // cluster tiles along M that are walked together
constexpr int RELEASES = 2;              // arrivals after which a buffer is filled again
constexpr int PRODUCER_REGISTERS = 40;   // registers that the producer keeps
constexpr int CONSUMER_REGISTERS = 232;  // registers of a thread that multiplies
constexpr int OUT_BUFFERS = 1;           // boxes of C in shared memory of a warp
constexpr int OUT_COLUMNS = 64;          // columns of a box

// Barriers in shared memory (PTX ISA, "mbarrier"). Shared memory is addressed by 32 bits here, as its instructions take it.

__device__ __forceinline__ uint32_t sharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void initBarrier(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// One arrival, and so many bytes that copies will bring before the phase ends.
__device__ __forceinline__ void expectBytes(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Waits until the phase of this parity has ended.
__device__ __forceinline__ void waitFor(uint32_t barrier, uint32_t parity) {
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

// The same place in the shared memory of another block of the cluster.
__device__ __forceinline__ uint32_t inBlock(uint32_t address, uint32_t rank) {
  uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ uint32_t clusterRank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of the cluster meet. What they wrote before is not waited for, which takes long.
__device__ __forceinline__ void meetCluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Makes barriers that were initialised known to copies, and to the other blocks of the cluster.
__device__ __forceinline__ void publishBarriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Copies of boxes between global and shared memory (PTX ISA, "cp.async.bulk.tensor"), described by tensor maps: what lies
// outside of the matrix arrives as zeros, and is not stored.

__device__ __forceinline__ void prefetchMap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// A box whose first element is (x, y): x counts along the contiguous side. The barrier counts its bytes.
__device__ __forceinline__ void loadBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y) : "memory");
}

// The same box to the same place, and the same barrier, of each block of the cluster whose bit is set.
__device__ __forceinline__ void multicastBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, uint16_t blocks, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], "
      "[%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(blocks), "r"(x), "r"(y) : "memory");
}

__device__ __forceinline__ void storeBox(const CUtensorMap& map, uint32_t from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(from), "r"(x),
               "r"(y) : "memory");
}

__device__ __forceinline__ void commitStores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Until all but the last `pending` stores of this thread have read shared memory.
template <int pending>
__device__ __forceinline__ void waitForStores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// What was written to shared memory before is seen by stores after it.
__device__ __forceinline__ void showToStores() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Matrix multiply-accumulate of a warp group (PTX ISA, "wgmma"): 128 threads multiply tiles that lie in shared memory.

// Where a tile lies, for the instruction: its address, and the strides (in 16 bytes) from panel to panel along m or n, and from
// eight rows to the next eight. Swizzles of 128 and 64 bytes are modes 1 and 2 (PTX ISA, "Matrix descriptor").
__device__ __forceinline__ uint64_t descriptor(uint32_t address, int panelBytes, int groupBytes, int swizzleBytes) {
  // The address says the block of the cluster, too; the instruction wants the place in shared memory alone.
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(panelBytes >> 4) << 16 | uint64_t(groupBytes >> 4) << 32 |
         uint64_t(swizzleBytes == 128 ? 1 : 2) << 62;
}

// Before the first instruction, and wherever registers were written that it reads.
__device__ __forceinline__ void fenceRegisters() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Until all but the last `pending` groups of products are summed.
template <int pending>
__device__ __forceinline__ void waitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Threads of some warps meet; those that only arrive go on.
__device__ __forceinline__ void syncThreads(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void arriveThreads(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// The warp group gives registers back, or takes them.
template <int registers>
__device__ __forceinline__ void shrinkTo() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ __forceinline__ void growTo() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// Which tile of C a block computes, and when: clusters walk the tiles in strips of GROUP rows, column after column, so that
// those that run at the same time share rows of A and columns of B in the L2 cache.

struct Tile {
  int m, n;  // first row and column
};

struct Tiles {
  int rows, columns;  // of cluster tiles
  int total;

  __device__ Tiles(int M, int N)
      : rows((M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)), columns((N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        total(rows * columns) {}

  // Of the block at (blockM, blockN) of its cluster.
  __device__ Tile at(int index, int blockM, int blockN) const {
    const int strip = index / (GROUP * columns);
    const int inStrip = index - strip * GROUP * columns;
    const int height = min(GROUP, rows - strip * GROUP);
    const int m = strip * GROUP + inStrip % height, n = inStrip / height;
    return {(m * CLUSTER_M + blockM) * BM, (n * CLUSTER_N + blockN) * BN};
  }
};

// sums += A * B, of 64 rows, 192 columns and 16 depths; sums = A * B where nothing is to be added to.
__device__ __forceinline__ void multiply(float (&d)[BN / 2], uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{\n"
      ".reg .pred adds;\n"
      "setp.ne.b32 adds, %98, 0;\n"
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
      "%96, %97, adds, 1, 1, 0, 1;\n"
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
      : "l"(a), "l"(b), "r"(adds));
}

// From the sums of a warp group to C. A lane holds, of every 8 columns, two neighbours of row lane / 4 and of the row 8 further
// down; its warp's rows begin at 16 * warp (PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16").

constexpr int GROUP_ROWS = BM;  // of a consumer: each has tiles of its own
constexpr int PARTS = GROUP_ROWS / 64;  // an instruction multiplies 64 rows

// Two sums as two neighbouring elements of C.
__device__ __forceinline__ uint32_t packed(float low, float high) {
  uint32_t out;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
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
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], const CUtensorMap& map, uint32_t boxes, int& slot, int row,
                                          int column) {
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
      storeBox(map, place, column + first, row + warp * BOX_ROWS);
      commitStores();
    }
    slot = slot + 1 == OUT_BUFFERS ? 0 : slot + 1;
  }
}

// The kernel. One warp group, the producer, copies tiles of A and B into a ring of STAGES buffers; the others, the consumers,
// multiply them. Each buffer has two barriers: `full`, which the copies complete, and `empty`, at which consumers arrive.

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // of what an instruction's depths are read from
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;

// In 16 bytes, from a descriptor to that of the next 64 rows of A, and of the next depth.
constexpr int PART_A = 64 * ROW_BYTES / 16, DEPTH_A = 32 / 16, DEPTH_B = 16 * 128 / 16;
__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return descriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }
__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return descriptor(address, BK * 128, 8 * 128, 128); }

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
gemm_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
           const __grid_constant__ CUtensorMap mapC,
           int M, int N, int K) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
  const uint32_t Cs = Bs + STAGES * B_BYTES;
  const uint32_t full = Cs + CONSUMERS * 4 * OUT_BUFFERS * BOX_BYTES;
  const uint32_t empty = full + STAGES * 8;

  // From the first lane, so that the compiler knows that a warp agrees on it, and keeps what follows in uniform registers.
  const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  const int rank = clusterRank();
  const int blockM = rank % CLUSTER_M, blockN = rank / CLUSTER_M;
  const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  const Tiles tiles(M, N);
  const int steps = (K + BK - 1) / BK;

  if (threadIdx.x == 0) {
    prefetchMap(mapA);
    prefetchMap(mapB);
    prefetchMap(mapC);
    for (int stage = 0; stage < STAGES; ++stage) {
      initBarrier(full + stage * 8, 1);
      initBarrier(empty + stage * 8, RELEASES);
    }
    publishBarriers();
  }
  meetCluster();

  if (group == 0) {
    shrinkTo<PRODUCER_REGISTERS>();
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;
      // Blocks of a column of the cluster need the same tile of B: each loads its part.
      const uint16_t column = ((1 << CLUSTER_M) - 1) << (blockN * CLUSTER_M);
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
        for (int k = 0; k < steps * BK; k += BK) {
          waitFor(empty + stage * 8, phase ^ 1);
          const uint32_t barrier = full + stage * 8;
          expectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          loadBox(a, mapA, barrier, k, tile.m);
          for (int panel = 0; panel < BN / 64; ++panel) {
            multicastBox(b + panel * (BK * 128) + blockM * (BK / CLUSTER_M * 128), mapB, barrier, column, tile.n + panel * 64, k + blockM * (BK / CLUSTER_M));
          }
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
      // Blocks that had tiles from here tell so here: this one stays until all of them have.
      for (int i = 0; i < STAGES; ++i) {
        waitFor(empty + stage * 8, phase ^ 1);
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
    }
  } else {
    growTo<CONSUMER_REGISTERS>();
    const int consumer = group - 1;
    const int thread = threadIdx.x % 128;
    // The blocks whose copies bring this one's tiles: of its row of the cluster, and of its column.
    const bool releases = thread < CLUSTER_M + CLUSTER_N - 1;
    const int other = thread - CLUSTER_N;
    const uint32_t target = thread < CLUSTER_N ? blockM + thread * CLUSTER_M
                                               : (other + (other >= blockM)) + blockN * CLUSTER_M;
    const uint32_t released = inBlock(empty, releases ? target : 0);
    // While one consumer stores, the other multiplies: they take turns, and take every other tile.
    const int turn = 1 + CONSUMERS;
    if (consumer == 1) arriveThreads(turn, 256);
    const uint32_t rowsA = As;
    int stage = consumer * steps % STAGES;
    uint32_t phase = consumer * steps / STAGES & 1;
    int slot = 0;
    const uint32_t boxes = Cs + (threadIdx.x / 32 - 4) * OUT_BUFFERS * BOX_BYTES;
    for (int index = cluster + consumer * clusters; index < tiles.total; index += 2 * clusters) {
      float sums[PARTS][BN / 2];
      syncThreads(turn + consumer, 256);
      int before = stage;
      for (int k = 0; k < steps; ++k) {
        waitFor(full + stage * 8, phase);
        const uint64_t a = descriptorA(rowsA + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
        fenceRegisters();
        #pragma unroll
        for (int depth = 0; depth < ROW_BYTES / 32; ++depth) {
          #pragma unroll
          for (int m = 0; m < PARTS; ++m) {
            multiply(sums[m], a + m * PART_A + depth * DEPTH_A, b + depth * DEPTH_B, k + depth > 0);
          }
        }
        commitProducts();
        // The products of the step before are summed: its buffer is free.
        waitForProducts<1>();
        if (k > 0 && releases) arrive(released + before * 8);
        before = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
      arriveThreads(turn + (1 - consumer), 256);
      waitForProducts<0>();
      if (releases) arrive(released + before * 8);
      // The other consumer's steps.
      stage += steps % STAGES;
      phase ^= steps / STAGES & 1;
      if (stage >= STAGES) stage -= STAGES, phase ^= 1;

      const Tile tile = tiles.at(index, blockM, blockN);
      #pragma unroll
      for (int m = 0; m < PARTS; ++m) {
        const int row = tile.m + m * 64;
        storeTile(sums[m], mapC, boxes, slot, row, tile.n);
      }
    }
    // The next block of this multiprocessor has the same shared memory: the last boxes are read before.
    if (thread % 32 == 0) waitForStores<0>();
  }
}

#ifndef __CUDACC_RTC__
// A map of `batch` matrices, strides in bytes, of which TMA moves boxes of boxInner x boxOuter elements.
inline cudaError_t makeTensorMap(CUtensorMap* map, CUtensorMapDataType type, const void* matrix, uint64_t inner, uint64_t outer,
                                 uint64_t pitch, uint64_t batch, uint64_t batchPitch, uint32_t boxInner, uint32_t boxOuter,
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
  const cuuint64_t sizes[] = {inner, outer, batch}, strides[] = {pitch, batchPitch};
  const cuuint32_t box[] = {boxInner, boxOuter, 1}, steps[] = {1, 1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
      map, type, rank, const_cast<void*>(matrix), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

// Makes the tensor maps and launches as many blocks as the GPU holds, as far as there are tiles.
inline cudaError_t gemm_wgmma_launch(int M, int N, int K,
                                     const __nv_bfloat16* A, int lda, const __nv_bfloat16* B, int ldb,
                                     __nv_bfloat16* C, int ldc,
                                     cudaStream_t stream) {
  CUtensorMap mapA, mapB, mapC;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, A, K, M, uint64_t(lda) * 2,
                                        1, 0, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, B, N, K, uint64_t(ldb) * 2,
                                        1, 0, 64, 32, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 2)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapC, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, C, N, M, uint64_t(ldc) * 2,
                                        1, 0, 64, 16, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 2)) {
    return error;
  }
  constexpr int sharedBytes = 221264;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int clusters = rows * columns;
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim = {CLUSTER, 1, 1};
  const cudaLaunchConfig_t one = {dim3(CLUSTER), dim3(THREADS), sharedBytes, stream, &shape, 1};
  int held;
  if (cudaError_t error = cudaOccupancyMaxActiveClusters(&held, gemm_wgmma, &one)) return error;
  const int blocks = (clusters < held ? clusters : held) * CLUSTER;
  gemm_wgmma<<<blocks, THREADS, sharedBytes, stream>>>(mapA, mapB, mapC, M, N, K);
  return cudaGetLastError();
}
#endif
