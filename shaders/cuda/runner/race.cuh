// Comparison of several kernels for one problem. Each kernel is verified once. Clearly slower
// kernels are dropped after qualifying rounds, and the remaining kernels are timed in interleaved
// rounds with the libraries.

namespace harness {

constexpr int kRounds = 3;            // qualifying rounds
constexpr double kQualifyingMs = 20;  // maximum duration of their batches
constexpr double kLibraryBehind = 1.05;  // default of `libraryBehind`: a library slower than another one by this factor is dropped

// A requested kernel with its current results.
struct Racer {
  std::unique_ptr<Module> module;
  Turn turn;  // of a kernel of another process, which has no module
  std::unique_ptr<Contestant> contestant;
  const char* outcome = "correct";
  std::string message, fields, verification;
  bool behind = false, fatal = false;
};

class Race {
 public:
  Race(const Driver& driver, Libraries& libraries, Buffers& buffers, Timer& timer, Verifier& verifier, Sensors& sensors)
      : driver_(driver), libraries_(libraries), buffers_(buffers), timer_(timer), verifier_(verifier), sensors_(sensors) {}

  // `rotateBytes`: minimum total size of the matrix copies.
  void run(const Json& request, double rotateBytes) {
    const Problem problem = problemOf(request);
    const TimingOptions options = timingOf(request);
    buffers_.prepare(problem, rotateBytes, static_cast<unsigned>(request["seed"].integer()));
    const std::vector<Json>& asked = request["contestants"].items();
    const double limit = request.numberOr("verifyLimit", kFullLimit);
    for (size_t i = 0; i < asked.size(); ++i) {
      progress("verify", double(i) / double(asked.size()));
      racers_.emplace_back();
      verify(racers_.back(), i, asked[i], problem, limit);
      if (racers_.back().fatal) return print("", "", "");
    }
    if (request.find("verifyOnly") != nullptr) return print("", "", "");
    const double quantum = timer_.quantumNs();
    std::string notes;
    const std::vector<std::unique_ptr<Baseline>> baselines = findBaselines(request, notes);
    std::vector<std::unique_ptr<Contestant>> libraries;
    for (const auto& each : baselines) {
      libraries.push_back(std::make_unique<Contestant>(each->launch, buffers_, timer_, options));
    }
    timeAll(libraries, options, request.numberOr("behind", INFINITY), request.numberOr("libraryBehind", kLibraryBehind));
    const std::string sensed = sensors_.json();
    if (request.find("recheck") != nullptr) recheck(asked, limit);
    std::string list;
    for (size_t i = 0; i < baselines.size(); ++i) {
      list += (i == 0 ? "" : ",") + baselineJson(*baselines[i], *libraries[i]);
    }
    print(",\"timing\":{\"timer\":\"cuda-events\"" + field("quantumNs", number(quantum)) +
              field("sets", std::to_string(buffers_.sets)) + sensed + "}",
          list, notes);
  }

 private:
  // Verifies the results again, because race conditions may occur only occasionally.
  void recheck(const std::vector<Json>& asked, double limit) {
    for (size_t i = 0; i < racers_.size(); ++i) {
      Racer& racer = racers_[i];
      if (!racer.contestant) continue;
      progress("verify", double(i) / double(racers_.size()));
      try {
        const Verification found = verificationOf(racer, i, asked[i], limit);
        if (found.correct) continue;
        racer.outcome = "incorrect";
        racer.message = "Correct before timing, incorrect after it, which indicates a race condition: " + found.message;
        racer.verification = found.json;
      } catch (const Failure& failure) {
        racer.outcome = failure.outcome;
        racer.message = failure.message;
        racer.fatal = failure.fatal;
      }
      racer.contestant.reset();
      if (racer.fatal) return;
    }
  }

  // Computes C with matrix set 0 and compares it.
  Verification verificationOf(Racer& racer, size_t index, const Json& asked, double limit) {
    buffers_.resetC(timer_.stream);
    if (racer.module) racer.module->launch(buffers_[0], timer_.stream);
    check(cudaStreamSynchronize(timer_.stream), "The kernel faulted");
    if (!racer.module) {
      const std::string sets = field("sets", std::to_string(buffers_.sets));
      loadResult(takeTurn(index, field("doing", quoted("result")) + sets)["file"].text(), buffers_);
    }
    return verifier_.verify(buffers_, tileOf(asked), timer_.stream, limit);
  }

  void verify(Racer& racer, size_t index, const Json& asked, const Problem& problem, double limit) {
    try {
      if (asked.find("foreign") != nullptr) {
        racer.turn = turnsOf(index);
      } else {
        racer.module = std::make_unique<Module>(driver_, readFile(asked["cubin"].text()), launchesOf(asked, problem), problem);
        racer.fields = field("resources", racer.module->resources());
      }
      const Verification found = verificationOf(racer, index, asked, limit);
      racer.verification = found.json;
      racer.message = found.message;
      if (!found.correct) racer.outcome = "incorrect";
    } catch (const Failure& failure) {
      racer.outcome = failure.outcome;
      racer.message = failure.message;
      racer.fatal = failure.fatal;
    }
  }

  std::vector<std::unique_ptr<Baseline>> findBaselines(const Json& request, std::string& notes) {
    Baselines baselines(libraries_, buffers_, timer_, verifier_, sensors_);
    std::vector<std::unique_ptr<Baseline>> found;
    for (const Json& id : request["baselines"].items()) {
      auto baseline = std::make_unique<Baseline>();
      std::string note;
      if (baselines.find(id.text(), *baseline, note)) found.push_back(std::move(baseline));
      else notes += (notes.empty() ? "" : ",") + quoted(id.text() + ": " + note);
    }
    return found;
  }

  // Warms up all kernels and runs short interleaved qualifying rounds on a busy GPU. A kernel is
  // dropped if its best round is slower than the fastest kernel by the factor `behind`, in time and
  // in cycles. Both are required, since clocks vary between rounds. Libraries are compared only
  // with each other.
  void timeAll(const std::vector<std::unique_ptr<Contestant>>& libraries, const TimingOptions& options, double behind,
               double libraryBehind) {
    for (Racer& racer : racers_) {
      if (std::string(racer.outcome) != "correct") continue;
      progress("warm up", double(&racer - racers_.data()) / double(racers_.size()));
      if (racer.turn) {
        racer.contestant = std::make_unique<Contestant>(racer.turn, buffers_, timer_, options);
      } else {
        const Module& module = *racer.module;
        const Launch launch = [&module](const Operands& set, cudaStream_t stream) { module.launch(set, stream); };
        racer.contestant = std::make_unique<Contestant>(launch, buffers_, timer_, options);
      }
      racer.contestant->warmUp();
    }
    dropFailed();
    for (const auto& each : libraries) each->warmUp();
    std::vector<Contestant*> ours, others;
    for (const Racer& racer : racers_) {
      if (racer.contestant) ours.push_back(racer.contestant.get());
    }
    for (const auto& each : libraries) others.push_back(each.get());
    std::vector<Contestant*> all = ours;
    all.insert(all.end(), others.begin(), others.end());
    if (ours.size() > 1 || others.size() > 1) interleave(all, kRounds, kQualifyingMs, nullptr);
    dropFailed();
    ours.erase(std::remove_if(ours.begin(), ours.end(), [this](const Contestant* each) { return !isTimed(each); }), ours.end());
    std::vector<Contestant*> order;
    for (Racer& racer : racers_) {
      racer.behind = racer.contestant && isBehind(*racer.contestant, ours, behind);
      if (racer.contestant && !racer.behind) order.push_back(racer.contestant.get());
    }
    for (Contestant* each : others) {
      each->behind = isBehind(*each, others, libraryBehind);
      if (!each->behind) order.push_back(each);
    }
    for (Contestant* each : order) each->clear();
    if (!order.empty()) race(order, options, sensors_);
    dropFailed();
  }

  bool isTimed(const Contestant* one) const {
    return std::any_of(racers_.begin(), racers_.end(), [one](const Racer& racer) { return racer.contestant.get() == one; });
  }

  // Removes the timings of kernels whose process failed in a turn.
  void dropFailed() {
    for (Racer& racer : racers_) {
      if (!racer.contestant || racer.contestant->failure.empty()) continue;
      racer.outcome = "launch-error";
      racer.message = racer.contestant->failure;
      racer.contestant.reset();
    }
  }

  static bool isBehind(const Contestant& one, const std::vector<Contestant*>& all, double behind) {
    if (one.batchMs.empty()) return false;
    const auto minimum = [&](double (Contestant::*of)() const) {
      double found = INFINITY;
      for (const Contestant* each : all) found = std::min(found, (each->*of)());
      return found;
    };
    const double ms = minimum(&Contestant::minMs), cycles = minimum(&Contestant::minCycles);
    const bool isSlow = std::isinf(cycles) || one.minCycles() > behind * cycles;
    return isSlow && one.minMs() > behind * ms;
  }

  void print(const std::string& timing, const std::string& baselines, const std::string& notes) const {
    std::string list;
    bool fatal = false;
    for (const Racer& each : racers_) {
      list += (list.empty() ? "{\"outcome\":" : ",{\"outcome\":") + quoted(each.outcome) +
              field("message", quoted(each.message)) + each.fields +
              (each.verification.empty() ? "" : field("verification", each.verification)) + field("behind", each.behind ? "true" : "false") +
              (each.contestant ? each.contestant->json() : "") + "}";
      fatal = fatal || each.fatal;
    }
    printLine("race", std::string(fatal ? ",\"fatal\":true" : "") + field("contestants", "[" + list + "]") + timing +
                          field("baselines", "[" + baselines + "]") + field("notes", "[" + notes + "]"));
    if (fatal) std::_Exit(1);
  }

  const Driver& driver_;
  Libraries& libraries_;
  Buffers& buffers_;
  Timer& timer_;
  Verifier& verifier_;
  Sensors& sensors_;
  std::vector<Racer> racers_;
};

}  // namespace harness
