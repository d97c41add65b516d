// Libraries opened at run time if they are there, never needed to build: NVML for clocks, cuBLAS as a baseline.

namespace harness {

inline void* openLibrary(const std::string& name) {
#ifdef _WIN32
  return reinterpret_cast<void*>(LoadLibraryA(name.c_str()));
#else
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
#endif
}

template <typename Function>
bool symbol(void* library, const char* name, Function& function) {
#ifdef _WIN32
  function = reinterpret_cast<Function>(
      reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name)));
#else
  function = reinterpret_cast<Function>(dlsym(library, name));
#endif
  return function != nullptr;
}

// Clocks of the GPU while it works. Silent where there is no NVML.
class Clocks {
 public:
  explicit Clocks(int device) {
    char bus[32] = "";
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) return;
    void* library = nullptr;
    for (const char* name : {"libnvidia-ml.so.1", "nvml.dll"}) {
      if (library == nullptr) library = openLibrary(name);
    }
    int (*init)() = nullptr;
    int (*find)(const char*, void**) = nullptr;
    int (*driver)(char*, unsigned) = nullptr;
    if (library == nullptr || !symbol(library, "nvmlInit_v2", init) ||
        !symbol(library, "nvmlDeviceGetHandleByPciBusId_v2", find) ||
        !symbol(library, "nvmlDeviceGetClockInfo", clock_) || init() != 0) {
      return;
    }
    if (find(bus, &device_) != 0) device_ = nullptr;
    char version[96] = "";
    if (symbol(library, "nvmlSystemGetDriverVersion", driver) && driver(version, sizeof version) == 0) {
      driverVersion = version;
    }
  }

  void sample() {
    unsigned sm = 0, memory = 0;
    if (device_ == nullptr || clock_(device_, 1, &sm) != 0 || clock_(device_, 2, &memory) != 0) return;
    sm_ += sm;
    memory_ += memory;
    ++count_;
  }

  void clear() { sm_ = memory_ = count_ = 0; }

  std::string json() const {
    if (count_ == 0) return "";
    return ",\"clocks\":{\"smMHz\":" + number(sm_ / count_) + ",\"memoryMHz\":" + number(memory_ / count_) + "}";
  }

  std::string driverVersion;

 private:
  void* device_ = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  double sm_ = 0, memory_ = 0, count_ = 0;
};

// cudaDataType of an element type, as the library counts them.
template <typename T>
constexpr int dataType() {
  if constexpr (std::is_same_v<T, double>) return 1;
  else if constexpr (std::is_same_v<T, float>) return 0;
  else if constexpr (std::is_same_v<T, int>) return 10;
  else if constexpr (sizeof(T) == 1) return 3;
  else return kBfloat16 ? 14 : 2;
}

// cublasGemmEx in its default math mode, which rounds no f32 to TF32; tensor cores compute what is narrower.
class Cublas {
 public:
  // `why` says what is missing when it cannot be used.
  explicit Cublas(const std::string& folder) {
    if (kCublasCompute == 0) {
      why = "cuBLAS has no GEMM for these element types.";
      return;
    }
    void* library = find(folder);
    if (library == nullptr) {
      why = "cuBLAS was not found: install libcublas, or put its folder on LD_LIBRARY_PATH.";
      return;
    }
    int (*create)(void**) = nullptr;
    int (*workspace)(void*, void*, size_t) = nullptr;
    int (*version)(void*, int*) = nullptr;
    void* scratch = nullptr;
    if (!symbol(library, "cublasCreate_v2", create) || !symbol(library, "cublasGemmEx", gemm_) ||
        !symbol(library, "cublasGemmStridedBatchedEx", gemmBatched_) ||
        !symbol(library, "cublasSetStream_v2", setStream_) || create(&handle_) != 0) {
      why = "cuBLAS is there but did not start.";
      return;
    }
    // Its own workspace, because launches are captured into graphs; 32 MiB is what Hopper asks for.
    constexpr size_t bytes = 32u << 20;
    if (symbol(library, "cublasSetWorkspace_v2", workspace) && cudaMalloc(&scratch, bytes) == cudaSuccess) {
      setWorkspace_ = [this, workspace, scratch] { workspace(handle_, scratch, bytes); };
    }
    int number = 0;
    if (symbol(library, "cublasGetVersion_v2", version)) version(handle_, &number);
    name = "cuBLAS " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100) + (kBatch == 1 ? " cublasGemmEx" : " cublasGemmStridedBatchedEx");
  }

  // cuBLAS is column-major: a row-major C is the column-major C^T = B^T A^T.
  bool launch(const Operands& set, cudaStream_t stream) {
    const Accumulator alpha = static_cast<Accumulator>(kAlpha), beta = static_cast<Accumulator>(kBeta);
    if (stream != stream_) {
      if (setStream_(handle_, stream) != 0) return false;
      // Setting the stream forgets the workspace.
      if (setWorkspace_) setWorkspace_();
      stream_ = stream;
    }
    constexpr int keep = 0, transpose = 1;
    const int m = static_cast<int>(kM), n = static_cast<int>(kN), k = static_cast<int>(kK);
    const int lda = static_cast<int>(kLda), ldb = static_cast<int>(kLdb), ldc = static_cast<int>(kLdc);
    constexpr int typeA = dataType<ElementA>(), typeB = dataType<ElementB>(), typeC = dataType<ElementC>();
    constexpr int automatic = -1;
    if constexpr (kBatch > 1) {
      constexpr long long a = kBatchStrideA, b = kBatchStrideB, c = kBatchStrideC;
      constexpr int products = static_cast<int>(kBatch);
      return (kRowMajorC ? gemmBatched_(handle_, kRowMajorB ? keep : transpose, kRowMajorA ? keep : transpose, n, m, k,
                                        &alpha, set.b, typeB, ldb, b, set.a, typeA, lda, a, &beta, set.c, typeC, ldc, c,
                                        products, kCublasCompute, automatic)
                         : gemmBatched_(handle_, kRowMajorA ? transpose : keep, kRowMajorB ? transpose : keep, m, n, k,
                                        &alpha, set.a, typeA, lda, a, set.b, typeB, ldb, b, &beta, set.c, typeC, ldc, c,
                                        products, kCublasCompute, automatic)) == 0;
    }
    return (kRowMajorC
                ? gemm_(handle_, kRowMajorB ? keep : transpose, kRowMajorA ? keep : transpose, n, m, k, &alpha, set.b,
                        typeB, ldb, set.a, typeA, lda, &beta, set.c, typeC, ldc, kCublasCompute, automatic)
                : gemm_(handle_, kRowMajorA ? transpose : keep, kRowMajorB ? transpose : keep, m, n, k, &alpha, set.a,
                        typeA, lda, set.b, typeB, ldb, &beta, set.c, typeC, ldc, kCublasCompute, automatic)) == 0;
  }

  std::string name, why;

 private:
  static void* find(const std::string& folder) {
    std::vector<std::string> folders = {folder, ""};
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
      const char* root = std::getenv(variable);
      if (root != nullptr) folders.push_back(std::string(root) + "/lib64");
    }
    folders.push_back("/usr/local/cuda/lib64");
    // The major version that this program was built with comes first.
    std::vector<int> majors = {CUDART_VERSION / 1000, 14, 13, 12, 11};
    for (const int major : majors) {
      for (const std::string& place : folders) {
#ifdef _WIN32
        const std::string file = "cublas64_" + std::to_string(major) + ".dll";
#else
        const std::string file = "libcublas.so." + std::to_string(major);
#endif
        void* library = openLibrary(place.empty() ? file : place + "/" + file);
        if (library != nullptr) return library;
      }
    }
    return nullptr;
  }

  void* handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::function<void()> setWorkspace_;
  int (*setStream_)(void*, cudaStream_t) = nullptr;
  int (*gemm_)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
               void*, int, int, int, int) = nullptr;
  int (*gemmBatched_)(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*, int,
                      int, long long, const void*, void*, int, int, long long, int, int, int) = nullptr;
};

}  // namespace harness
