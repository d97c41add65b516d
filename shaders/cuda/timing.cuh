// Times kernels with CUDA events around batches of launches that rotate through the copies of the matrices.

namespace harness {

using Launch = std::function<void(const Operands&, cudaStream_t)>;

constexpr double kBatchMs = 20;       // a batch lasts at least this long,
constexpr double kBudgetMs = 8000;    // all of them together about this,
constexpr int kSamples = 30;          // and there are this many of them when they fit.
constexpr int kFewestSamples = 3;
constexpr double kGraphBelowMs = 0.05;  // shorter kernels are launched as a CUDA graph

class Timer {
 public:
  Timer() {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "Creating a stream");
    check(cudaEventCreate(&start_), "Creating an event");
    check(cudaEventCreate(&stop_), "Creating an event");
  }

  // Milliseconds that the GPU spends on `work`; `meanwhile` runs on the CPU.
  double time(const std::function<void()>& work, const std::function<void()>& meanwhile = [] {}) {
    check(cudaEventRecord(start_, stream), "Timing");
    work();
    check(cudaEventRecord(stop_, stream), "Timing");
    meanwhile();
    check(cudaEventSynchronize(stop_), "The kernel faulted while it was timed");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start_, stop_), "Timing");
    return double(ms);
  }

  // The smallest step between the times that events give: seen, not assumed.
  double quantumNs() {
    std::vector<double> times;
    for (int i = 0; i < 400; ++i) {
      times.push_back(time([&] { cudaMemsetAsync(scratch(), 0, 64 + 256 * (i % 16), stream); }));
    }
    std::sort(times.begin(), times.end());
    double quantum = INFINITY;
    for (size_t i = 1; i < times.size(); ++i) {
      const double step = times[i] - times[i - 1];
      if (step > 1e-6) quantum = std::min(quantum, step);
    }
    return std::isfinite(quantum) ? std::max(1.0, std::round(quantum * 1e6)) : 1000;
  }

  cudaStream_t stream = nullptr;

 private:
  void* scratch() {
    static void* memory = nullptr;
    if (memory == nullptr) check(cudaMalloc(&memory, 8192), "Timing");
    return memory;
  }

  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

// One kernel in the race: what to launch, how many times a batch, and what that took.
class Runner {
 public:
  Runner(Launch launch, const Buffers& buffers, Timer& timer)
      : launch_(std::move(launch)), buffers_(buffers), timer_(timer) {}

  // Runs until clocks and caches have settled; sizes the batches.
  void warmUp(double warmUpMs) {
    double spent = 0, before = 0, each = 0;
    for (batch = 1; spent < 4 * warmUpMs + 1000;) {
      const double ms = runBatch();
      warmUpLaunches += batch;
      spent += ms;
      before = each;
      each = ms / double(batch);
      const bool stable = std::fabs(each - before) <= 0.02 * each;
      if (spent >= warmUpMs && stable) break;
      if (ms < kBatchMs) batch = std::min(batch * 2, 1ll << 20);
    }
    batch = static_cast<long long>(std::max(1.0, std::ceil(kBatchMs / std::max(each, 1e-4))));
    if (each < kGraphBelowMs) capture();
    estimateMs = each * double(batch);
  }

  // Milliseconds of one batch; C starts each of them as it started the first.
  double runBatch(const std::function<void()>& meanwhile = [] {}) {
    if (kBeta != 0) buffers_.resetC(timer_.stream);
    return timer_.time(
        [&] {
          if (graph_ != nullptr) check(cudaGraphLaunch(graph_, timer_.stream), "Launching the graph");
          else for (long long i = 0; i < batch; ++i) launch_(buffers_[next_++], timer_.stream);
          check(cudaGetLastError(), "Launching the kernel");
        },
        meanwhile);
  }

  double medianMs() const {
    std::vector<double> sorted = batchMs;
    std::sort(sorted.begin(), sorted.end());
    return quantile(sorted, 0.5) / double(batch);
  }

  std::string json() const {
    std::vector<double> sorted = batchMs;
    std::sort(sorted.begin(), sorted.end());
    const double launches = double(batch);
    return "\"warmUp\":" + std::to_string(warmUpLaunches) + ",\"samples\":" + std::to_string(batchMs.size()) +
           ",\"batch\":" + std::to_string(batch) + ",\"batchMs\":" + numbers(batchMs) +
           ",\"medianMs\":" + number(medianMs()) +
           ",\"iqrMs\":" + number((quantile(sorted, 0.75) - quantile(sorted, 0.25)) / launches) +
           ",\"minMs\":" + number(sorted.front() / launches) + ",\"gflops\":" + number(kFlops / (medianMs() * 1e6)) +
           ",\"graph\":" + (graph_ == nullptr ? "false" : "true");
  }

  long long batch = 1, warmUpLaunches = 0;
  double estimateMs = 0;
  std::vector<double> batchMs;

 private:
  // A graph takes the cost of launching off short kernels. Each of its launches starts the rotation
  // anew, so a batch covers all copies at least once.
  void capture() {
    batch = std::max(batch, static_cast<long long>(buffers_.sets));
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(timer_.stream, cudaStreamCaptureModeThreadLocal), "Capturing a graph");
    for (long long i = 0; i < batch; ++i) launch_(buffers_[i], timer_.stream);
    check(cudaStreamEndCapture(timer_.stream, &graph), "Capturing a graph");
#if CUDART_VERSION >= 12000
    check(cudaGraphInstantiate(&graph_, graph, 0), "Capturing a graph");
#else
    check(cudaGraphInstantiate(&graph_, graph, nullptr, nullptr, 0), "Capturing a graph");
#endif
    check(cudaGraphDestroy(graph), "Capturing a graph");
    warmUpLaunches += batch;
    runBatch();
  }

  // By linear interpolation between order statistics (R-7).
  static double quantile(const std::vector<double>& sorted, double fraction) {
    const double position = fraction * double(sorted.size() - 1);
    const size_t below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (position - double(below));
  }

  Launch launch_;
  const Buffers& buffers_;
  Timer& timer_;
  cudaGraphExec_t graph_ = nullptr;
  long long next_ = 0;
};

// Ours and the baseline take turns, and take turns in going first: both see the same clocks.
inline void race(std::vector<Runner*> runners, Clocks& clocks) {
  double round = 0;
  for (const Runner* runner : runners) round += runner->estimateMs;
  const int samples = std::max(kFewestSamples, std::min(kSamples, static_cast<int>(kBudgetMs / round)));
  clocks.clear();
  for (int i = 0; i < samples; ++i) {
    for (Runner* runner : runners) runner->batchMs.push_back(runner->runBatch([&] { clocks.sample(); }));
    std::reverse(runners.begin(), runners.end());
    progress("time", double(i + 1) / samples);
  }
}

}  // namespace harness
