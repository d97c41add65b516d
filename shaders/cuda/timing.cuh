// Times batches of launches with CUDA events; launches rotate through the copies of the matrices.

namespace harness {

using Launch = std::function<void(const Operands&, cudaStream_t)>;
// Launches a kernel of another process and returns the milliseconds. If `warm`, untimed launches precede.
using Turn = std::function<double(long long launches, bool warm)>;

struct TimingOptions {
  double warmUpMs = 300;   // minimum warm-up, which continues until three consecutive batches agree
  double settleMs = 2200;  // maximum warm-up
  double batchMs = 20;     // minimum duration of a batch
  double budgetMs = 8000;  // approximate duration of all batches
  int samples = 30;        // number of batches, if they fit the budget
  double energyMs = 0;     // duration of the energy measurement; 0 for none
};

constexpr int kMinSamples = 3;
constexpr double kGraphBelowMs = 0.05;  // shorter kernels are launched as a CUDA graph
constexpr long long kGraphLaunches = 1000;  // maximum launches per graph, if they cover all copies of the matrices
constexpr double kEnergyMs = 100;  // minimum batch for a mean power, because the energy counter advances in steps
constexpr double kEnergyLeadMs = 300;     // launches before the energy measurement, until the power is steady
constexpr double kEnergyChunkMs = 100;     // launches between two checks of the elapsed time
constexpr double kMinEnergyMs = 300;      // shorter measurements are not reported
constexpr int kMinAdvances = 5;           // fewer advances of the counter are not reported
constexpr double kSettled = 0.005;      // maximum relative difference between consecutive batches on a settled GPU

// Quantile by linear interpolation between order statistics (R-7).
inline double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double position = fraction * double(values.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (position - double(below));
}

// Time stamp of an SM: its cycle counter, the global timer in nanoseconds, and the SM's index.
struct Moment {
  unsigned long long cycles, ns;
  unsigned sm;
};

__global__ void readMoment(Moment* out) {
#ifdef __CUDA_ARCH__
  unsigned long long ns;
  unsigned sm;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  *out = {static_cast<unsigned long long>(clock64()), ns, sm};
#else
  *out = {};
#endif
}

// Mean SM clock during a measurement, counted on the GPU, since NVML readings are delayed.
class ClockCount {
 public:
  void begin(cudaStream_t stream) { read(0, stream); }

  // Returns the mean clock in MHz since begin(), or 0 if it cannot be counted, for example because
  // begin and end ran on different SMs.
  double end(cudaStream_t stream) {
    read(1, stream);
    Moment found[2];
    check(cudaMemcpyAsync(found, moments(), sizeof found, cudaMemcpyDeviceToHost, stream), "Counting clocks");
    check(cudaStreamSynchronize(stream), "Counting clocks");
    if (found[0].sm != found[1].sm || found[1].ns <= found[0].ns) return 0;
    return 1e3 * double(found[1].cycles - found[0].cycles) / double(found[1].ns - found[0].ns);
  }

 private:
  Moment* moments() { return reinterpret_cast<Moment*>(memory_.take(2 * sizeof(Moment), "Counting clocks")); }

  void read(int which, cudaStream_t stream) {
    readMoment<<<1, 1, 0, stream>>>(moments() + which);
    check(cudaGetLastError(), "Counting clocks");
  }

  Memory memory_;
};

class Timer {
 public:
  Timer() {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "Creating a stream");
    check(cudaEventCreate(&start_), "Creating an event");
    check(cudaEventCreate(&stop_), "Creating an event");
  }

  // Returns the GPU time of `work` in milliseconds. Meanwhile, `meanwhile` runs on the CPU.
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

  // Returns the smallest observed difference between event times, in nanoseconds.
  double quantumNs() {
    if (quantumNs_ > 0) return quantumNs_;
    std::vector<double> times;
    char* scratch = scratch_.take(8192, "Timing");
    for (int i = 0; i < 400; ++i) {
      times.push_back(time([&] { cudaMemsetAsync(scratch, 0, 64 + 256 * (i % 16), stream); }));
    }
    std::sort(times.begin(), times.end());
    double quantum = INFINITY;
    for (size_t i = 1; i < times.size(); ++i) {
      const double step = times[i] - times[i - 1];
      if (step > 1e-6) quantum = std::min(quantum, step);
    }
    quantumNs_ = std::isfinite(quantum) ? std::max(1.0, std::round(quantum * 1e6)) : 1000;
    return quantumNs_;
  }

  cudaStream_t stream = nullptr;
  ClockCount clock;

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  double quantumNs_ = 0;
  Memory scratch_;
};

// One kernel in an interleaved benchmark: its launch, launches per batch, and times.
class Contestant {
 public:
  Contestant(Launch launch, const Buffers& buffers, Timer& timer, const TimingOptions& options)
      : launch_(std::move(launch)), buffers_(buffers), timer_(timer), options_(options) {}
  // A kernel of another process, which launches it in its turns.
  Contestant(Turn turn, const Buffers& buffers, Timer& timer, const TimingOptions& options)
      : turn_(std::move(turn)), buffers_(buffers), timer_(timer), options_(options) {}
  Contestant(const Contestant&) = delete;
  ~Contestant() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

  // Launches batches until clocks and caches have settled, and chooses the launches per batch.
  void warmUp() {
    double spent = 0, each = 0;
    int agreeing = 0;
    for (batch = 1; spent < std::max(options_.warmUpMs, options_.settleMs);) {
      const double ms = runBatch(batch), before = each;
      if (!failure.empty()) return;
      warmUpLaunches += batch;
      spent += ms;
      each = ms / double(batch);
      agreeing = std::fabs(each - before) <= kSettled * each ? agreeing + 1 : 0;
      if (spent >= options_.warmUpMs && agreeing >= 2) break;
      if (ms < options_.batchMs) batch = std::min(batch * 2, 1ll << 20);
    }
    batch = static_cast<long long>(std::max(1.0, std::ceil(options_.batchMs / std::max(each, 1e-4))));
    if (each < kGraphBelowMs && !turn_) capture();
    estimateMs = each * double(batch);
  }

  // Discards all timings.
  void clear() { batchMs.clear(), smMHz.clear(), watts.clear(); }

  // Returns the milliseconds of one batch; resets C before each batch if beta is not 0.
  double runBatch(long long count, const std::function<void()>& meanwhile = [] {}) {
    if (turn_) return takeTurn(count, false);
    if (buffers_.problem().beta != 0) buffers_.resetC(timer_.stream);
    return timer_.time([&] { launchAll(count); }, meanwhile);
  }

  // Times a batch directly after untimed launches, so that power and clocks are determined by this
  // kernel and not by the previous one.
  // `mostMs` shortens the batch; its time is scaled to a full batch. `sensors` are sampled, if there are any.
  void runWarmBatch(double mostMs, Sensors* sensors) {
    const long long count = inGraphs(std::min(double(batch), std::ceil(mostMs / estimateMs * double(batch))));
    if (turn_) {
      const double ms = failure.empty() ? takeTurn(count, true) : 0;
      if (!failure.empty()) return;
      batchMs.push_back(ms * double(batch) / double(count));
      smMHz.push_back(0);
      return;
    }
    const EnergyCount energy(sensors);
    launchAll((count + 1) / 2);
    timer_.clock.begin(timer_.stream);
    const double ms = runBatch(count, [&] {
      if (sensors != nullptr) sensors->sample();
    });
    batchMs.push_back(ms * double(batch) / double(count));
    if (ms >= kEnergyMs && energy.watts() > 0) watts.push_back(energy.watts());
    smMHz.push_back(timer_.clock.end(timer_.stream));
  }

  // Measures the power during launches without pause, and the time per launch meanwhile.
  void measureEnergy(const Sensors& sensors) {
    if (options_.energyMs <= 0) return;
    if (sensors.joules() == 0) {
      energy_ = field("energyUnknown", quoted("The driver does not count the energy of this GPU."));
      return;
    }
    // Between two chunks, the GPU is idle for some microseconds.
    const long long chunk = inGraphs(std::ceil(kEnergyChunkMs / estimateMs * double(batch)));
    EnergyLog log(sensors);
    double spentMs = 0, fromMs = 0, launches = 0;
    while (log.ms() < kEnergyLeadMs + options_.energyMs || launches == 0) {
      const double beganMs = log.ms(), ms = runBatch(chunk);
      if (beganMs < kEnergyLeadMs) continue;
      if (launches == 0) fromMs = beganMs;
      spentMs += ms;
      launches += double(chunk);
    }
    const double toMs = log.ms(), launchMs = spentMs / launches;
    log.stop();
    const EnergyLog::Power power = log.power(fromMs, toMs);
    if (power.advances < kMinAdvances || power.windowMs < kMinEnergyMs) {
      energy_ = field("energyUnknown", quoted("The energy counter advanced " + std::to_string(power.advances) + " times in " +
                                              number(power.windowMs) + " ms, which is too coarse."));
      return;
    }
    energy_ = ",\"energy\":{\"watts\":" + number(power.watts) + field("launchMs", number(launchMs)) +
              field("windowMs", number(power.windowMs)) + "}";
  }

  double medianMs() const { return quantile(batchMs, 0.5) / double(batch); }
  // Returns the milliseconds per launch in the fastest batch.
  double minMs() const { return quantile(batchMs, 0) / double(batch); }
  // Returns thousands of SM cycles per launch in the batch with the fewest cycles; infinite if no
  // clock was counted.
  double minCycles() const {
    double least = INFINITY;
    for (size_t i = 0; i < batchMs.size(); ++i) {
      if (smMHz[i] > 0) least = std::min(least, batchMs[i] * smMHz[i] / double(batch));
    }
    return least;
  }

  std::string json() const {
    const double launches = double(batch), median = medianMs();
    std::vector<double> counted;
    std::copy_if(smMHz.begin(), smMHz.end(), std::back_inserter(counted), [](double mhz) { return mhz > 0; });
    return field("warmUp", std::to_string(warmUpLaunches)) + field("samples", std::to_string(batchMs.size())) +
           field("batch", std::to_string(batch)) + field("batchMs", numbers(batchMs)) + field("medianMs", number(median)) +
           field("iqrMs", number((quantile(batchMs, 0.75) - quantile(batchMs, 0.25)) / launches)) +
           field("minMs", number(minMs())) +
           field("gflops", number(buffers_.problem().flops() / (median * 1e6))) +
           (counted.empty() ? "" : field("smMHz", number(quantile(counted, 0.5)))) +
           (watts.empty() ? "" : field("watts", number(quantile(watts, 0.5)))) +
           field("graph", graph_ == nullptr ? "false" : "true") + energy_;
  }

  long long batch = 1, warmUpLaunches = 0;
  double estimateMs = 0;
  bool behind = false;  // dropped after the qualifying rounds
  std::string failure;  // message of a failed turn, after which the kernel is not timed
  // Time and SM clock of each batch; the clock is 0 if it was not counted. Mean power of long batches.
  std::vector<double> batchMs, smMHz, watts;

 private:
  // Returns the milliseconds of a turn, or sets `failure`.
  double takeTurn(long long launches, bool warm) {
    try {
      return turn_(launches, warm);
    } catch (const Failure& failed) {
      failure = failed.message;
      return 0;
    }
  }

  // A graph hides the launch overhead of short kernels. Each graph launch restarts the rotation, so a graph covers all
  // copies at least once. A batch is one or more graphs.
  void capture() {
    inGraph_ = std::max(std::min(batch, kGraphLaunches), static_cast<long long>(buffers_.sets));
    batch = inGraphs(double(batch));
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(timer_.stream, cudaStreamCaptureModeThreadLocal), "Capturing a graph");
    for (long long i = 0; i < inGraph_; ++i) launch_(buffers_[i], timer_.stream);
    check(cudaStreamEndCapture(timer_.stream, &graph), "Capturing a graph");
#if CUDART_VERSION >= 12000
    check(cudaGraphInstantiate(&graph_, graph, 0), "Capturing a graph");
#else
    check(cudaGraphInstantiate(&graph_, graph, nullptr, nullptr, 0), "Capturing a graph");
#endif
    check(cudaGraphDestroy(graph), "Capturing a graph");
    warmUpLaunches += batch;
    runBatch(batch);
  }

  // Returns a number of launches, rounded up to whole graphs.
  long long inGraphs(double launches) const {
    return static_cast<long long>(std::ceil(launches / double(inGraph_))) * inGraph_;
  }

  // `count` is a multiple of the launches per graph, except for the first half of a batch.
  void launchAll(long long count) {
    for (long long done = 0; done < count; done += inGraph_) {
      if (graph_ != nullptr) check(cudaGraphLaunch(graph_, timer_.stream), "Launching the graph");
      else launch_(buffers_[next_++], timer_.stream);
    }
    check(cudaGetLastError(), "Launching the kernel");
  }

  Launch launch_;
  Turn turn_;
  const Buffers& buffers_;
  Timer& timer_;
  TimingOptions options_;
  std::string energy_;
  cudaGraphExec_t graph_ = nullptr;
  long long next_ = 0, inGraph_ = 1;
};

// Times the kernels in interleaved rounds, in random order per round, so that all run under the
// same conditions. `mostMs` shortens their batches.
inline void interleave(std::vector<Contestant*> contestants, int rounds, double mostMs, Sensors* sensors,
                      const std::function<void(double)>& passed = [](double) {}) {
  std::minstd_rand random;
  for (int i = 0; i < rounds; ++i) {
    std::shuffle(contestants.begin(), contestants.end(), random);
    for (Contestant* each : contestants) each->runWarmBatch(mostMs, sensors);
    passed(double(i + 1) / rounds);
  }
}

// Times the contestants in interleaved rounds, as many as fit the time budget. `between` is called after each round.
inline void race(const std::vector<Contestant*>& contestants, const TimingOptions& options, Sensors& sensors,
                 const std::function<void(int)>& between = [](int) {}) {
  double round = 0;
  for (const Contestant* each : contestants) round += each->estimateMs;
  const int samples = std::max(kMinSamples, std::min(options.samples, static_cast<int>(options.budgetMs / round)));
  sensors.clear();
  interleave(contestants, samples, INFINITY, &sensors, [&](double share) {
    progress("time", share);
    between(samples);
  });
}

}  // namespace harness
