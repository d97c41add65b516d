// Runner: one process per GPU that answers JSON-line requests until its standard input ends.

namespace harness {

// Ends the process when its parent has exited.
inline void watchParent() {
#ifndef _WIN32
  const auto parent = getppid();
  std::thread([parent] {
    while (getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::_Exit(124);
  }).detach();
#endif
}

class Runner {
 public:
  Runner(int index, const std::string& libraries) : libraries_(libraries), index_(index) {
    check(cudaSetDevice(index), "Opening the GPU");
    check(cudaGetDeviceProperties(&device_, index), "Opening the GPU");
    check(cudaFree(nullptr), "Opening the GPU");
    sensors_ = std::make_unique<Sensors>(index);
    timer_ = std::make_unique<Timer>();
  }

  void printReady() const {
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver), "Opening the GPU");
    check(cudaRuntimeGetVersion(&runtime), "Opening the GPU");
    const auto version = [](int number) { return quoted(std::to_string(number / 1000) + "." + std::to_string(number / 10 % 100)); };
    const auto known = [](const std::string& text) { return text.empty() ? std::string("null") : quoted(text); };
    char bus[32] = "";
    cudaDeviceGetPCIBusId(bus, sizeof bus, index_);
    printLine("ready",
              ",\"device\":{\"index\":" + std::to_string(index_) + field("name", quoted(device_.name)) +
                  field("uuid", quoted(uuid())) + field("pciBusId", quoted(bus)) +
                  field("computeCapability", quoted(std::to_string(device_.major) + "." + std::to_string(device_.minor))) +
                  field("multiprocessors", std::to_string(device_.multiProcessorCount)) +
                  field("l2Bytes", std::to_string(device_.l2CacheSize)) +
                  field("memoryBytes", std::to_string(device_.totalGlobalMem)) +
                  field("peakSmMHz", number(sensors_->peakSmMHz)) +
                  field("driver", known(sensors_->driverVersion)) + field("driverCuda", version(driver)) +
                  field("runtimeCuda", version(runtime)) + "},\"libraries\":{\"nvrtc\":" + known(libraries_.nvrtc.number) +
                  field("nvml", sensors_->there() ? "true" : "false") + "}");
  }

  void answer(const Json& request) {
    const std::string& type = request["type"].text();
    if (type == "run") run(request);
    else if (type == "race") race(request);
    else if (type == "ceilings") ceilings();
    else if (type == "compile") compile(request);
    else throw Failure{"constraint", "Unknown request type '" + type + "'."};
  }

 private:
  std::string uuid() const {
    std::string out = "GPU";
    for (int i = 0; i < 16; ++i) {
      char text[4];
      std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char>(device_.uuid.bytes[i]));
      out += (i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(text);
    }
    return out;
  }

  void run(const Json& request) {
    fields_.clear();
    try {
      runKernel(request);
    } catch (const Failure& failure) {
      printResult(failure.outcome, failure.message, failure.fatal);
      if (failure.fatal) std::_Exit(1);
    }
  }

  void race(const Json& request) {
    const double rotateBytes = request["cache"].text() == "cold" ? 3.0 * device_.l2CacheSize : 0;
    Race(driver_, libraries_, buffers_, *timer_, verifier_, *sensors_).run(request, rotateBytes);
  }

  void printResult(const std::string& outcome, const std::string& message, bool fatal = false) const {
    printLine("result", field("outcome", quoted(outcome)) + field("message", quoted(message)) +
                            (fatal ? ",\"fatal\":true" : "") + fields_);
  }

  void runKernel(const Json& request) {
    const Problem problem = problemOf(request);
    const bool timed = request["mode"].text() == "time";
    const bool cold = request["cache"].text() == "cold";
    progress("load the kernel", 0);
    const Module module(driver_, readFile(request["cubin"].text()), launchesOf(request, problem), problem);
    fields_ += field("resources", module.resources());
    progress("fill the matrices", 0);
    buffers_.prepare(problem, timed && cold ? 3.0 * device_.l2CacheSize : 0, static_cast<unsigned>(request["seed"].integer()));
    const Launch kernel = [&module](const Operands& set, cudaStream_t stream) { module.launch(set, stream); };
    progress("verify", 0);
    const Verification before = verify(kernel, tileOf(request), request.numberOr("verifyLimit", kFullLimit));
    const std::string known = fields_;
    fields_ += field("verification", before.json);
    if (!before.correct) return printResult("incorrect", before.message);
    const Json* const judges = request.find("judges");
    std::unique_ptr<Judge> judge;
    if (judges != nullptr && judges->boolean()) {
      judge = std::make_unique<Judge>(kernel, buffers_, *timer_, verifier_, tileOf(request), launchMs(kernel));
    }
    const auto finish = [&] {
      if (judge) fields_ += field("judge", judge->json());
      printResult("correct", "");
    };
    if (!timed) {
      if (judge) {
        judge->repeat();
        examine(*judge, false);
      }
      return finish();
    }
    const std::string times = time(request, kernel, cold ? "cold" : "warm", judge.get());
    if (judge) {
      progress("judge", 0);
      judge->repeat();
      if (judge->failed()) return finish();
    }
    // Race conditions may occur only occasionally, so the result of the timed launches is verified
    // again.
    progress("verify", 1);
    const Verification after = verify(kernel, tileOf(request), request.numberOr("recheckLimit", kFullLimit));
    if (!after.correct && judge) {
      judge->changed(after);
      return finish();
    }
    if (!after.correct) {
      fields_ = known + field("verification", after.json);
      return printResult("incorrect", "Correct before timing, incorrect after it, which indicates a race condition: " + after.message);
    }
    fields_ += times;
    if (judge) examine(*judge, true);
    finish();
  }

  // Returns the approximate time of one launch in milliseconds.
  double launchMs(const Launch& launch) {
    if (buffers_.problem().beta != 0) buffers_.resetC(timer_->stream);
    return timer_->time([&] { launch(buffers_[0], timer_->stream); });
  }

  // Collects the evidence for the judge that does not depend on timed batches.
  static void examine(Judge& judge, bool timed) {
    progress("judge", 0.5);
    if (!judge.failed()) judge.compareBits();
    if (!judge.failed()) judge.renew();
    if (timed && !judge.failed()) judge.compareTimes();
  }

  // `limit` is the number of FMAs up to which every element is compared.
  Verification verify(const Launch& launch, Tile tile, double limit) {
    buffers_.resetC(timer_->stream);
    launch(buffers_[0], timer_->stream);
    check(cudaStreamSynchronize(timer_->stream), "The kernel faulted");
    return verifier_.verify(buffers_, tile, timer_->stream, limit);
  }

  std::string time(const Json& request, const Launch& kernel, const char* cache, Judge* judge) {
    const TimingOptions options = timingOf(request);
    Baselines baselines(libraries_, buffers_, *timer_, verifier_, *sensors_);
    std::vector<std::unique_ptr<Baseline>> chosen;
    std::string notes;
    for (const Json& id : request["baselines"].items()) {
      progress("baseline", 0);
      auto baseline = std::make_unique<Baseline>();
      std::string note;
      if (baselines.find(id.text(), *baseline, note)) chosen.push_back(std::move(baseline));
      else notes += (notes.empty() ? "" : ",") + quoted(id.text() + ": " + note);
    }
    const double quantum = timer_->quantumNs();
    std::vector<std::unique_ptr<Contestant>> contestants;
    contestants.push_back(std::make_unique<Contestant>(kernel, buffers_, *timer_, options));
    for (const auto& each : chosen) contestants.push_back(std::make_unique<Contestant>(each->launch, buffers_, *timer_, options));
    std::vector<Contestant*> order;
    for (const auto& each : contestants) {
      progress("warm up", double(order.size()) / double(contestants.size()));
      each->warmUp();
      order.push_back(each.get());
    }
    harness::race(order, options, *sensors_, [judge](int rounds) {
      if (judge != nullptr) judge->between(rounds);
    });
    for (Contestant* each : order) {
      if (options.energyMs > 0) progress("energy", 0);
      each->measureEnergy(*sensors_);
    }
    std::string list;
    for (size_t i = 0; i < chosen.size(); ++i) {
      list += (i == 0 ? "" : ",") + baselineJson(*chosen[i], *contestants[i + 1]);
    }
    return ",\"timing\":{\"timer\":\"cuda-events\"" + field("quantumNs", number(quantum)) + field("cache", quoted(cache)) +
           field("sets", std::to_string(buffers_.sets)) + field("rotationBytes", number(buffers_.rotation)) +
           contestants.front()->json() + sensors_->json() + "}" + field("baselines", "[" + list + "]") +
           field("notes", "[" + notes + "]");
  }

  void ceilings() {
    buffers_.releaseAll();
    harness::Ceilings measure(*timer_, device_);
    sensors_->clear();
    std::string list;
    const auto add = [&](const char* id, double value, const char* unit) {
      if (!(value > 0)) return;
      list += (list.empty() ? "{" : ",{") + ("\"id\":" + quoted(id)) + field("value", number(value)) + field("unit", quoted(unit)) + "}";
      sensors_->sample();
    };
    constexpr const char *flops = "GFLOP/s", *bytes = "GB/s";
    progress("ceilings", 0);
    for (const Type type : {Type::f32, Type::f64, Type::f16, Type::s32}) {
      add((std::string("fma.") + kTypeNames[static_cast<int>(type)]).c_str(), measure.multiplyAdds(type), flops);
    }
    progress("ceilings", 0.3);
    for (const TensorCeiling& each : tensorCeilings(measure, device_)) add(each.id.c_str(), each.gflops, flops);
    progress("ceilings", 0.6);
    add("dram", measure.dram(), bytes);
    add("l2", measure.l2(), bytes);
    add("shared", measure.shared(), bytes);
    printLine("ceilings", field("ceilings", "[" + list + "]") +
                              field("how", quoted(std::string(Ceilings::kHow) + "; " + kTensorHow +
                                                  "; reads of a third of the L2 cache; conflict-free reads of shared memory")) +
                              sensors_->json());
  }

  void compile(const Json& request) {
    if (libraries_.nvrtc.number.empty()) throw Failure{"unavailable", "NVRTC was not found."};
    std::vector<std::string> flags = {"--gpu-architecture=" + request["arch"].text()};
    for (const Json& flag : request["flags"].items()) flags.push_back(flag.text());
    const Nvrtc::Result result = libraries_.nvrtc.compile(request["source"].text(), request["name"].text(), flags);
    bool written = false;
    if (result.ok) {
      std::ofstream file(request["out"].text(), std::ios::binary);
      file.write(result.cubin.data(), static_cast<std::streamsize>(result.cubin.size()));
      written = static_cast<bool>(file.flush());
      if (!written) throw Failure{"unavailable", "'" + request["out"].text() + "' cannot be written."};
    }
    printLine("compiled", field("ok", written ? "true" : "false") + field("log", quoted(result.log)) +
                              field("compiler", quoted("nvrtc " + libraries_.nvrtc.number)));
  }

  Driver driver_;
  Libraries libraries_;
  int index_;
  cudaDeviceProp device_ = {};
  std::unique_ptr<Sensors> sensors_;
  std::unique_ptr<Timer> timer_;
  Buffers buffers_;
  Verifier verifier_;
  // Fields of the current request that its result includes.
  std::string fields_;
};

inline int serve(int count, char** values) {
  int device = 0;
  std::string libraries;
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    if (name == "--watch-parent") watchParent();
    else if (name == "--device" && i + 1 < count) device = std::atoi(values[++i]);
    else if (name == "--libraries" && i + 1 < count) libraries = values[++i];
    else {
      std::fprintf(stderr, "Answers requests on standard input, one JSON line per request.\nOptions: --device N --libraries FOLDER --watch-parent\n");
      return 2;
    }
  }
  const auto failed = [](const Failure& failure) {
    printLine("failed", field("outcome", quoted(failure.outcome)) + field("message", quoted(failure.message)));
  };
  std::unique_ptr<Runner> runner;
  try {
    runner = std::make_unique<Runner>(device, libraries);
    runner->printReady();
  } catch (const Failure& failure) {
    failed(failure);
    std::_Exit(3);
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    try {
      const Json request = Json::parse(line);
      requestId() = request["id"].integer();
      runner->answer(request);
    } catch (const Failure& failure) {
      failed(failure);
      if (failure.fatal) std::_Exit(1);
    }
  }
  std::_Exit(0);
}

}  // namespace harness
