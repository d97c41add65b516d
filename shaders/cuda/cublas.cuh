// cuBLAS as a baseline: cublasGemmEx in its default math mode (f32 is not rounded to TF32) and in
// other math modes.

namespace harness {

// Returns the cudaDataType of an element type.
inline int dataType(Type type) {
  switch (type) {
    case Type::f64: return 1;
    case Type::tf32:
    case Type::f32: return 0;
    case Type::f16: return 2;
    case Type::bf16: return 14;
    case Type::s8: return 3;
    case Type::e4m3: return 28;
    case Type::e5m2: return 29;
    default: return 10;
  }
}

// Returns the cublasComputeType_t for the types of a problem (cuBLAS library, "cublasGemmEx"), or 0
// if they are unsupported.
inline int computeType(const Problem& p) {
  const auto types = [&](Type inputs, Type c, Type sum) {
    return p.a.type == inputs && p.b.type == inputs && p.c.type == c && p.accumulator == sum;
  };
  if (types(Type::f64, Type::f64, Type::f64)) return 70;
  if (types(Type::s8, Type::s32, Type::s32)) return 72;
  if (types(Type::f16, Type::f16, Type::f16)) return 64;
  if (types(Type::tf32, Type::f32, Type::f32)) return 77;
  // Supported: all combinations of 8-bit floats except e5m2 with e5m2 (cuBLAS library,
  // "cublasLtMatmul").
  const bool eight = isFp8(p.a.type) && isFp8(p.b.type) && !(p.a.type == Type::e5m2 && p.b.type == Type::e5m2);
  if (eight && p.accumulator == Type::f32) return p.c.type == Type::f32 || p.c.type == Type::f16 || p.c.type == Type::bf16 ? 68 : 0;
  for (const Type input : {Type::f32, Type::f16, Type::bf16}) {
    if (types(input, input, Type::f32) || types(input, Type::f32, Type::f32)) return 68;
  }
  return 0;
}

// alpha and beta, converted to the accumulator type.
struct Scalars {
  explicit Scalars(const Problem& p) {
    const auto set = [&](unsigned char* to, double value) {
      switch (p.accumulator) {
        case Type::f64: return put(to, value);
        case Type::f16: return put(to, __half(static_cast<float>(value)));
        case Type::s32: return put(to, static_cast<int>(value));
        default: return put(to, static_cast<float>(value));
      }
    };
    set(alpha, p.alpha);
    set(beta, p.beta);
  }
  alignas(8) unsigned char alpha[8], beta[8];

 private:
  template <typename T>
  static void put(unsigned char* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }
};

// The libraries are column-major. A row-major C is the column-major C^T = B^T A^T, so A and B, m
// and n are swapped.
struct ColumnMajor {
  explicit ColumnMajor(const Problem& p)
      : swapped(p.c.rowMajor),
        first(swapped ? p.b : p.a),
        second(swapped ? p.a : p.b),
        m(swapped ? p.n : p.m),
        n(swapped ? p.m : p.n),
        k(p.k),
        transposeFirst(first.rowMajor != swapped),
        transposeSecond(second.rowMajor != swapped) {}
  bool swapped;
  Matrix first, second;
  long long m, n, k;
  bool transposeFirst, transposeSecond;

  const void* a(const Operands& set) const { return swapped ? set.b : set.a; }
  const void* b(const Operands& set) const { return swapped ? set.a : set.b; }
};

// The recommended size for Hopper is 32 MiB (cuBLAS library, "cublasSetWorkspace").
constexpr size_t kLibraryWorkspaceBytes = size_t{32} << 20;

class Cublas {
 public:
  // `why` receives the reason if the library cannot be used.
  explicit Cublas(const std::string& folder) {
    void* library = openToolkitLibrary("cublas", folder);
    if (library == nullptr) {
      why = "cuBLAS was not found. Fix: install libcublas, or add its folder to LD_LIBRARY_PATH.";
      return;
    }
    int (*create)(void**) = nullptr;
    int (*version)(void*, int*) = nullptr;
    if (!symbol(library, "cublasCreate_v2", create) || !symbol(library, "cublasGemmEx", gemm_) ||
        !symbol(library, "cublasGemmStridedBatchedEx", gemmBatched_) ||
        !symbol(library, "cublasSetStream_v2", setStream_) ||
        !symbol(library, "cublasSetWorkspace_v2", setWorkspace_) || create(&handle_) != 0) {
      why = "cuBLAS was found but failed to initialize.";
      return;
    }
    int found = 0;
    if (symbol(library, "cublasGetVersion_v2", version)) version(handle_, &found);
    number = libraryVersion(found);
  }

  // Returns false if the library rejects the problem.
  bool launch(const Problem& p, int compute, const Operands& set, cudaStream_t stream) {
    if (stream != stream_) {
      // An explicit workspace is required, since launches are captured into graphs; setting the
      // stream resets it.
      void* scratch = workspace_.take(kLibraryWorkspaceBytes, "Allocating cuBLAS' workspace");
      if (setStream_(handle_, stream) != 0 || setWorkspace_(handle_, scratch, kLibraryWorkspaceBytes) != 0) return false;
      stream_ = stream;
    }
    const ColumnMajor g(p);
    const Scalars scalars(p);
    constexpr int keep = 0, transpose = 1, automatic = -1;
    const auto narrow = [](long long value) { return static_cast<int>(value); };
    const int opA = g.transposeFirst ? transpose : keep, opB = g.transposeSecond ? transpose : keep;
    const int typeA = dataType(g.first.type), typeB = dataType(g.second.type), typeC = dataType(p.c.type);
    const int m = narrow(g.m), n = narrow(g.n), k = narrow(g.k);
    const int lda = narrow(g.first.ld), ldb = narrow(g.second.ld), ldc = narrow(p.c.ld);
    if (p.batch > 1) {
      return gemmBatched_(handle_, opA, opB, m, n, k, scalars.alpha, g.a(set), typeA, lda, g.first.batchStride, g.b(set),
                          typeB, ldb, g.second.batchStride, scalars.beta, set.c, typeC, ldc, p.c.batchStride,
                          narrow(p.batch), compute, automatic) == 0;
    }
    return gemm_(handle_, opA, opB, m, n, k, scalars.alpha, g.a(set), typeA, lda, g.b(set), typeB, ldb, scalars.beta,
                 set.c, typeC, ldc, compute, automatic) == 0;
  }

  std::string number, why;

 private:
  void* handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  Memory workspace_;
  int (*setStream_)(void*, cudaStream_t) = nullptr;
  int (*setWorkspace_)(void*, void*, size_t) = nullptr;
  int (*gemm_)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
               void*, int, int, int, int) = nullptr;
  int (*gemmBatched_)(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*, int,
                      int, long long, const void*, void*, int, int, long long, int, int, int) = nullptr;
};

}  // namespace harness
