// Runs a GEMM kernel: verifies it, and times it only when it is right.

namespace harness {

// Defined at the end of the program, where the kernel is known.
cudaError_t prepareKernel();
void launchKernel(const Operands& set, cudaStream_t stream);

struct Options {
  std::string mode = "time";      // verify, time
  std::string cache = "cold";     // cold: inputs rotate through 3 x the L2 cache; warm: one set of inputs
  std::string baseline = "none";  // none, cublas
  std::string libraries;          // folder to look for cuBLAS in first
  bool ceilings = false, watchParent = false;
  unsigned seed = 1;
  int device = 0;
  double warmUpMs = 300, deadlineSeconds = 120;
  Files files;
};

[[noreturn]] inline void usage(const std::string& wrong, int code = 2) {
  std::fprintf(stderr,
               "%s\nOptions: --mode verify|time --cache cold|warm --baseline none|cublas --ceilings --seed N\n"
               "  --device N --warm-up-ms N --deadline-s N --libraries FOLDER --watch-parent\n"
               "Your own matrices: --a A.npy --b B.npy --out C.npy, and --c C.npy where beta is not 0\n",
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
    if (name == "--watch-parent") {
      options.watchParent = true;
      continue;
    }
    if (i + 1 == count) usage(name + " is unknown or lacks a value.");
    const char* value = values[++i];
    const auto choose = [&](std::string& into, const char* first, const char* second) {
      into = value;
      if (into != first && into != second) usage(name + " is " + first + " or " + second + ".");
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
    else if (name == "--warm-up-ms") options.warmUpMs = std::atof(value);
    else if (name == "--deadline-s") options.deadlineSeconds = std::atof(value);
    else usage(name + " is unknown.");
  }
  const Files& files = options.files;
  const bool whole = !files.a.empty() && !files.b.empty() && !files.out.empty() && files.c.empty() == (kBeta == 0);
  if (files.any() && !whole) {
    usage(kBeta == 0 ? "Files are given together: --a, --b and --out; beta is 0, so C is not read."
                     : "Files are given together: --a, --b, --c (beta is not 0) and --out.");
  }
  return options;
}

// Ends the program at its deadline, or when the program that started it is gone: a kernel that never
// returns cannot be waited for.
inline void startWatchdog(const Options& options) {
#ifndef _WIN32
  const auto parent = getppid();
#endif
  std::thread([=] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.deadlineSeconds);
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
#ifndef _WIN32
      if (options.watchParent && getppid() != parent) std::_Exit(124);
#endif
    }
    // What is known belongs to the thread that is stuck.
    printResult("timeout", "The kernel did not finish within " + number(options.deadlineSeconds) + " s.", "");
    std::_Exit(124);
  }).detach();
}

inline cudaDeviceProp openDevice(int index) {
  cudaDeviceProp device;
  int driver = 0, runtime = 0;
  check(cudaSetDevice(index), "Opening the GPU");
  check(cudaGetDeviceProperties(&device, index), "Opening the GPU");
  check(cudaDriverGetVersion(&driver), "Opening the GPU");
  check(cudaRuntimeGetVersion(&runtime), "Opening the GPU");
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number / 10 % 100);
  };
  knownFields() += ",\"device\":{\"name\":" + quoted(device.name) + ",\"computeCapability\":\"" +
                   std::to_string(device.major) + "." + std::to_string(device.minor) +
                   "\",\"multiprocessors\":" + std::to_string(device.multiProcessorCount) +
                   ",\"l2Bytes\":" + std::to_string(device.l2CacheSize) + ",\"driverCuda\":\"" +
                   version(driver) + "\",\"runtimeCuda\":\"" + version(runtime) + "\"}";
  return device;
}

// One launch into a fresh C, compared with the reference.
inline Verification runOnce(const Launch& launch, const Buffers& buffers, cudaStream_t stream) {
  buffers.resetC(stream);
  launch(buffers[0], stream);
  check(cudaGetLastError(), "Launching the kernel");
  check(cudaStreamSynchronize(stream), "The kernel faulted");
  return verify(buffers[0], buffers.streamC());
}

inline void timeAll(const Options& options, const Buffers& buffers, Timer& timer, Clocks& clocks) {
  const Launch kernel = launchKernel;
  Runner ours(kernel, buffers, timer);
  std::vector<Runner*> runners = {&ours};

  std::string note;
  Cublas* library = options.baseline == "cublas" ? new Cublas(options.libraries) : nullptr;
  const Launch baseline = [&](const Operands& set, cudaStream_t stream) {
    if (!library->launch(set, stream)) note = "cuBLAS refused this problem.";
  };
  Runner theirs(baseline, buffers, timer);
  if (library != nullptr) {
    progress("baseline", 0);
    note = library->why;
    const bool right = note.empty() && runOnce(baseline, buffers, timer.stream).correct;
    if (note.empty() && !right) note = library->name + " failed verification, so it was not timed.";
    if (note.empty()) runners.push_back(&theirs);
  }

  const double quantum = timer.quantumNs();
  for (Runner* runner : runners) {
    progress("warm up", 0);
    runner->warmUp(options.warmUpMs);
  }
  race(runners, clocks);
  knownFields() += ",\"timing\":{\"timer\":\"cuda-events\",\"quantumNs\":" + number(quantum) +
                   ",\"cache\":" + quoted(options.cache) + ",\"sets\":" + std::to_string(buffers.sets) +
                   ",\"rotationBytes\":" + number(buffers.rotation) + "," + ours.json() + clocks.json() + "}";
  if (runners.size() == 2 && note.empty()) {
    knownFields() += ",\"baseline\":{\"name\":" + quoted(library->name) + "," + theirs.json() +
                     ",\"ratio\":" + number(theirs.medianMs() / ours.medianMs()) + "}";
  }
  if (!note.empty()) knownFields() += ",\"baselineNote\":" + quoted(note);
}

inline int run(int count, char** values) {
  const Options options = parseOptions(count, values);
  startWatchdog(options);
  progress("open the GPU", 0);
  const cudaDeviceProp device = openDevice(options.device);
  Clocks clocks(options.device);
  if (!clocks.driverVersion.empty()) knownFields() += ",\"driver\":" + quoted(clocks.driverVersion);
  const bool timed = options.mode == "time";
  const double rotateBytes = timed && options.cache == "cold" ? 3.0 * device.l2CacheSize : 0;
  progress("fill the matrices", 0);
  const Buffers buffers(options.files.any() ? 0 : rotateBytes, options.seed);
  if (options.files.any()) {
    multiplyFiles(options.files, buffers, prepareKernel, launchKernel);
    printLine("written", "\"path\":" + quoted(options.files.out) + ",\"verified\":false");
    std::_Exit(0);
  }
  Timer timer;

  check(prepareKernel(), "Preparing the kernel");
  progress("verify", 0);
  const Verification verified = runOnce(launchKernel, buffers, timer.stream);
  knownFields() += ",\"verification\":" + verified.json;
  if (!verified.correct) finish("incorrect", verified.message);
  if (options.ceilings) knownFields() += measureCeilings(timer, device);
  if (timed) timeAll(options, buffers, timer, clocks);
  finish("correct", "");
}

}  // namespace harness
