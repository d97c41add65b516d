// Program of one kernel: verifies it, and times it only if the result is correct.

namespace harness {

// These symbols are defined at the end of the program, after the kernel.
extern const Problem kProblem;
cudaError_t prepareKernel();
void launchKernel(const Operands& set, cudaStream_t stream);

struct Options {
  std::string mode = "time";      // verify, time
  std::string cache = "cold";     // cold: inputs rotate through 3 x the L2 cache; warm: one set of inputs
  std::string baseline = "none";  // none, cublas
  std::string libraries;          // folder in which cuBLAS is searched first
  bool ceilings = false;
  unsigned seed = 1;
  int device = 0;
  double deadlineSeconds = 120;
  TimingOptions timing;
  Files files;
};

[[noreturn]] inline void usage(const std::string& wrong, int code = 2) {
  std::fprintf(stderr,
               "%s\nOptions: --mode verify|time --cache cold|warm --baseline none|cublas --ceilings --seed N\n"
               "  --device N --warm-up-ms N --deadline-s N --libraries FOLDER\n"
               "Your own matrices: --a A.npy --b B.npy --out C.npy, and --c C.npy if beta is not 0\n",
               wrong.c_str());
  std::exit(code);
}

inline Options parseOptions(int count, char** values) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    if (name == "--help") usage("Verifies the kernel of this program and times it; prints JSON lines.", 0);
    if (name == "--ceilings") {
      options.ceilings = true;
      continue;
    }
    if (i + 1 == count) usage(name + " is unknown or has no value.");
    const char* value = values[++i];
    const auto choose = [&](std::string& into, const char* first, const char* second) {
      into = value;
      if (into != first && into != second) usage(name + " must be " + first + " or " + second + ".");
    };
    if (name == "--mode") choose(options.mode, "verify", "time");
    else if (name == "--cache") choose(options.cache, "cold", "warm");
    else if (name == "--baseline") choose(options.baseline, "none", "cublas");
    else if (name == "--libraries") options.libraries = value;
    else if (name == "--a") options.files.a = value;
    else if (name == "--b") options.files.b = value;
    else if (name == "--c") options.files.c = value;
    else if (name == "--out") options.files.out = value;
    else if (name == "--seed") options.seed = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    else if (name == "--device") options.device = std::atoi(value);
    else if (name == "--warm-up-ms") options.timing.warmUpMs = std::atof(value);
    else if (name == "--deadline-s") options.deadlineSeconds = std::atof(value);
    else usage(name + " is unknown.");
  }
  const Files& files = options.files;
  const bool readsC = kProblem.beta != 0;
  const bool whole = !files.a.empty() && !files.b.empty() && !files.out.empty() && files.c.empty() != readsC;
  if (files.any() && !whole) {
    usage(readsC ? "Expected --a, --b, --c (beta is not 0) and --out together."
                 : "Expected --a, --b and --out together; beta is 0, so C is not read.");
  }
  return options;
}

// Fields collected so far; every result includes them.
inline std::string& knownFields() {
  static std::string fields;
  return fields;
}

// Prints the result once, from the program or its watchdog, and exits. Exit codes: 0 correct, 1
// incorrect, 3 unsupported on this machine.
[[noreturn]] inline void finish(const std::string& outcome, const std::string& message, const std::string& fields) {
  static std::atomic<bool> printed{false};
  if (!printed.exchange(true)) printLine("result", field("outcome", quoted(outcome)) + field("message", quoted(message)) + fields);
  std::_Exit(outcome == "correct" ? 0 : outcome == "unavailable" || outcome == "constraint" ? 3 : 1);
}

// Ends the program at its deadline, even if a kernel never returns.
inline void startWatchdog(double seconds) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    // The watchdog must not read knownFields(), which the main thread may be modifying.
    finish("timeout", "The kernel did not finish within " + number(seconds) + " s.", "");
  }).detach();
}

// Launches once into a reset C and compares the result with the reference.
inline Verification runOnce(const Launch& launch, const Buffers& buffers, Verifier& verifier, Tile tile, cudaStream_t stream) {
  buffers.resetC(stream);
  launch(buffers[0], stream);
  check(cudaGetLastError(), "Launching the kernel");
  check(cudaStreamSynchronize(stream), "The kernel faulted");
  return verifier.verify(buffers, tile, stream);
}

inline void timeAll(const Options& options, const Buffers& buffers, Timer& timer, Sensors& sensors, Verifier& verifier) {
  Contestant ours(launchKernel, buffers, timer, options.timing);
  std::vector<Contestant*> contestants = {&ours};
  std::string note;
  std::unique_ptr<Cublas> library;
  const int compute = computeType(kProblem);
  const Launch baseline = [&](const Operands& set, cudaStream_t stream) {
    if (!library->launch(kProblem, compute, set, stream)) note = "cuBLAS rejected this problem.";
  };
  Contestant theirs(baseline, buffers, timer, options.timing);
  if (options.baseline == "cublas") {
    progress("baseline", 0);
    library = std::make_unique<Cublas>(options.libraries);
    note = compute == 0 ? "cuBLAS has no GEMM for these element types." : library->why;
    if (note.empty() && !runOnce(baseline, buffers, verifier, {}, timer.stream).correct && note.empty()) {
      note = "cuBLAS failed verification, so it was not timed.";
    }
    if (note.empty()) contestants.push_back(&theirs);
  }
  const double quantum = timer.quantumNs();
  for (Contestant* each : contestants) {
    progress("warm up", 0);
    each->warmUp();
  }
  race(contestants, options.timing, sensors);
  knownFields() += ",\"timing\":{\"timer\":\"cuda-events\"" + field("quantumNs", number(quantum)) +
                   field("cache", quoted(options.cache)) + field("sets", std::to_string(buffers.sets)) +
                   field("rotationBytes", number(buffers.rotation)) + ours.json() + sensors.json() + "}";
  if (contestants.size() == 2 && note.empty()) {
    knownFields() += ",\"baseline\":{\"name\":" + quoted("cuBLAS " + library->number) + theirs.json() +
                     field("ratio", number(theirs.medianMs() / ours.medianMs())) + "}";
  }
  if (!note.empty()) knownFields() += field("baselineNote", quoted(note));
}

inline void runKernel(const Options& options) {
  progress("open the GPU", 0);
  cudaDeviceProp device;
  check(cudaSetDevice(options.device), "Opening the GPU");
  check(cudaGetDeviceProperties(&device, options.device), "Opening the GPU");
  Sensors sensors(options.device);
  knownFields() += ",\"device\":{\"name\":" + quoted(device.name) +
                   field("computeCapability", quoted(std::to_string(device.major) + "." + std::to_string(device.minor))) + "}";
  if (!sensors.driverVersion.empty()) knownFields() += field("driver", quoted(sensors.driverVersion));
  const bool timed = options.mode == "time";
  const double rotateBytes = timed && options.cache == "cold" ? 3.0 * device.l2CacheSize : 0;
  progress("fill the matrices", 0);
  Buffers buffers;
  buffers.prepare(kProblem, options.files.any() ? 0 : rotateBytes, options.seed);
  check(prepareKernel(), "Preparing the kernel");
  if (options.files.any()) {
    multiplyFiles(options.files, buffers, launchKernel);
    printLine("written", field("path", quoted(options.files.out)) + field("verified", "false"));
    std::_Exit(0);
  }
  Timer timer;
  Verifier verifier;
  progress("verify", 0);
  const Verification verified = runOnce(launchKernel, buffers, verifier, {}, timer.stream);
  knownFields() += field("verification", verified.json);
  if (!verified.correct) finish("incorrect", verified.message, knownFields());
  if (options.ceilings) {
    progress("ceilings", 0);
    Ceilings ceilings(timer, device);
    knownFields() += ",\"ceilings\":{\"gflops\":" + number(ceilings.multiplyAdds(kProblem.accumulator)) +
                     field("bandwidthGBps", number(ceilings.dram())) + field("how", quoted(Ceilings::kHow)) + "}";
  }
  if (timed) timeAll(options, buffers, timer, sensors, verifier);
  finish("correct", "", knownFields());
}

inline int run(int count, char** values) {
  const Options options = parseOptions(count, values);
  startWatchdog(options.deadlineSeconds);
  try {
    runKernel(options);
  } catch (const Failure& failure) {
    finish(failure.outcome, failure.message, knownFields());
  }
  return 0;
}

}  // namespace harness
