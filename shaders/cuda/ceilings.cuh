// Measured ceilings of this GPU: FMA throughput from registers, and bandwidth of each memory level.

namespace harness {

constexpr int kChains = 8;

// A chain consists of one accumulator, or of two f16 accumulators that one instruction updates.
template <typename T>
__device__ inline T chainOf(float value) {
  if constexpr (std::is_same_v<T, __half2>) return __float2half2_rn(value);
  else return static_cast<T>(value);
}

template <typename T>
__device__ inline T fmaStep(T chain, T x, T y) {
  if constexpr (std::is_same_v<T, __half2>) return __hfma2(chain, x, y);
  else return chain * x + y;
}

// Executes FMAs in kChains independent chains per thread, enough to hide the FMA latency.
template <typename T>
__global__ void multiplyAdd(T* out, float factor, float addend, int steps) {
  const T x = chainOf<T>(factor), y = chainOf<T>(addend);
  T chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = chainOf<T>(static_cast<float>(threadIdx.x + i));
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) chain[i] = fmaStep(chain[i], x, y);
  }
  unsigned long long bits = 0;
  for (int i = 0; i < kChains; ++i) {
    unsigned long long part = 0;
    memcpy(&part, &chain[i], sizeof(T) < sizeof part ? sizeof(T) : sizeof part);
    bits += part;
  }
  // This condition is practically never true, but it prevents dead-code elimination.
  if (bits == 0x12345678) *out = chain[0];
}

__global__ void copy(const float4* __restrict__ from, float4* __restrict__ to, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
    to[i] = from[i];
  }
}

// Reads the buffer `from` `times` times, bypassing the L1 cache.
__global__ void readThroughL2(const float4* from, float* out, long long count, int times) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  float sum = 0;
  for (int time = 0; time < times; ++time) {
#pragma unroll 4
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
      const float4 v = __ldcg(from + i);
      sum += v.x + v.y + v.z + v.w;
    }
  }
  if (sum == 12345.678f) *out = sum;
}

// Reads 16 bytes per thread without bank conflicts: 512 bytes per warp in four wavefronts. The
// reads are volatile, since the compiler would otherwise hoist loop-invariant reads.
__global__ void readShared(float* out, int steps) {
#ifdef __CUDA_ARCH__
  __shared__ float4 data[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) data[i] = make_float4(1, 2, 3, static_cast<float>(i));
  __syncthreads();
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(data)), own = threadIdx.x % 1024 * 16;
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float x, y, z, w;
      const unsigned at = base + (own ^ static_cast<unsigned>(i * 512));
      asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at));
      sum += x + y + z + w;
    }
  }
  if (sum == 12345.678f) *out = sum;
#endif
}

class Ceilings {
 public:
  Ceilings(Timer& timer, const cudaDeviceProp& device) : timer_(timer), device_(device) {}

  // Returns the throughput in 1e9 operations per second; an FMA counts as two operations.
  double multiplyAdds(Type type) {
    switch (type) {
      case Type::f64: return chains<double>(1);
      case Type::f16: return chains<__half2>(2);
      case Type::s32: return chains<int>(1);
      default: return chains<float>(1);
    }
  }

  // Returns the DRAM bandwidth of the faster copy, by a kernel or by the driver: reads plus writes,
  // in 1e9 bytes per second.
  double dram() {
    size_t freeBytes = 0, totalBytes = 0;
    check(cudaMemGetInfo(&freeBytes, &totalBytes), kDoing);
    // If memory permits, the buffer is at least 8 times as large as the L2 cache.
    const size_t wanted = std::max<size_t>(size_t{1} << 30, 8 * static_cast<size_t>(device_.l2CacheSize));
    const size_t bytes = std::min(wanted, freeBytes / 3) / 256 * 256;
    Memory from, to;
    from.take(double(bytes), kDoing);
    to.take(double(bytes), kDoing);
    check(cudaMemset(from.take(0, kDoing), 1, bytes), kDoing);
    const double kernelMs = median([&] {
      copy<<<device_.multiProcessorCount * 16, 512, 0, timer_.stream>>>(
          reinterpret_cast<const float4*>(from.take(0, kDoing)), reinterpret_cast<float4*>(to.take(0, kDoing)),
          static_cast<long long>(bytes / sizeof(float4)));
    });
    const double driverMs = median([&] {
      check(cudaMemcpyAsync(to.take(0, kDoing), from.take(0, kDoing), bytes, cudaMemcpyDeviceToDevice, timer_.stream), kDoing);
    });
    return 2.0 * double(bytes) / (std::min(kernelMs, driverMs) * 1e6);
  }

  // Returns the L2 read bandwidth in 1e9 bytes per second. The buffer is a third of the cache, so
  // that all data stays in it.
  double l2() {
    const long long bytes = std::max(1ll << 20, static_cast<long long>(device_.l2CacheSize) / 3 / 256 * 256);
    constexpr int times = 20;
    Memory data;
    char* from = data.take(double(bytes), kDoing);
    check(cudaMemset(from, 0, static_cast<size_t>(bytes)), kDoing);
    const double ms = median([&] {
      readThroughL2<<<device_.multiProcessorCount * 2, 1024, 0, timer_.stream>>>(
          reinterpret_cast<const float4*>(from), reinterpret_cast<float*>(from), bytes / 16, times);
    });
    return double(bytes) * times / (ms * 1e6);
  }

  // Returns the shared-memory read bandwidth of all SMs in 1e9 bytes per second.
  double shared() {
    Memory out;
    float* to = reinterpret_cast<float*>(out.take(4, kDoing));
    constexpr int threads = 1024, steps = 2048;
    const int blocks = device_.multiProcessorCount * 2;
    const double ms = median([&] { readShared<<<blocks, threads, 0, timer_.stream>>>(to, steps); });
    return 8.0 * 16 * steps * double(threads) * blocks / (ms * 1e6);
  }

  cudaStream_t stream() const { return timer_.stream; }

  // Returns the median time of some work in milliseconds, after a warm-up that raises the clocks.
  double median(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < kWarmUp + kTimes; ++i) {
      const double ms = timer_.time([&] {
        work();
        check(cudaGetLastError(), kDoing);
      });
      if (i >= kWarmUp) times.push_back(ms);
    }
    return quantile(times, 0.5);
  }

  static constexpr const char* kHow =
      "FMA chains in registers; a copy within device memory, reads plus writes; medians of 11";

 private:
  static constexpr int kWarmUp = 3, kTimes = 11;
  static constexpr const char* kDoing = "Measuring the ceilings";

  template <typename T>
  double chains(int accumulatorsPerChain) {
    Memory out;
    T* to = reinterpret_cast<T*>(out.take(sizeof(T), kDoing));
    constexpr int threads = 256, steps = 16384;
    const int blocks = device_.multiProcessorCount * 16;
    const float factor = std::is_same_v<T, int> ? 3.0f : 0.9999f;
    const double ms = median([&] { multiplyAdd<T><<<blocks, threads, 0, timer_.stream>>>(to, factor, 1.0f, steps); });
    return 2.0 * accumulatorsPerChain * kChains * steps * double(threads) * blocks / (ms * 1e6);
  }

  Timer& timer_;
  const cudaDeviceProp& device_;
};

}  // namespace harness
