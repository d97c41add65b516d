// Measured tensor-core ceilings: mma.sync from registers, and on Hopper wgmma from shared memory (PTX ISA,
// "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous Warpgroup Level Matrix Instructions").

namespace harness {

// Measured rate of one kind of MMA instruction.
struct TensorCeiling {
  std::string id;
  double gflops;
};

constexpr const char* kTensorHow =
    "mma.sync on random bits in registers, eight independent accumulators per warp; wgmma m64n128 of random bits in shared memory";

// Operands are pseudo-random: zeros would draw less power and run at higher clocks. Exponents are
// kept small.
__device__ inline unsigned operandBits(unsigned index) { return pcgHash(index) & 0xbfffbfffu; }

struct MmaF16 {
  static constexpr const char* id = "mma.f16.f32";
  static constexpr double flops = 2.0 * 16 * 8 * 16;
  static constexpr int minimum = 80;
  using Accumulator = float;
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
struct MmaBf16 {
  static constexpr const char* id = "mma.bf16.f32";
  static constexpr double flops = 2.0 * 16 * 8 * 16;
  static constexpr int minimum = 80;
  using Accumulator = float;
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
struct MmaTf32 {
  static constexpr const char* id = "mma.tf32.f32";
  static constexpr double flops = 2.0 * 16 * 8 * 8;
  static constexpr int minimum = 80;
  using Accumulator = float;
  __device__ static void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
struct MmaS8 {
  static constexpr const char* id = "mma.s8.s32";
  static constexpr double flops = 2.0 * 16 * 8 * 32;
  static constexpr int minimum = 80;
  using Accumulator = int;
  __device__ static void multiply(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
struct MmaF64 {
  static constexpr const char* id = "mma.f64.f64";
  static constexpr double flops = 2.0 * 16 * 8 * 8;
  static constexpr int minimum = 80;
  using Accumulator = double;
  __device__ static void multiply(double (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    const double x = __hiloint2double(static_cast<int>(a[0] & 0x3fffffff), static_cast<int>(a[1]));
    const double y = __hiloint2double(static_cast<int>(b[0] & 0x3fffffff), static_cast<int>(b[1]));
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(x), "d"(y));
#else
    // Before Hopper, four m8n8k4 instructions do the same work.
    for (int i = 0; i < 4; ++i) {
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(d[i % 2 * 2]), "+d"(d[i % 2 * 2 + 1])
                   : "d"(x), "d"(y));
    }
#endif
  }
};

template <class Mma>
__global__ void multiplyTensors(float* out, int steps) {
#if __CUDA_ARCH__ >= 800
  constexpr int kAccumulators = 8;
  unsigned a[4], b[2];
  for (unsigned i = 0; i < 4; ++i) a[i] = operandBits(threadIdx.x * 8 + i);
  for (unsigned i = 0; i < 2; ++i) b[i] = operandBits(threadIdx.x * 8 + 4 + i);
  typename Mma::Accumulator acc[kAccumulators][4] = {};
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < kAccumulators; ++i) Mma::multiply(acc[i], a, b);
  }
  double total = 0;
  for (int i = 0; i < kAccumulators; ++i) total += double(acc[i][0]) + double(acc[i][1]);
  if (total == 12345.678) *out = static_cast<float>(total);
#endif
}

template <class Mma>
TensorCeiling tensorCeiling(Ceilings& measure, const cudaDeviceProp& device) {
  if (device.major * 10 + device.minor < Mma::minimum) return {Mma::id, 0};
  Memory out;
  float* to = reinterpret_cast<float*>(out.take(4, "Measuring the ceilings"));
  constexpr int threads = 256, steps = 2048, accumulators = 8;
  const int blocks = device.multiProcessorCount * 2;
  const double ms = measure.median([&] { multiplyTensors<Mma><<<blocks, threads, 0, measure.stream()>>>(to, steps); });
  return {Mma::id, Mma::flops * accumulators * steps * (threads / 32) * blocks / (ms * 1e6)};
}

// Each thread has 64 accumulators, one assembler operand each.
#define HARNESS_ACC8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define HARNESS_WGMMA(shape, types, tail)                                                                               \
  asm volatile("wgmma.mma_async.sync.aligned." shape "." types                                                          \
               " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"   \
               "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"   \
               "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1" tail ";"                           \
               : HARNESS_ACC8(d, 0), HARNESS_ACC8(d, 8), HARNESS_ACC8(d, 16), HARNESS_ACC8(d, 24),                  \
                 HARNESS_ACC8(d, 32), HARNESS_ACC8(d, 40), HARNESS_ACC8(d, 48), HARNESS_ACC8(d, 56)                 \
               : "l"(a), "l"(b))

enum class Wgmma { f16, bf16, tf32, e4m3 };

template <Wgmma kind>
__global__ void __launch_bounds__(256) multiplyWarpGroups(float* out, int steps) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  // A has 64 rows and B has 128 rows, of 32 bytes each; each of the two warp groups has a tile.
  __shared__ alignas(1024) unsigned tiles[2][3072];
  for (unsigned i = threadIdx.x; i < 2 * 3072; i += blockDim.x) tiles[0][i] = operandBits(i) & (kind == Wgmma::e4m3 ? 0x3f3f3f3fu : ~0u);
  __syncthreads();
  // Make the writes visible to the async proxy, through which wgmma reads shared memory.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  const unsigned* own = tiles[threadIdx.x / 128];
  // Matrix descriptors without swizzle: address, and strides of 128 and 256 bytes between core
  // matrices, in 16-byte units.
  const auto descriptor = [](const unsigned* at) {
    const unsigned long long address = static_cast<unsigned long long>(__cvta_generic_to_shared(at)) >> 4 & 0x3fff;
    return address | 8ull << 16 | 16ull << 32;
  };
  const unsigned long long a = descriptor(own), b = descriptor(own + 1024);
  float d[64] = {};
  for (int step = 0; step < steps; ++step) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if constexpr (kind == Wgmma::f16) HARNESS_WGMMA("m64n128k16", "f32.f16.f16", ", 0, 0");
      else if constexpr (kind == Wgmma::bf16) HARNESS_WGMMA("m64n128k16", "f32.bf16.bf16", ", 0, 0");
      else if constexpr (kind == Wgmma::tf32) HARNESS_WGMMA("m64n128k8", "f32.tf32.tf32", "");
      else HARNESS_WGMMA("m64n128k32", "f32.e4m3.e4m3", "");
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float total = 0;
  for (const float each : d) total += each;
  if (total == 12345.678f) *out = total;
#endif
}

template <Wgmma kind>
TensorCeiling warpGroupCeiling(const char* id, int k, Ceilings& measure, const cudaDeviceProp& device) {
  Memory out;
  float* to = reinterpret_cast<float*>(out.take(4, "Measuring the ceilings"));
  constexpr int steps = 512;
  const int blocks = device.multiProcessorCount * 2;
  const double ms = measure.median([&] { multiplyWarpGroups<kind><<<blocks, 256, 0, measure.stream()>>>(to, steps); });
  return {id, 2.0 * 64 * 128 * k * 8 * steps * 2 * blocks / (ms * 1e6)};
}

inline std::vector<TensorCeiling> tensorCeilings(Ceilings& measure, const cudaDeviceProp& device) {
  std::vector<TensorCeiling> found = {
      tensorCeiling<MmaF16>(measure, device), tensorCeiling<MmaBf16>(measure, device), tensorCeiling<MmaTf32>(measure, device),
      tensorCeiling<MmaS8>(measure, device),  tensorCeiling<MmaF64>(measure, device)};
#ifdef HARNESS_SM90A
  found.push_back(warpGroupCeiling<Wgmma::f16>("wgmma.f16.f32", 16, measure, device));
  found.push_back(warpGroupCeiling<Wgmma::bf16>("wgmma.bf16.f32", 16, measure, device));
  found.push_back(warpGroupCeiling<Wgmma::tf32>("wgmma.tf32.f32", 8, measure, device));
  found.push_back(warpGroupCeiling<Wgmma::e4m3>("wgmma.e4m3.f32", 32, measure, device));
#endif
  return found;
}

#undef HARNESS_WGMMA
#undef HARNESS_ACC8

}  // namespace harness
