// Tensor maps (CUtensorMap), through which Hopper's TMA (tensor memory accelerator) accesses a
// matrix. The driver is opened at run time and encodes one map per copy of the matrix. CUDA driver
// API, "Tensor Map Object Management".

#include <cuda.h>

namespace harness {

// Extents of a TMA box in elements, along the contiguous dimension and along the other dimension, and its
// shared-memory swizzle.
struct TensorMapShape {
  long long inner, outer;
  int swizzleBytes;
  // Byte offset of a repacked copy in the workspace; negative if the matrix itself is used.
  long long workspaceOffset;
};
constexpr size_t kTensorMapBytes = 128;

// A copy that a pre-pass kernel writes. It may be transposed, and may be split into `terms`
// matrices of a shorter type.
struct Copy {
  Type type;
  long long terms;
  bool transposed;
};

inline Matrix repackedCopy(Matrix matrix, long long ld, long long batchStride, const Copy& copy) {
  matrix.type = copy.type;
  matrix.batch *= copy.terms;
  matrix.rowMajor = matrix.rowMajor != copy.transposed;
  matrix.ld = ld;
  matrix.batchStride = batchStride;
  return matrix;
}

#if !defined(CUDA_VERSION) || CUDA_VERSION < 12000

// Toolkits before CUDA 12.0 have no tensor maps; requests for a tensor map fail.
class TensorMap;

#else

class TensorMap {
 public:
  static_assert(sizeof(CUtensorMap) == kTensorMapBytes);

  // `name` is the name of the matrix in messages. For a copy in the workspace, `matrix` has the
  // strides of the copy.
  TensorMap(const std::string& name, const Matrix& matrix, const TensorMapShape& shape) : name_(name), matrix_(matrix), shape_(shape) {
    const long long bytes = bytesOf(matrix.type), row = shape.inner * bytes;
    const auto need = [&](bool holds, const std::string& rule) {
      if (!holds) throw Failure{"constraint", "No tensor map for " + name_ + ": " + rule};
    };
    const auto strideRule = [&](const char* what, long long elements) {
      const std::string given = std::string(what) + " is " + std::to_string(elements * bytes) + " bytes; TMA requires ";
      need(elements * bytes % kAligned == 0, given + "a multiple of 16. Fix: copy the matrix with padding first.");
      need(elements * bytes < 1ll << 40, given + "less than 2^40.");
    };
    strideRule("its leading dimension", matrix.ld);
    if (matrix.batch > 1) strideRule("its batch stride", matrix.batchStride);
    need(inner() <= 1ll << 32 && outer() <= 1ll << 32 && matrix.batch <= 1ll << 32, "its extents must not exceed 2^32.");
    const std::string box = "its box is " + std::to_string(shape.inner) + " x " + std::to_string(shape.outer) + "; ";
    need(shape.inner >= 1 && shape.inner <= kMostBox && shape.outer >= 1 && shape.outer <= kMostBox, box + "expected sides of 1 to 256.");
    need(row % kAligned == 0, box + "expected rows of a multiple of 16 bytes, got " + std::to_string(row) + ".");
    const int swizzle = shape.swizzleBytes;
    need(swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128, "expected a swizzle of 0, 32, 64 or 128 bytes.");
    need(swizzle == 0 || row <= swizzle,
         box + "rows of " + std::to_string(row) + " bytes exceed the swizzle of " + std::to_string(swizzle) + " bytes.");
    need(encoder() != nullptr, "the NVIDIA driver has no cuTensorMapEncodeTiled. Fix: install driver 525 or newer (CUDA 12.0).");
  }

  // Returns the tensor map of the matrix at an address, or of its copy in a workspace. It is valid
  // for the lifetime of this object.
  const CUtensorMap& at(void* matrix, void* workspace) {
    void* base = shape_.workspaceOffset < 0 ? matrix : static_cast<char*>(workspace) + shape_.workspaceOffset;
    const auto known = maps_.find(base);
    if (known != maps_.end()) return known->second;
    CUtensorMap& map = maps_[base];
    encode(&map, base);
    return map;
  }

 private:
  static constexpr long long kAligned = 16, kMostBox = 256;
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                              const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

  static Encode encoder() {
    static const Encode found = [] {
      Encode encode = nullptr;
      symbol(openDriver(), "cuTensorMapEncodeTiled", encode);
      return encode;
    }();
    return found;
  }

  // TMA rounds f32 to tf32 and copies 8-bit elements unchanged.
  static CUtensorMapDataType typeOf(Type type) {
    switch (type) {
      case Type::f64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
      case Type::f32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
      case Type::tf32: return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
      case Type::f16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
      case Type::bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
      case Type::s32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
      default: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    }
  }

  long long inner() const { return matrix_.rowMajor ? matrix_.columns : matrix_.rows; }
  long long outer() const { return matrix_.rowMajor ? matrix_.rows : matrix_.columns; }

  void encode(CUtensorMap* map, void* base) const {
    if (reinterpret_cast<std::uintptr_t>(base) % kAligned != 0) {
      throw Failure{"constraint", "No tensor map for " + name_ + ": its address is not a multiple of 16 bytes."};
    }
    const auto bytes = static_cast<cuuint64_t>(bytesOf(matrix_.type));
    const auto wide = [](long long value) { return static_cast<cuuint64_t>(value); };
    const auto narrow = [](long long value) { return static_cast<cuuint32_t>(value); };
    // The map has three dimensions for a batch, otherwise two.
    const cuuint64_t sizes[] = {wide(inner()), wide(outer()), wide(matrix_.batch)};
    const cuuint64_t strides[] = {wide(matrix_.ld) * bytes, wide(matrix_.batchStride) * bytes};
    const cuuint32_t box[] = {narrow(shape_.inner), narrow(shape_.outer), 1}, steps[] = {1, 1, 1};
    const CUtensorMapSwizzle swizzle = shape_.swizzleBytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : shape_.swizzleBytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : shape_.swizzleBytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                                   : CU_TENSOR_MAP_SWIZZLE_NONE;
    // Wider promotion was up to 26 % slower on an H200 if rows are not aligned to cache lines.
    const auto promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    const CUresult result =
        encoder()(map, typeOf(matrix_.type), matrix_.batch > 1 ? 3 : 2, base, sizes, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS) return;
    throw Failure{"constraint", "No tensor map for " + name_ + ": cuTensorMapEncodeTiled returned " +
                                    std::to_string(static_cast<int>(result)) +
                                    " for a matrix of " + std::to_string(inner()) + " x " + std::to_string(outer()) +
                                    " elements with a leading dimension of " + std::to_string(matrix_.ld) + " and a box of " +
                                    std::to_string(shape_.inner) + " x " + std::to_string(shape_.outer) + "."};
  }

  std::string name_;
  Matrix matrix_;
  TensorMapShape shape_;
  std::map<void*, CUtensorMap> maps_;
};

#endif

}  // namespace harness
