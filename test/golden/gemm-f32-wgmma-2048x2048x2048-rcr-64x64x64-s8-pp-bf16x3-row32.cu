// wgmma GEMM, f32: C = A * B
//
// Hopper's warp-group multiply: 2 warp groups take turns at tiles of 64 x 64: one multiplies while the other stores, in instructions of 64 x 64 x 16.
// Another, the producer, has tiles of A and B brought to 8 stages of shared memory by TMA, 64 deep, swizzled.
// Kernels before split A and B into 2 matrices of bf16 each, and 3 of their products are summed up; sums of 4 steps are added in f32.
// Sums are stored from registers.
// Blocks are persistent: there is one for each multiprocessor, and clusters walk the tiles.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: what lies past the edges arrives as zeros, and is not stored.
// Needs N a multiple of 2, ldc a multiple of 2, and matrices that begin at multiples of 16 bytes, as allocations do.
//
// Launch for 2048 x 2048 x 2048: grid 132, block 384, 131,200 B of shared memory, dynamic.
// Workspace: 33,554,432 B of pieces; what is in it before does not matter.
// Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c gemm-f32-wgmma-2048x2048x2048-rcr-64x64x64-s8-pp-bf16x3-row32.cu
// Call: gemm_wgmma_launch(M, N, K, A, lda, B, ldb, C, ldc, workspace, stream);
//
// @gemm {"version":1,"problem":{"m":2048,"n":2048,"k":2048,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"wgmma","block":{"m":64,"n":64,"k":64},"stages":8,"raster":{"order":"row","group":32},"cluster":{"m":1,"n":1},"consumers":2,"kernelSchedule":"pingpong","split":"bf16x3"},"device":"h200","targets":["cuda"],"grid":[132],"block":[384],"args":["tensorMapA","tensorMapB","c","ldc","m","n","k"],"dynamicSharedBytes":131200,"tensorMaps":{"a":{"box":[64,64],"swizzleBytes":128,"workspaceOffset":0,"ld":2048,"batchStride":4194304,"dtype":"bf16","pieces":2},"b":{"box":[64,64],"swizzleBytes":128,"workspaceOffset":16777216,"ld":2048,"batchStride":4194304,"dtype":"bf16","pieces":2}},"before":[{"entry":"gemm_wgmma_split_a","grid":[2048,8],"block":[256],"args":["m","k","a","lda","workspace"]},{"entry":"gemm_wgmma_split_b","grid":[2048,8],"block":[256],"args":["m","n","k","b","ldb","workspace"]}],"workspaceBytes":33554432}
// @gemm-generated v1 sha256=62ee89e2699f98dbf939ad26d222a1585f88c1e7fb1c541ea6dc3b9ac104d670

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

using Output = float;
using Pair = float2;

constexpr int BM = 64;                          // rows of C of a tile
constexpr int BN = 64;                          // columns of C of a tile, and of the instruction
constexpr int BK = 64;                          // depth of the tiles in shared memory
constexpr int ELEMENT_BYTES = 2;                // of A and B
constexpr int STAGES = 8;                       // tiles of A and of B that shared memory holds
constexpr int CONSUMERS = 2;                    // warp groups that multiply
constexpr int THREADS = 384;                    // threads a block: a producer, and the consumers
constexpr int CLUSTER_M = 1;                    // blocks of a cluster along M, which share B
constexpr int CLUSTER_N = 1;                    // blocks of a cluster along N, which share A
constexpr int PIECES = 2;                       // matrices whose sum A is, or B
constexpr int PRODUCTS = 3;                     // of them that are summed up, the smallest first
constexpr unsigned long long PIECES_A = 0x010;  // pieces of A in these products, the first in the low 4 bits
constexpr unsigned long long PIECES_B = 0x001;  // pieces of B
constexpr int PROMOTION = 4;                    // steps that tensor cores sum up
constexpr int GROUP = 32;                       // cluster tiles along M that are walked together
constexpr int RELEASES = 1;                     // arrivals after which a buffer is filled again
constexpr int PRODUCER_REGISTERS = 56;          // registers that the producer keeps
constexpr int CONSUMER_REGISTERS = 224;         // registers of a thread that multiplies

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

__device__ __forceinline__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
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
__device__ __forceinline__ void loadBox(uint32_t to, const CUtensorMap& map, uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
}

// Matrix multiply-accumulate of a warp group (PTX ISA, "wgmma"): 128 threads multiply tiles that lie in shared memory.

// Where a tile lies, for the instruction: its address, and the strides (in 16 bytes) from panel to panel along m or n, and from
// eight rows to the next eight. Swizzles of 128 and 64 bytes are modes 1 and 2 (PTX ISA, "Matrix descriptor").
__device__ __forceinline__ uint64_t descriptor(uint32_t address, int panelBytes, int groupBytes, int swizzleBytes) {
  // The instruction wants the place in shared memory, in 16 bytes.
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

// sums += A * B, of 64 rows, 64 columns and 16 depths; sums = A * B where nothing is to be added to.
__device__ __forceinline__ void multiply(float (&d)[BN / 2], uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{\n"
      ".reg .pred adds;\n"
      "setp.ne.b32 adds, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, "
      " %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, adds, 1, 1, 0, 0;\n"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
        "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
        "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
        "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(adds));
}

// From the sums of a warp group to C. A lane holds, of every 8 columns, two neighbours of row lane / 4 and of the row 8 further
// down; its warp's rows begin at 16 * warp (PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16").

constexpr int GROUP_ROWS = BM;  // of a consumer: each has tiles of its own
constexpr int PARTS = GROUP_ROWS / 64;  // an instruction multiplies 64 rows

// 64 rows from registers: lanes beside each other store pairs of columns.
__device__ __forceinline__ void storeTile(const float (&sums)[BN / 2], Output* C, int ldc, int M, int N, int row, int column) {
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
      if (n >= N) continue;
      Pair* to = reinterpret_cast<Pair*>(line + n);
      *to = Pair{Output(low), Output(high)};
    }
  }
}

// The kernel. One warp group, the producer, copies tiles of A and B into a ring of STAGES buffers; the others, the consumers,
// multiply them. Each buffer has two barriers: `full`, which the copies complete, and `empty`, at which consumers arrive.

constexpr int ROW_BYTES = BK * ELEMENT_BYTES;  // of what an instruction's depths are read from
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;

// In 16 bytes, from a descriptor to that of the next 64 rows of A, and of the next depth.
constexpr int PART_A = 64 * ROW_BYTES / 16, DEPTH_A = 32 / 16, DEPTH_B = 32 / 16;
__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return descriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }
__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return descriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES); }

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_wgmma(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
           float* C, int ldc,
           int M, int N, int K) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint32_t As = sharedAddress(shared);
  const uint32_t Bs = As + STAGES * A_BYTES;
  const uint32_t full = Bs + STAGES * B_BYTES;
  const uint32_t empty = full + STAGES * 8;

  // From the first lane, so that the compiler knows that a warp agrees on it, and keeps what follows in uniform registers.
  const int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
  constexpr int blockM = 0, blockN = 0;
  const int cluster = blockIdx.x, clusters = gridDim.x;
  const Tiles tiles(M, N);
  const int depths = (K + BK - 1) / BK, steps = PRODUCTS * depths;  // along K, and of a tile

  if (threadIdx.x == 0) {
    prefetchMap(mapA);
    prefetchMap(mapB);
    for (int stage = 0; stage < STAGES; ++stage) {
      initBarrier(full + stage * 8, 1);
      initBarrier(empty + stage * 8, RELEASES);
    }
    publishBarriers();
  }
  __syncthreads();

  if (group == 0) {
    shrinkTo<PRODUCER_REGISTERS>();
    if (threadIdx.x == 0) {
      int stage = 0;
      uint32_t phase = 0;
      for (int index = cluster; index < tiles.total; index += clusters) {
        const Tile tile = tiles.at(index, blockM, blockN);
        for (int step = 0; step < steps; ++step) {
          const int product = step / depths, k = step % depths * BK;
          const int pieceA = PIECES_A >> 4 * product & 15, pieceB = PIECES_B >> 4 * product & 15;
          waitFor(empty + stage * 8, phase ^ 1);
          const uint32_t barrier = full + stage * 8;
          expectBytes(barrier, A_BYTES + B_BYTES);
          const uint32_t a = As + stage * A_BYTES, b = Bs + stage * B_BYTES;
          loadBox(a, mapA, barrier, k, tile.m, pieceA);
          loadBox(b, mapB, barrier, k, tile.n, pieceB);
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
    }
  } else {
    growTo<CONSUMER_REGISTERS>();
    const int consumer = group - 1;
    const int thread = threadIdx.x % 128;
    const bool releases = thread == 0;
    const uint32_t released = empty;
    // While one consumer stores, the other multiplies: they take turns, and take every other tile.
    const int turn = 1 + CONSUMERS;
    if (consumer == 1) arriveThreads(turn, 256);
    const uint32_t rowsA = As;
    int stage = consumer * steps % STAGES;
    uint32_t phase = consumer * steps / STAGES & 1;
    for (int index = cluster + consumer * clusters; index < tiles.total; index += 2 * clusters) {
      float sums[PARTS][BN / 2];
      syncThreads(turn + consumer, 256);
      int before = stage;
      // Tensor cores cut off what fp32 would round, so they sum up PROMOTION steps at most; those sums are added up here.
      float partial[PARTS][BN / 2];
      #pragma unroll
      for (int m = 0; m < PARTS; ++m) {
        #pragma unroll
        for (int i = 0; i < BN / 2; ++i) sums[m][i] = 0;
      }
      for (int k = 0, run = 0; k < steps; ++k) {
        waitFor(full + stage * 8, phase);
        const uint64_t a = descriptorA(rowsA + stage * A_BYTES), b = descriptorB(Bs + stage * B_BYTES);
        fenceRegisters();
        #pragma unroll
        for (int depth = 0; depth < ROW_BYTES / 32; ++depth) {
          #pragma unroll
          for (int m = 0; m < PARTS; ++m) {
            multiply(partial[m], a + m * PART_A + depth * DEPTH_A, b + depth * DEPTH_B, run + depth > 0);
          }
        }
        commitProducts();
        // The products of the step before are summed: its buffer is free.
        waitForProducts<1>();
        if (k > 0 && releases) arrive(released + before * 8);
        before = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
        if (++run == PROMOTION || k + 1 == steps) {
          run = 0;
          waitForProducts<0>();
          #pragma unroll
          for (int m = 0; m < PARTS; ++m) {
            #pragma unroll
            for (int i = 0; i < BN / 2; ++i) sums[m][i] += partial[m][i];
          }
        }
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
        storeTile(sums[m], C, ldc, M, N, row, tile.n);
      }
    }
  }
}

constexpr int COPY_THREADS = 256;  // threads of a block that copies
constexpr int UNIT = 8;            // elements of 16 bytes, as TMA counts

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
gemm_wgmma_split_a(int M, int K,
                   const float* __restrict__ A, int lda,
                   __nv_bfloat16* __restrict__ workspace) {
  const int line = blockIdx.x;
  const int element = blockIdx.y * COPY_THREADS + threadIdx.x;
  if (element < K) {
    float rest;
    rest = A[line * lda + element];
    __nv_bfloat16 piece0;
    piece0 = __float2bfloat16(rest);
    workspace[line * ((K + UNIT - 1) / UNIT * UNIT) + element] = piece0;
    rest = rest - __bfloat162float(piece0);
    __nv_bfloat16 piece1;
    piece1 = __float2bfloat16(rest);
    workspace[(M + line) * ((K + UNIT - 1) / UNIT * UNIT) + element] = piece1;
  }
}


extern "C" __global__ void __launch_bounds__(COPY_THREADS)
gemm_wgmma_split_b(int M, int N, int K,
                   const float* __restrict__ B, int ldb,
                   __nv_bfloat16* __restrict__ workspace) {
  const int first = M * 2 * ((K + UNIT - 1) / UNIT * UNIT);
  const int line = blockIdx.x;
  const int element = blockIdx.y * COPY_THREADS + threadIdx.x;
  if (element < K) {
    float rest;
    rest = B[line * ldb + element];
    __nv_bfloat16 piece0;
    piece0 = __float2bfloat16(rest);
    workspace[first + line * ((K + UNIT - 1) / UNIT * UNIT) + element] = piece0;
    rest = rest - __bfloat162float(piece0);
    __nv_bfloat16 piece1;
    piece1 = __float2bfloat16(rest);
    workspace[first + (N + line) * ((K + UNIT - 1) / UNIT * UNIT) + element] = piece1;
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
// Before, A and B are split into 2 matrices each, in the workspace.
inline cudaError_t gemm_wgmma_launch(int M, int N, int K,
                                     const float* A, int lda, const float* B, int ldb,
                                     float* C, int ldc,
                                     __nv_bfloat16* workspace,
                                     cudaStream_t stream) {
  CUtensorMap mapA, mapB;
  if (cudaError_t error = makeTensorMap(&mapA, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, workspace, K, M, uint64_t((K + 7) / 8 * 8) * 2,
                                        PIECES, uint64_t(M) * ((K + 7) / 8 * 8) * 2, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)) {
    return error;
  }
  if (cudaError_t error = makeTensorMap(&mapB, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, workspace + size_t{1} * PIECES * M * ((K + 7) / 8 * 8), K, N, uint64_t((K + 7) / 8 * 8) * 2,
                                        PIECES, uint64_t(N) * ((K + 7) / 8 * 8) * 2, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)) {
    return error;
  }
  gemm_wgmma_split_a<<<dim3(M, (K + COPY_THREADS - 1) / COPY_THREADS), COPY_THREADS, 0, stream>>>(M, K, A, lda, workspace);
  gemm_wgmma_split_b<<<dim3(N, (K + COPY_THREADS - 1) / COPY_THREADS), COPY_THREADS, 0, stream>>>(M, N, K, B, ldb, workspace);
  constexpr int sharedBytes = 131200;
  if (cudaError_t error = cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;
  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);
  const int tiles = rows * columns;
  int device, held;
  if (cudaError_t error = cudaGetDevice(&device)) return error;
  if (cudaError_t error = cudaDeviceGetAttribute(&held, cudaDevAttrMultiProcessorCount, device)) return error;
  const int blocks = tiles < held ? tiles : held;
  gemm_wgmma<<<blocks, THREADS, sharedBytes, stream>>>(mapA, mapB, C, ldc, M, N, K);
  return cudaGetLastError();
}
#endif
