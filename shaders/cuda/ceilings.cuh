// What this GPU reaches at best: multiply-adds from registers, and copying within its memory.

namespace harness {

constexpr int kChains = 8;

// A chain holds sums: two of f16, which one instruction computes, or one.
constexpr int kSumsPerChain = sizeof(Chain) / sizeof(Accumulator);

template <typename T>
__device__ inline T chainOf(float value) {
  const Accumulator sum = static_cast<Accumulator>(value);
  T chain;
  for (int i = 0; i < kSumsPerChain; ++i) {
    memcpy(reinterpret_cast<Accumulator*>(&chain) + i, &sum, sizeof sum);
  }
  return chain;
}

template <typename T>
__device__ inline T multiplyAdded(T chain, T x, T y) {
  if constexpr (kSumsPerChain == 2) return __hfma2(chain, x, y);
  else return chain * x + y;
}

// Independent chains a thread, enough to hide the latency of a multiply-add.
__global__ void multiplyAdd(Chain* out, float factor, float addend, int steps) {
  const Chain x = chainOf<Chain>(factor), y = chainOf<Chain>(addend);
  Chain chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = chainOf<Chain>(static_cast<float>(threadIdx.x + i));
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) chain[i] = multiplyAdded(chain[i], x, y);
  }
  unsigned long long bits = 0;
  for (int i = 0; i < kChains; ++i) {
    unsigned long long part = 0;
    memcpy(&part, &chain[i], sizeof part < sizeof(Chain) ? sizeof part : sizeof(Chain));
    bits += part;
  }
  // Hardly ever true, but the compiler cannot know.
  if (bits == 0x12345678) *out = chain[0];
}

__global__ void copy(const float4* __restrict__ from, float4* __restrict__ to, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
    to[i] = from[i];
  }
}

inline double medianOf(Timer& timer, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < 14; ++i) times.push_back(timer.time(work));
  // The first ones bring the clocks up.
  std::sort(times.begin() + 3, times.end());
  return times[3 + (times.size() - 3) / 2];
}

inline std::string measureCeilings(Timer& timer, const cudaDeviceProp& device) {
  progress("ceilings", 0);
  Chain* out = nullptr;
  check(cudaMalloc(&out, sizeof *out), "Measuring the ceilings");
  constexpr int threads = 256, steps = 16384;
  const int blocks = device.multiProcessorCount * 16;
  const double ms = medianOf(timer, [&] {
    multiplyAdd<<<blocks, threads, 0, timer.stream>>>(out, kInteger ? 3.0f : 0.9999f, 1.0f, steps);
    check(cudaGetLastError(), "Measuring the ceilings");
  });
  const double operations = 2.0 * kSumsPerChain * kChains * steps * double(threads) * blocks;
  check(cudaFree(out), "Measuring the ceilings");

  progress("ceilings", 0.5);
  size_t freeBytes = 0, totalBytes = 0;
  check(cudaMemGetInfo(&freeBytes, &totalBytes), "Measuring the ceilings");
  // Far more than the cache holds.
  const size_t wanted = std::max<size_t>(size_t{1} << 30, 8 * static_cast<size_t>(device.l2CacheSize));
  const size_t bytes = std::min(wanted, freeBytes / 3) / 256 * 256;
  void *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, bytes), "Measuring the ceilings");
  check(cudaMalloc(&to, bytes), "Measuring the ceilings");
  check(cudaMemset(from, 1, bytes), "Measuring the ceilings");
  const double kernelMs = medianOf(timer, [&] {
    copy<<<device.multiProcessorCount * 16, 512, 0, timer.stream>>>(
        static_cast<const float4*>(from), static_cast<float4*>(to), static_cast<long long>(bytes / sizeof(float4)));
    check(cudaGetLastError(), "Measuring the ceilings");
  });
  const double driverMs = medianOf(timer, [&] {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, timer.stream), "Measuring the ceilings");
  });
  check(cudaFree(from), "Measuring the ceilings");
  check(cudaFree(to), "Measuring the ceilings");
  const double bandwidth = 2.0 * double(bytes) / (std::min(kernelMs, driverMs) * 1e6);
  return ",\"ceilings\":{\"gflops\":" + number(operations / (ms * 1e6)) +
         ",\"bandwidthGBps\":" + number(bandwidth) +
         ",\"how\":" + quoted("chains of multiply-adds in registers; a copy of " +
                              number(std::round(double(bytes) / 1048576)) +
                              " MiB within device memory, read and written; medians of 11") +
         "}";
}

}  // namespace harness
