// Library baselines as launches: they are verified like the kernel and timed in the same
// interleaved rounds.

namespace harness {

// Math modes other than the default. The pedantic mode follows IEEE 754 without reordering. TF32
// and BF16x9 trade accuracy for speed, so their rates are not comparable with an f32 kernel and are
// listed separately.
constexpr int kTf32 = 77, kBf16x9 = 78;
inline int pedantic(int compute) { return compute + 1; }

// GEMM of a library for the problem; comparable with the kernel only if both have the same
// precision.
struct Baseline {
  std::string id, name;
  Launch launch;
  double maxError = 0;
  bool withinBound = false;
  size_t algorithms = 0;
};

class Libraries {
 public:
  explicit Libraries(const std::string& folder) : folder_(folder), nvrtc(folder) {}

  // The library is opened on first use, since it allocates GPU memory.
  Cublas& cublas() {
    if (!cublas_) cublas_ = std::make_unique<Cublas>(folder_);
    return *cublas_;
  }
  CublasLt& cublasLt() {
    if (!cublasLt_) cublasLt_ = std::make_unique<CublasLt>(folder_);
    return *cublasLt_;
  }

 private:
  std::string folder_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<CublasLt> cublasLt_;

 public:
  const Nvrtc nvrtc;
};

// Formats a baseline with its timing.
inline std::string baselineJson(const Baseline& each, const Contestant& timed) {
  return "{\"id\":" + quoted(each.id) + field("name", quoted(each.name)) +
         (each.algorithms > 0 ? field("algorithms", std::to_string(each.algorithms)) : "") +
         field("maxError", number(each.maxError)) + field("withinBound", each.withinBound ? "true" : "false") +
         (timed.behind ? field("behind", "true") : "") + timed.json() +
         "}";
}

// Library baselines of a problem. find() returns false and sets `note` to the reason if a baseline
// is unavailable.
class Baselines {
 public:
  Baselines(Libraries& libraries, const Buffers& buffers, Timer& timer, Verifier& verifier, Sensors& sensors)
      : libraries_(libraries), buffers_(buffers), timer_(timer), verifier_(verifier), sensors_(sensors) {}

  bool find(const std::string& id, Baseline& out, std::string& note) {
    out.id = id;
    const int compute = computeType(buffers_.problem());
    if (compute == 0) return refuse(note, "cuBLAS has no GEMM for these element types.");
    const Problem& p = buffers_.problem();
    const bool f32 = compute == 68 && p.a.type == Type::f32;
    const bool measured = id == "cublaslt" || id == "cublaslt-best";
    if (measured || id == "cublaslt-first") {
      if (isFp8(p.a.type) && !(p.a.rowMajor && !p.b.rowMajor)) {
        return refuse(note, "cuBLASLt supports 8-bit floats only with row-major A and column-major B.");
      }
      return matmul(compute, measured, out, note);
    }
    if (isFp8(p.a.type)) return refuse(note, "cuBLAS does not support 8-bit floats. Fix: use cublaslt.");
    if (id == "cublas") return gemm(compute, "", out, note);
    if (id == "cublas-pedantic" && compute != kTf32) return gemm(pedantic(compute), ", pedantic", out, note);
    if (id == "cublas-tf32" && f32) return gemm(kTf32, ", inputs rounded to TF32", out, note);
    if (id == "cublas-bf16x9" && f32) return gemm(kBf16x9, ", FP32 emulation with nine bf16 products", out, note);
    return refuse(note, "This baseline does not support these types.");
  }

 private:
  static bool refuse(std::string& note, const std::string& why) {
    note = why;
    return false;
  }

  bool gemm(int compute, const char* mode, Baseline& out, std::string& note) {
    Cublas& library = libraries_.cublas();
    if (!library.why.empty()) return refuse(note, library.why);
    const Problem& p = buffers_.problem();
    if (p.epilogue.count > 0) return refuse(note, "cuBLAS has no epilogues. Fix: use cublaslt.");
    out.name = "cuBLAS " + library.number + (p.batch == 1 ? " cublasGemmEx" : " cublasGemmStridedBatchedEx") + mode;
    out.launch = [&library, &p, compute](const Operands& set, cudaStream_t stream) {
      if (!library.launch(p, compute, set, stream)) throw Failure{"constraint", "cuBLAS rejected this problem."};
    };
    return check(out, note);
  }

  bool matmul(int compute, bool best, Baseline& out, std::string& note) {
    CublasLt& library = libraries_.cublasLt();
    if (!library.why.empty()) return refuse(note, library.why);
    // The algorithms are copied, so that they outlive the next plan().
    LtEpilogue epilogue;
    const std::string unfused = epilogue.read(buffers_.problem());
    if (!unfused.empty()) return refuse(note, unfused);
    const std::vector<LtAlgorithm> algorithms = library.plan(buffers_.problem(), compute, epilogue, buffers_[0]);
    if (algorithms.empty()) return refuse(note, "cuBLASLt proposes no algorithm for this problem.");
    const auto launchOf = [&library](const LtAlgorithm& algorithm) -> Launch {
      return [&library, algorithm](const Operands& set, cudaStream_t stream) {
        if (!library.launch(algorithm, set, stream)) throw Failure{"constraint", "cuBLASLt rejected this problem."};
      };
    };
    size_t chosen = 0;
    if (best) chosen = fastest(algorithms, launchOf);
    out.algorithms = algorithms.size();
    out.name = "cuBLASLt " + library.number + (best ? ", fastest of " + std::to_string(algorithms.size()) + " algorithms measured"
                                                    : ", its first heuristic");
    out.launch = launchOf(algorithms[chosen]);
    return check(out, note);
  }

  // Times each algorithm briefly, then times the fastest few in interleaved rounds, since brief
  // timings differ from timings under load.
  template <typename LaunchOf>
  size_t fastest(const std::vector<LtAlgorithm>& algorithms, const LaunchOf& launchOf) {
    const std::vector<double> times = sweep(algorithms, launchOf);
    std::vector<size_t> order(times.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t left, size_t right) { return times[left] < times[right]; });
    constexpr size_t kFinalists = 4;
    TimingOptions options;
    options.warmUpMs = 20, options.settleMs = 100, options.batchMs = 10, options.budgetMs = 1000, options.samples = 7;
    std::vector<std::unique_ptr<Contestant>> finalists;
    std::vector<Contestant*> racing;
    for (size_t i = 0; i < std::min(kFinalists, order.size()); ++i) {
      if (times[order[i]] > 1.1 * times[order[0]] || !std::isfinite(times[order[i]])) break;
      finalists.push_back(std::make_unique<Contestant>(launchOf(algorithms[order[i]]), buffers_, timer_, options));
      finalists.back()->warmUp();
      racing.push_back(finalists.back().get());
    }
    if (racing.size() < 2) return order[0];
    harness::race(racing, options, sensors_);
    size_t best = 0;
    for (size_t i = 1; i < finalists.size(); ++i) {
      if (finalists[i]->medianMs() < finalists[best]->medianMs()) best = i;
    }
    return order[best];
  }

  // Returns the milliseconds per launch of each algorithm; infinite if the library rejects it.
  // Algorithms slower than twice the fastest time skip the last round.
  template <typename LaunchOf>
  std::vector<double> sweep(const std::vector<LtAlgorithm>& algorithms, const LaunchOf& launchOf) {
    std::vector<double> times(algorithms.size(), INFINITY);
    double fastestMs = INFINITY;
    for (int round = 0; round < 3; ++round) {
      for (size_t i = 0; i < algorithms.size(); ++i) {
        // The first launch loads the kernel, which may take milliseconds.
        if (round > 1 && times[i] > 2 * fastestMs) continue;
        const Launch launch = launchOf(algorithms[i]);
        try {
          long long set = 0;
          const int launches = std::isfinite(times[i]) ? static_cast<int>(std::min(50.0, 1 + 5 / times[i])) : 1;
          const double ms = timer_.time([&] {
            for (int j = 0; j < launches; ++j) launch(buffers_[set++], timer_.stream);
          });
          times[i] = std::min(times[i], ms / launches);
          if (round > 0) fastestMs = std::min(fastestMs, times[i]);
        } catch (const Failure& failure) {
          if (failure.fatal) throw;
        }
        progress("baseline", (round + double(i) / double(algorithms.size())) / 3);
      }
    }
    return times;
  }

  // Launches once into a reset C and verifies the result in the same way as the kernel's result.
  bool check(Baseline& out, std::string& note) {
    try {
      buffers_.resetC(timer_.stream);
      out.launch(buffers_[0], timer_.stream);
      harness::check(cudaStreamSynchronize(timer_.stream), "The library faulted");
    } catch (const Failure& failure) {
      if (failure.fatal) throw;
      return refuse(note, failure.message);
    }
    const Verification verified = verifier_.verify(buffers_, {}, timer_.stream);
    out.maxError = verified.maxError;
    out.withinBound = verified.correct;
    return true;
  }

  Libraries& libraries_;
  const Buffers& buffers_;
  Timer& timer_;
  Verifier& verifier_;
  Sensors& sensors_;
};

}  // namespace harness
