// Loads and launches cubins through the CUDA driver API, which is opened at run time.

namespace harness {

class Driver {
 public:
  Driver() {
    void* library = openDriver();
    const bool all = symbol(library, "cuModuleLoadData", loadData) && symbol(library, "cuModuleUnload", unload) &&
                     symbol(library, "cuModuleGetFunction", getFunction) && symbol(library, "cuLaunchKernel", launch) &&
                     symbol(library, "cuFuncGetAttribute", getAttribute) &&
                     symbol(library, "cuFuncSetAttribute", setAttribute) &&
                     symbol(library, "cuGetErrorName", errorName) && symbol(library, "cuGetErrorString", errorString);
    if (!all) throw Failure{"unavailable", "The NVIDIA driver library (libcuda) was not found.", true};
#if CUDA_VERSION >= 12000
    // Available since driver 11.8.
    symbol(library, "cuLaunchKernelEx", launchWith);
#endif
    // Available since driver 12.4.
    symbol(library, "cuFuncGetParamInfo", parameter);
  }

  void check(CUresult result, const std::string& doing) const {
    if (result == CUDA_SUCCESS) return;
    const char *name = "an unknown error", *words = "";
    errorName(result, &name);
    errorString(result, &words);
    const std::string what = doing + ": " + name + " (" + words + ").";
    switch (result) {
      case CUDA_ERROR_NO_BINARY_FOR_GPU:
      case CUDA_ERROR_INVALID_IMAGE:
        throw Failure{"constraint", what + " Fix: compile for the architecture of this GPU."};
      case CUDA_ERROR_OUT_OF_MEMORY:
        throw Failure{"constraint", what + " Fix: free GPU memory."};
      default:
        throw Failure{"launch-error", what, cudaDeviceSynchronize() != cudaSuccess};
    }
  }

  CUresult (*loadData)(CUmodule*, const void*) = nullptr;
  CUresult (*unload)(CUmodule) = nullptr;
  CUresult (*getFunction)(CUfunction*, CUmodule, const char*) = nullptr;
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**,
                     void**) = nullptr;
#if CUDA_VERSION >= 12000
  CUresult (*launchWith)(const CUlaunchConfig*, CUfunction, void**, void**) = nullptr;
#endif
  CUresult (*getAttribute)(int*, CUfunction_attribute, CUfunction) = nullptr;
  CUresult (*setAttribute)(CUfunction, CUfunction_attribute, int) = nullptr;
  CUresult (*parameter)(CUfunction, size_t, size_t*, size_t*) = nullptr;
  CUresult (*errorName)(CUresult, const char**) = nullptr;
  CUresult (*errorString)(CUresult, const char**) = nullptr;
};

// A tensor map required by a launch: operand (0 to 3 for A, B, C and B2, or kResidualMap plus the index of an
// operand of the epilogue), strides and shape.
constexpr int kResidualMap = 4;
struct TensorMapRequest {
  int operand;
  Matrix matrix;
  TensorMapShape shape;
};

// A kernel parameter: a matrix, a scalar, or a tensor map.
struct Parameter {
  enum class Kind { a, b, c, workspace, epilogue, value, tensorMap } kind;
  unsigned char bytes[8];
  int operand;
  std::shared_ptr<TensorMap> map;
};

// One launch of a kernel in a cubin.
struct KernelLaunch {
  std::string symbol;
  unsigned grid[3], block[3], dynamicSharedBytes;
  std::vector<std::string> arguments;
  std::vector<TensorMapRequest> tensorMaps;
  CUfunction function = nullptr;
  std::vector<Parameter> parameters;
  bool isMain = false;
  // Set for programmatic dependent launch: the kernel may start before the previous kernel in the
  // stream ends.
  bool programmatic = false;
};

class Module {
 public:
  Module(const Driver& driver, const std::vector<char>& image, std::vector<KernelLaunch> launches, const Problem& problem)
      : driver_(driver), launches_(std::move(launches)) {
    driver_.check(driver_.loadData(&module_, image.data()), "Loading the kernel");
    for (KernelLaunch& each : launches_) bind(each, problem);
  }
  Module(const Module&) = delete;
  ~Module() { driver_.unload(module_); }

  void launch(const Operands& set, cudaStream_t stream) const {
    for (const KernelLaunch& each : launches_) {
      const void* const matrices[] = {&set.a, &set.b, &set.c, &set.workspace};
      std::vector<void*> values;
      for (const Parameter& parameter : each.parameters) {
        const void* value = nullptr;
        if (parameter.kind == Parameter::Kind::value) value = parameter.bytes;
        else if (parameter.kind == Parameter::Kind::epilogue) value = &set.epilogue[parameter.operand];
        else if (parameter.kind != Parameter::Kind::tensorMap) value = matrices[static_cast<int>(parameter.kind)];
        else value = mapAt(parameter, set);
        values.push_back(const_cast<void*>(value));
      }
      driver_.check(start(each, values, stream), "Launching " + each.symbol);
    }
  }

  // Returns the registers, shared memory and other resources of the main launch, or of the first
  // launch if there is no main launch.
  std::string resources() const {
    const auto of = [](const KernelLaunch& each) { return each.isMain; };
    const auto main = std::find_if(launches_.begin(), launches_.end(), of);
    const CUfunction function = main == launches_.end() ? launches_.front().function : main->function;
    const auto get = [&](CUfunction_attribute attribute) {
      int value = 0;
      driver_.check(driver_.getAttribute(&value, attribute, function), "Querying a kernel's resources");
      return std::to_string(value);
    };
    return "{\"registers\":" + get(CU_FUNC_ATTRIBUTE_NUM_REGS) + field("sharedBytes", get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)) +
           field("localBytes", get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)) +
           field("maxThreadsPerBlock", get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) + "}";
  }

 private:
  CUresult start(const KernelLaunch& each, std::vector<void*>& values, cudaStream_t stream) const {
#if CUDA_VERSION >= 12000
    if (each.programmatic && driver_.launchWith != nullptr) {
      CUlaunchAttribute overlap = {};
      overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      overlap.value.programmaticStreamSerializationAllowed = 1;
      const CUlaunchConfig config = {each.grid[0],  each.grid[1],  each.grid[2],           each.block[0], each.block[1],
                                     each.block[2], each.dynamicSharedBytes, stream, &overlap,      1};
      return driver_.launchWith(&config, each.function, values.data(), nullptr);
    }
#endif
    return driver_.launch(each.function, each.grid[0], each.grid[1], each.grid[2], each.block[0], each.block[1], each.block[2],
                          each.dynamicSharedBytes, stream, values.data(), nullptr);
  }

  void bind(KernelLaunch& each, const Problem& p) {
    driver_.check(driver_.getFunction(&each.function, module_, each.symbol.c_str()), "Finding " + each.symbol);
    if (each.dynamicSharedBytes > 48 * 1024) {
      driver_.check(driver_.setAttribute(each.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         static_cast<int>(each.dynamicSharedBytes)),
                    "Raising the shared memory of " + each.symbol);
    }
    bool readsA = false, readsB = false;
    for (size_t i = 0; i < each.arguments.size(); ++i) {
      const std::string& role = each.arguments[i];
      readsA = readsA || role == "a" || role == kTensorMapRoles[0];
      readsB = readsB || role == "b" || role == kTensorMapRoles[1];
      each.parameters.push_back(parameterOf(role, sizeOf(each, i), p, each));
    }
    each.isMain = readsA && readsB;
    if (sizeOf(each, each.arguments.size(), false) != 0 && driver_.parameter != nullptr) {
      throw Failure{"constraint", each.symbol + " takes more parameters than the " + std::to_string(each.arguments.size()) +
                                      " in its annotation."};
    }
  }

  // Returns the size of a parameter in bytes, or 0 if the driver cannot report it. If the parameter
  // does not exist, throws a Failure if `required`, otherwise returns 0.
  size_t sizeOf(const KernelLaunch& each, size_t index, bool required = true) const {
    size_t offset = 0, size = 0;
    if (driver_.parameter == nullptr) return 0;
    if (driver_.parameter(each.function, index, &offset, &size) == CUDA_SUCCESS) return size;
    if (required) {
      throw Failure{"constraint", each.symbol + " takes " + std::to_string(index) + " parameters, but its annotation has " +
                                      std::to_string(each.arguments.size()) + "."};
    }
    return 0;
  }

  static constexpr const char* kTensorMapRoles[] = {"tensorMapA", "tensorMapB", "tensorMapC", "tensorMapB2", "tensorMapResidual"};
  static constexpr const char* kMappedNames[] = {"A", "B", "C", "B2", "the residual"};

  static Parameter parameterOf(const std::string& role, size_t size, const Problem& p, const KernelLaunch& each) {
    const auto wrong = [&](const char* what) {
      return Failure{"constraint", "A parameter of " + each.symbol + " has " + std::to_string(size) + " bytes; expected " + role +
                                       ", " + what + ". Fix: correct the order of the arguments in its annotation."};
    };
    Parameter out = {Parameter::Kind::value, {}, 0, nullptr};
    for (int i = 0; i <= kResidualMap; ++i) {
      if (role != kTensorMapRoles[i]) continue;
      if (size != 0 && size != kTensorMapBytes) throw wrong("a CUtensorMap by value, of 128 bytes");
      const auto isIt = [i](const TensorMapRequest& request) { return std::min(request.operand, kResidualMap) == i; };
      const auto request = std::find_if(each.tensorMaps.begin(), each.tensorMaps.end(), isIt);
      if (request == each.tensorMaps.end()) throw Failure{"constraint", "The request has no box and swizzle for " + role + "."};
      out.kind = Parameter::Kind::tensorMap;
      out.operand = request->operand;
      out.map = mapOf(*request, std::string(kMappedNames[i]) + " of " + each.symbol);
      return out;
    }
    const char* const matrices[] = {"a", "b", "c", "workspace"};
    for (int i = 0; i < 4; ++i) {
      if (role != matrices[i]) continue;
      if (size != 0 && size != 8) throw wrong("a pointer");
      out.kind = static_cast<Parameter::Kind>(i);
      return out;
    }
    for (int i = 0; i < p.epilogue.operands; ++i) {
      if (role != "epilogue" + std::to_string(i)) continue;
      if (size != 0 && size != 8) throw wrong("a pointer");
      out.kind = Parameter::Kind::epilogue;
      out.operand = i;
      return out;
    }
    const auto put = [&out](auto value) { std::memcpy(out.bytes, &value, sizeof value); };
    if (role == "alpha" || role == "beta") {
      const double value = role == "alpha" ? p.alpha : p.beta;
      const bool integer = isInteger(p.accumulator);
      const size_t bytes = size == 0 ? static_cast<size_t>(bytesOf(p.accumulator)) : size;
      if (bytes == 8) integer ? put(static_cast<long long>(value)) : put(value);
      else if (bytes == 4) integer ? put(static_cast<int>(value)) : put(static_cast<float>(value));
      else if (bytes == 2) put(__float2half(static_cast<float>(value)));
      else throw wrong("a number of 2, 4 or 8 bytes");
      return out;
    }
    const std::pair<const char*, long long> integers[] = {
        {"m", p.m},        {"n", p.n},        {"k", p.k},        {"batch", p.batch},
        {"lda", p.a.ld},   {"ldb", p.b.ld},   {"ldc", p.c.ld},
        {"strideA", p.a.batchStride}, {"strideB", p.b.batchStride}, {"strideC", p.c.batchStride}};
    for (const auto& [name, value] : integers) {
      if (role != name) continue;
      if (size == 8) put(value);
      else if ((size == 0 || size == 4) && value <= 2147483647) put(static_cast<int>(value));
      else throw wrong("an integer of 4 or 8 bytes that can represent its value");
      return out;
    }
    throw Failure{"constraint", "'" + role + "' is not a kernel argument."};
  }

#if defined(CUDA_VERSION) && CUDA_VERSION >= 12000
  static std::shared_ptr<TensorMap> mapOf(const TensorMapRequest& request, const std::string& name) {
    return std::make_shared<TensorMap>(name, request.matrix, request.shape);
  }
  static const void* mapAt(const Parameter& parameter, const Operands& set) {
    void* const matrices[] = {set.a, set.b, set.c, set.epilogue[0]};
    const int operand = parameter.operand;
    return &parameter.map->at(operand < kResidualMap ? matrices[operand] : set.epilogue[operand - kResidualMap], set.workspace);
  }
#else
  static std::shared_ptr<TensorMap> mapOf(const TensorMapRequest&, const std::string&) {
    throw Failure{"constraint", "Tensor maps require CUDA 12.0, but this runner was compiled by an older nvcc. Fix: install CUDA 12.0 or newer."};
  }
  static const void* mapAt(const Parameter&, const Operands&) { return nullptr; }
#endif

  const Driver& driver_;
  CUmodule module_ = nullptr;
  std::vector<KernelLaunch> launches_;
};

}  // namespace harness
