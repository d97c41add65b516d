// cuBLASLt as a baseline: the first algorithm of its heuristic, and the fastest measured of all
// proposed algorithms.

namespace harness {

// Has the memory layout of cublasLtMatmulHeuristicResult_t (cuBLAS documentation).
struct LtAlgorithm {
  std::uint64_t algorithm[8];
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};

// The part of an epilogue that cuBLASLt fuses: act(alpha * scale * A * B + residual + bias), in the
// order of its documentation ("cublasLtEpilogue_t"). Its GELU is the tanh approximation.
struct LtEpilogue {
  int scale = -1, residual = -1, bias = -1;  // indices of the operands
  int activation = 0;                        // bits of cublasLtEpilogue_t

  // Returns the reason if cuBLASLt has no such epilogue; empty if it has.
  std::string read(const Problem& p) {
    for (int i = 0; i < p.epilogue.count; ++i) {
      const EpilogueStep& step = p.epilogue.steps[i];
      const bool isLast = activation != 0;
      if (isLast) return "cuBLASLt fuses no operation after an activation.";
      switch (step.op) {
        case EpilogueOp::scale: {
          const Matrix& matrix = p.epilogue.matrices[step.operand];
          if (matrix.rows * matrix.columns > 1 || i > 0 || p.beta != 0) return "cuBLASLt fuses only a scalar scale as the first operation.";
          scale = step.operand;
          break;
        }
        case EpilogueOp::residual: {
          const Matrix& matrix = p.epilogue.matrices[step.operand];
          if (residual >= 0 || p.beta != 0 || matrix.rowMajor != p.c.rowMajor || matrix.type != p.c.type)
            return "cuBLASLt fuses one residual, of the type and layout of C, without beta * C.";
          residual = step.operand;
          break;
        }
        case EpilogueOp::bias: {
          const Matrix& matrix = p.epilogue.matrices[step.operand];
          if (bias >= 0 || (p.c.rowMajor ? matrix.rows : matrix.columns) != 1) return "cuBLASLt fuses one bias, along the contiguous dimension of C.";
          bias = step.operand;
          break;
        }
        case EpilogueOp::relu: activation = 2; break;
        case EpilogueOp::geluTanh: activation = 32; break;
        case EpilogueOp::gelu: return "The GELU of cuBLASLt is the tanh approximation. Fix: compare gelu-tanh.";
        case EpilogueOp::gate: return "cuBLASLt has no gated epilogue with a second B.";
        default: return "cuBLASLt has no SiLU epilogue.";
      }
    }
    return "";
  }
  int id() const { return activation == 0 && bias < 0 ? 1 : activation | (bias < 0 ? 0 : 4); }
};

class CublasLt {
 public:
  // `why` receives the reason if the library cannot be used.
  explicit CublasLt(const std::string& folder) {
    void* library = openToolkitLibrary("cublasLt", folder);
    if (library == nullptr) {
      why = "cuBLASLt was not found. Fix: install libcublas, or add its folder to LD_LIBRARY_PATH.";
      return;
    }
    int (*create)(void**) = nullptr;
    size_t (*version)() = nullptr;
    const bool all =
        symbol(library, "cublasLtCreate", create) && symbol(library, "cublasLtMatmul", matmul_) &&
        symbol(library, "cublasLtMatmulAlgoGetHeuristic", heuristic_) &&
        symbol(library, "cublasLtMatmulDescCreate", createOperation_) &&
        symbol(library, "cublasLtMatmulDescSetAttribute", setOperation_) &&
        symbol(library, "cublasLtMatrixLayoutCreate", createLayout_) &&
        symbol(library, "cublasLtMatrixLayoutSetAttribute", setLayout_) &&
        symbol(library, "cublasLtMatmulPreferenceCreate", createPreference_) &&
        symbol(library, "cublasLtMatmulPreferenceSetAttribute", setPreference_) &&
        symbol(library, "cublasLtMatmulDescDestroy", destroyOperation_) &&
        symbol(library, "cublasLtMatrixLayoutDestroy", destroyLayout_) &&
        symbol(library, "cublasLtMatmulPreferenceDestroy", destroyPreference_);
    if (!all || create(&handle_) != 0) {
      why = "cuBLASLt was found but failed to initialize.";
      return;
    }
    if (symbol(library, "cublasLtGetVersion", version)) number = libraryVersion(static_cast<long long>(version()));
  }

  // Prepares a problem and returns the proposed algorithms in heuristic order; empty if there are
  // none. `operands` are those of the epilogue.
  const std::vector<LtAlgorithm>& plan(const Problem& p, int compute, const LtEpilogue& epilogue, const Operands& operands) {
    forget();
    algorithms_.clear();
    problem_ = p;
    epilogue_ = epilogue;
    if (epilogue.scale >= 0) {
      float factor = 0;
      check(cudaMemcpy(&factor, operands.epilogue[epilogue.scale], sizeof factor, cudaMemcpyDeviceToHost), "Reading the scale");
      problem_.alpha *= factor;
    }
    if (epilogue.residual >= 0) problem_.beta = 1;
    const ColumnMajor g(p);
    const int scale = p.accumulator == Type::f64   ? dataType(Type::f64)
                    : p.accumulator == Type::s32 ? dataType(Type::s32)
                    : p.accumulator == Type::f16 ? dataType(Type::f16)
                                                 : dataType(Type::f32);
    const int opA = g.transposeFirst, opB = g.transposeSecond;
    bool fine = createOperation_(&operation_, compute, scale) == 0;
    fine = fine && setOperation_(operation_, kTransposeA, &opA, sizeof opA) == 0;
    fine = fine && setOperation_(operation_, kTransposeB, &opB, sizeof opB) == 0;
    // Fast accumulation, as in wgmma without promotion to FP32. Omitted scales are 1.
    const std::int8_t fast = 1;
    fine = fine && (!isFp8(p.a.type) || setOperation_(operation_, kFastAccumulation, &fast, sizeof fast) == 0);
    fine = fine && layout(&layouts_[0], g.first, opA ? g.k : g.m, opA ? g.m : g.k);
    fine = fine && layout(&layouts_[1], g.second, opB ? g.n : g.k, opB ? g.k : g.n);
    fine = fine && layout(&layouts_[2], p.c, g.m, g.n);
    fine = fine && layout(&layouts_[3], epilogue.residual < 0 ? p.c : p.epilogue.matrices[epilogue.residual], g.m, g.n);
    const int fused = epilogue.id();
    fine = fine && (fused == LtEpilogue{}.id() || setOperation_(operation_, kEpilogue, &fused, sizeof fused) == 0);
    if (epilogue.bias >= 0) {
      const void* const bias = operands.epilogue[epilogue.bias];
      const int type = dataType(p.epilogue.matrices[epilogue.bias].type);
      fine = fine && setOperation_(operation_, kBiasPointer, &bias, sizeof bias) == 0;
      fine = fine && setOperation_(operation_, kBiasType, &type, sizeof type) == 0;
    }
    fine = fine && createPreference_(&preference_) == 0;
    const std::uint64_t bytes = kLibraryWorkspaceBytes;
    fine = fine && setPreference_(preference_, kMaxWorkspaceBytes, &bytes, sizeof bytes) == 0;
    algorithms_.resize(kMostAlgorithms);
    int count = 0;
    fine = fine && heuristic_(handle_, operation_, layouts_[0], layouts_[1], layouts_[3], layouts_[2], preference_,
                              kMostAlgorithms, algorithms_.data(), &count) == 0;
    algorithms_.resize(fine ? static_cast<size_t>(count) : 0);
    const auto unusable = [](const LtAlgorithm& each) { return each.state != 0; };
    algorithms_.erase(std::remove_if(algorithms_.begin(), algorithms_.end(), unusable), algorithms_.end());
    return algorithms_;
  }

  // Launches the problem of the last plan() with one of its algorithms. Returns false if the
  // library rejects it.
  bool launch(const LtAlgorithm& algorithm, const Operands& set, cudaStream_t stream) {
    const ColumnMajor g(problem_);
    const Scalars scalars(problem_);
    void* scratch = workspace_.take(kLibraryWorkspaceBytes, "Allocating cuBLASLt's workspace");
    const void* const added = epilogue_.residual < 0 ? set.c : set.epilogue[epilogue_.residual];
    return matmul_(handle_, operation_, scalars.alpha, g.a(set), layouts_[0], g.b(set), layouts_[1], scalars.beta, added,
                   layouts_[3], set.c, layouts_[2], algorithm.algorithm, scratch, kLibraryWorkspaceBytes, stream) == 0;
  }

  std::string number, why;

 private:
  static constexpr int kMostAlgorithms = 100;
  // Values of cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t and
  // cublasLtMatmulPreferenceAttributes_t.
  static constexpr int kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8, kFastAccumulation = 25, kBiasType = 26;
  static constexpr int kBatchCount = 5, kBatchOffset = 6;
  static constexpr int kMaxWorkspaceBytes = 1;

  bool layout(void** out, const Matrix& matrix, long long rows, long long columns) {
    if (createLayout_(out, dataType(matrix.type), static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                      matrix.ld) != 0) {
      return false;
    }
    if (matrix.batch == 1) return true;
    const int count = static_cast<int>(matrix.batch);
    const std::int64_t offset = matrix.batchStride;
    return setLayout_(*out, kBatchCount, &count, sizeof count) == 0 &&
           setLayout_(*out, kBatchOffset, &offset, sizeof offset) == 0;
  }

  void forget() {
    if (operation_ != nullptr) destroyOperation_(operation_);
    if (preference_ != nullptr) destroyPreference_(preference_);
    for (void*& each : layouts_) {
      if (each != nullptr) destroyLayout_(each);
      each = nullptr;
    }
    operation_ = preference_ = nullptr;
  }

  void *handle_ = nullptr, *operation_ = nullptr, *preference_ = nullptr, *layouts_[4] = {};
  Problem problem_ = {};
  LtEpilogue epilogue_;
  std::vector<LtAlgorithm> algorithms_;
  Memory workspace_;
  int (*matmul_)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
                 void*, void*, const void*, void*, size_t, cudaStream_t) = nullptr;
  int (*heuristic_)(void*, void*, void*, void*, void*, void*, void*, int, LtAlgorithm*, int*) = nullptr;
  int (*createOperation_)(void**, int, int) = nullptr;
  int (*setOperation_)(void*, int, const void*, size_t) = nullptr;
  int (*createLayout_)(void**, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*setLayout_)(void*, int, const void*, size_t) = nullptr;
  int (*createPreference_)(void**) = nullptr;
  int (*setPreference_)(void*, int, const void*, size_t) = nullptr;
  int (*destroyOperation_)(void*) = nullptr;
  int (*destroyLayout_)(void*) = nullptr;
  int (*destroyPreference_)(void*) = nullptr;
};

}  // namespace harness
