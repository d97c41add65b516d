// Evidence for the judge about launches after the first one: results on repeated and on new inputs,
// times of both, the end of all work, and L2 settings. The host interprets the evidence.

namespace harness {

constexpr double kJudgeLimit = 4294967296.0;  // 2^32: FMAs up to which every element of a later launch is compared
constexpr int kConsecutive = 4;               // verified launches without host work between them
constexpr int kPairLaunches = 64;             // launches per time on new and on repeated inputs
constexpr int kPairs = 6;
constexpr double kSlowMs = 50;                // kernels slower than this are launched once per check
constexpr double kShortMs = 0.02;             // shorter times are not compared
constexpr double kCopyBytes = 67108864;       // 64 MiB: largest C that is compared bit by bit
constexpr size_t kFailures = 3;               // failed launches that are reported

__global__ void countDifferences(const char* one, const char* other, long long count, int bytes, unsigned long long* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
    bool differs = false;
    for (int byte = 0; byte < bytes; ++byte) differs = differs || one[i * bytes + byte] != other[i * bytes + byte];
    if (differs) atomicAdd(out, 1ull);
  }
}

class Judge {
 public:
  // `launchMs` is the approximate time of one launch.
  Judge(Launch kernel, Buffers& buffers, Timer& timer, Verifier& verifier, Tile tile, double launchMs)
      : kernel_(std::move(kernel)), buffers_(buffers), timer_(timer), verifier_(verifier), tile_(tile), launchMs_(launchMs),
        random_(std::random_device{}()), bases_{buffers.seed()} {
    // A GPU without persisting accesses rejects these calls.
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    cudaCtxResetPersistingL2Cache();
    persistingBefore_ = persistingBytes();
    cudaGetLastError();
  }

  bool failed() const { return !failures_.empty(); }
  bool isSlow() const { return launchMs_ > kSlowMs; }

  // Called between timed batches: verifies some launches at a random number of launches.
  void between(int rounds) {
    const int wanted = isSlow() ? 1 : 3;
    if (!failed() && static_cast<int>(random_() % static_cast<unsigned>(std::max(1, rounds))) < wanted) repeat();
  }

  // Adds an incorrect result of set 0, which was correct before the timed launches.
  void changed(const Verification& found) { fail("repeated", true, 0, 1, found); }

  // Verifies consecutive launches on the present inputs into poisoned C.
  void repeat() { check(true, false); }

  // Verifies consecutive launches on new inputs at the same addresses: once with the earlier results in C, once into
  // poison.
  void renew() {
    for (const bool poisoned : {false, true}) check(poisoned, true);
  }

  // Compares the bits of C of two launches on the same inputs.
  void compareBits() {
    const Matrix& c = buffers_.problem().c;
    if (double(c.bytes()) > kCopyBytes || isSlow()) return;
    char* copy = copy_.take(double(c.bytes()) + 8, "Comparing results");
    const Operands set = buffers_[0];
    for (const bool isSecond : {false, true}) {
      buffers_.resetC(timer_.stream);
      kernel_(set, timer_.stream);
      if (!isSecond) harness::check(cudaMemcpyAsync(copy, set.c, static_cast<size_t>(c.bytes()), cudaMemcpyDeviceToDevice, timer_.stream), "Comparing results");
    }
    const int bytes = bytesOf(c.type);
    auto* count = reinterpret_cast<unsigned long long*>(count_.take(sizeof(unsigned long long), "Comparing results"));
    harness::check(cudaMemsetAsync(count, 0, sizeof *count, timer_.stream), "Comparing results");
    countDifferences<<<1024, 256, 0, timer_.stream>>>(copy, static_cast<const char*>(set.c), c.bytes() / bytes, bytes, count);
    unsigned long long differing = 0;
    harness::check(cudaMemcpyAsync(&differing, count, sizeof differing, cudaMemcpyDeviceToHost, timer_.stream), "Comparing results");
    harness::check(cudaStreamSynchronize(timer_.stream), "Comparing results");
    fields_ += ",\"bits\":{\"compared\":" + std::to_string(c.bytes() / bytes) + field("differing", std::to_string(differing)) + "}";
  }

  // Times launches on new inputs, and again after the same inputs were written again, so that the cache state is equal.
  void compareTimes() {
    if (isSlow()) return;
    const int count = std::min(buffers_.sets, std::max(1, std::min(kPairLaunches, static_cast<int>(kSlowMs / launchMs_))));
    std::vector<double> fresh, repeated;
    double drain = INFINITY, host = INFINITY, event = 0;
    for (int pair = 0; pair <= kPairs; ++pair) {
      const unsigned base = newInputs();
      double ms[2];
      for (double& each : ms) {
        buffers_.fillInputs(base, timer_.stream);
        harness::check(cudaDeviceSynchronize(), "Filling the matrices");
        const auto begin = std::chrono::steady_clock::now();
        each = timer_.time([&] {
          for (int i = 0; i < count; ++i) kernel_(buffers_[i], timer_.stream);
        });
        const auto timed = std::chrono::steady_clock::now();
        harness::check(cudaDeviceSynchronize(), "The kernel faulted while it was timed");
        const auto ended = std::chrono::steady_clock::now();
        const auto between = [](auto from, auto to) { return std::chrono::duration<double, std::milli>(to - from).count(); };
        drain = std::min(drain, between(timed, ended));
        if (between(begin, ended) - each < host - event) host = between(begin, ended), event = each;
      }
      // The first pair is a warm-up.
      if (pair == 0 || ms[0] < kShortMs) continue;
      fresh.push_back(ms[0]);
      repeated.push_back(ms[1]);
    }
    if (!fresh.empty()) fields_ += ",\"repeats\":{\"freshMs\":" + numbers(fresh) + field("repeatedMs", numbers(repeated)) + "}";
    fields_ += ",\"completion\":{\"eventMs\":" + number(event) + field("hostMs", number(host)) + field("drainMs", number(drain)) + "}";
  }

  // Returns the evidence as a JSON object.
  std::string json() {
    const size_t now = persistingBytes(), persisting = now > persistingBefore_ ? now - persistingBefore_ : 0;
    size_t window = 0;
#if CUDART_VERSION >= 11000
    cudaStreamAttrValue attribute = {};
    if (cudaStreamGetAttribute(timer_.stream, cudaStreamAttributeAccessPolicyWindow, &attribute) == cudaSuccess) {
      window = attribute.accessPolicyWindow.num_bytes;
    }
#endif
    cudaGetLastError();
    std::string list;
    for (const std::string& failure : failures_) list += (list.empty() ? "" : ",") + failure;
    return "{\"verified\":" + std::to_string(verified_) + field("failed", "[" + list + "]") + fields_ +
           ",\"l2\":{\"persistingBytes\":" + std::to_string(persisting) + field("windowBytes", std::to_string(window)) + "}}";
  }

 private:
  static size_t persistingBytes() {
    size_t bytes = 0;
    return cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize) == cudaSuccess ? bytes : 0;
  }

  unsigned newInputs() {
    const unsigned base = static_cast<unsigned>(random_()) >> 2;
    bases_.insert(bases_.begin(), base);
    known_.clear();
    buffers_.fillInputs(base, timer_.stream);
    return base;
  }

  void check(bool poisoned, bool renews) {
    const int count = isSlow() ? 1 : std::min(buffers_.sets, kConsecutive);
    const long long start = random_() % static_cast<unsigned>(buffers_.sets);
    if (renews) {
      // Most copies may hold poison, so C of the verified ones first gets the results of the earlier inputs.
      for (int i = 0; !poisoned && i < count; ++i) kernel_(buffers_[start + i], timer_.stream);
      newInputs();
    }
    // A kernel that counts its launches cannot predict the verified ones.
    const int unseen = poisoned && !isSlow() ? static_cast<int>(random_() % 4) : 0;
    for (int i = 0; i < unseen; ++i) kernel_(buffers_[start + i], timer_.stream);
    const bool resets = poisoned || buffers_.problem().beta != 0;
    if (resets) buffers_.resetC(timer_.stream);
    for (int i = 0; i < count; ++i) kernel_(buffers_[start + i], timer_.stream);
    harness::check(cudaStreamSynchronize(timer_.stream), "The kernel faulted");
    for (int i = 0; i < count; ++i) {
      const Verification found = verifier_.verify(buffers_, tile_, timer_.stream, kJudgeLimit, start + i, static_cast<unsigned>(random_()));
      ++verified_;
      const long long set = (start + i) % buffers_.sets;
      if (!found.correct) fail(known_.count(set) > 0 ? "repeated" : "fresh", resets, set, i + 1, found);
      known_.insert(set);
    }
  }

  void fail(const char* inputs, bool poisoned, long long set, int position, const Verification& found) {
    if (failures_.size() >= kFailures) return;
    std::string seeds;
    for (const unsigned base : bases_) {
      for (const long long other : {set, 0ll, set + buffers_.sets - 1}) {
        const unsigned seed = base + static_cast<unsigned>(other % buffers_.sets);
        if (seed != buffers_.seed(set)) seeds += (seeds.empty() ? "" : ",") + std::to_string(seed);
      }
      if (base == bases_[std::min<size_t>(3, bases_.size() - 1)]) break;
    }
    failures_.push_back("{\"inputs\":" + quoted(inputs) + field("output", quoted(poisoned ? "poisoned" : "previous")) +
                        field("seed", std::to_string(buffers_.seed(set))) + field("earlierSeeds", "[" + seeds + "]") +
                        field("position", std::to_string(position)) + field("message", quoted(found.message)) +
                        field("verification", found.json) + "}");
  }

  Launch kernel_;
  Buffers& buffers_;
  Timer& timer_;
  Verifier& verifier_;
  Tile tile_;
  double launchMs_;
  std::minstd_rand random_;
  // Seeds of set 0, newest first.
  std::vector<unsigned> bases_;
  // Sets with a verified result for their present inputs; the harness verifies set 0 first.
  std::set<long long> known_ = {0};
  std::vector<std::string> failures_;
  std::string fields_;
  size_t persistingBefore_ = 0;
  int verified_ = 0;
  Memory copy_, count_;
};

}  // namespace harness
