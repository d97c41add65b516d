// A GEMM as data: C = alpha * A * B + beta * C with its element types, layouts and error bounds.

namespace harness {

// Element types; tf32 is stored as f32, e4m3 and e5m2 are 8-bit floats.
enum class Type { f64, f32, f16, bf16, s8, s32, tf32, e4m3, e5m2 };

__host__ __device__ constexpr bool isFp8(Type type) { return type == Type::e4m3 || type == Type::e5m2; }
__host__ __device__ constexpr int bytesOf(Type type) {
  return type == Type::f64 ? 8 : type == Type::s8 || isFp8(type) ? 1 : type == Type::f16 || type == Type::bf16 ? 2 : 4;
}
__host__ __device__ constexpr bool isInteger(Type type) { return type == Type::s8 || type == Type::s32; }

// Memory layout of A, B or C for a whole batch; `ld` is the stride between rows or columns.
struct Matrix {
  Type type;
  bool rowMajor;
  long long rows, columns, ld, batchStride, batch;
  // Random bits per input, as many as the type represents exactly; 0 selects small integers.
  int inputBits;
  // Selects different random numbers for A, B and C.
  unsigned salt;

  __host__ __device__ long long at(long long row, long long column) const {
    return rowMajor ? row * ld + column : column * ld + row;
  }
  // Returns the number of elements that one matrix or the whole batch spans in memory.
  __host__ __device__ long long matrix() const { return at(rows - 1, columns - 1) + 1; }
  __host__ __device__ long long span() const { return (batch - 1) * batchStride + matrix(); }
  // Returns the batch entry, row or column of an index in the span; matrices must not overlap.
  __host__ __device__ long long product(long long index) const { return batch == 1 ? 0 : index / batchStride; }
  __host__ __device__ long long inMatrix(long long index) const { return batch == 1 ? index : index % batchStride; }
  __host__ __device__ long long rowOf(long long index) const {
    return rowMajor ? inMatrix(index) / ld : inMatrix(index) % ld;
  }
  __host__ __device__ long long columnOf(long long index) const {
    return rowMajor ? inMatrix(index) % ld : inMatrix(index) / ld;
  }
  // Tests whether an index in the span is an element rather than padding.
  __host__ __device__ bool isElement(long long index) const {
    return inMatrix(index) < matrix() && inMatrix(index) % ld < (rowMajor ? columns : rows);
  }
  long long bytes() const { return span() * bytesOf(type); }
};

// Error bound of a correct result relative to the double-precision reference.
struct Bound {
  // Bound of the rounding errors of K products relative to sum |a||b|: the smaller of Higham's
  // gamma and the probabilistic gamma of Higham and Mary (SIAM J. Sci. Comput. 41(5), 2019).
  double gamma;
  // Errors of rounding an accumulator to an element of C, and of flushing subnormals of the
  // accumulator and of C to zero.
  double outputRoundoff, smallestSum, smallestStored;
  // Smallest accumulator and smallest element of C that overflow to infinity.
  double overflowSum, overflowStored;
  bool mayOverflow;
};

// Epilogue: operations on alpha * A * B + beta * C in list order, with their operands.
constexpr int kEpilogueOps = 8;

enum class EpilogueOp { bias, relu, gelu, geluTanh, silu, scale, residual, gate };

struct EpilogueStep {
  EpilogueOp op;
  int operand;  // index of the operand; -1 if the operation has none
  // Error of an activation of the kernel, relative to max(|x|, 1).
  double error;
  // Activation of a gate.
  EpilogueOp act;
};

struct Epilogue {
  int count, operands;
  EpilogueStep steps[kEpilogueOps];
  // Vectors have one row or one column, and scalars one element; a batch stride of 0 shares them.
  Matrix matrices[kEpilogueOps];
  // Hashes that select the random streams of the operands.
  unsigned streams[kEpilogueOps];
  // Unit roundoff of the accumulator.
  double unit;

  // A gate is the first operation. Its operand is a second B: act(alpha * A * B) * (alpha * A * B2).
  __host__ __device__ bool isGated() const { return count > 0 && steps[0].op == EpilogueOp::gate; }
  __host__ __device__ const Matrix& gate() const { return matrices[steps[0].operand]; }
};

struct Problem {
  long long m, n, k, batch;
  Matrix a, b, c;
  Type accumulator;
  double alpha, beta;
  Bound bound;
  // Bytes of workspace that the launches share in addition to the matrices.
  long long workspaceBytes;
  Epilogue epilogue;

  // A gate has two products.
  double flops() const { return (epilogue.isGated() ? 4.0 : 2.0) * double(batch) * double(m) * double(n) * double(k); }
  bool integer() const { return isInteger(c.type); }
};

inline Matrix operand(Type type, bool rowMajor, long long ld, long long batchStride, int inputBits) {
  return {type, rowMajor, 0, 0, ld, batchStride, 1, inputBits, 0};
}

// Adds an operation without an operand to an epilogue.
inline void addActivation(Epilogue& epilogue, EpilogueOp op, double error) {
  epilogue.steps[epilogue.count++] = {op, -1, error, op};
}

// Adds an operation with an operand of rows x columns elements.
inline void addOperand(Epilogue& epilogue, EpilogueOp op, Matrix matrix, long long rows, long long columns, long long batch) {
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.batch = matrix.batchStride == 0 ? 1 : batch;
  matrix.salt = 0x27d4eb2fu + 2u * static_cast<unsigned>(epilogue.operands);
  epilogue.matrices[epilogue.operands] = matrix;
  epilogue.steps[epilogue.count++] = {op, epilogue.operands++, 0, op};
}

// Adds a gate with its second B; `error` is that of the activation.
inline void addGate(Epilogue& epilogue, EpilogueOp act, double error, Matrix matrix, long long rows, long long columns, long long batch) {
  addOperand(epilogue, EpilogueOp::gate, matrix, rows, columns, batch);
  EpilogueStep& step = epilogue.steps[epilogue.count - 1];
  step.error = error;
  step.act = act;
}

// Builds a problem; m, n and k determine the extents of A, B and C.
inline Problem problemOf(long long m, long long n, long long k, long long batch, Matrix a, Matrix b, Matrix c) {
  Problem problem = {m, n, k, batch, a, b, c, Type::f32, 1, 0, {}, 0, {}};
  const auto shape = [batch](Matrix& matrix, long long rows, long long columns, unsigned salt) {
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.batch = batch;
    matrix.salt = salt;
  };
  shape(problem.a, m, k, 0x9e3779b1u);
  shape(problem.b, k, n, 0x85ebca6bu);
  shape(problem.c, m, n, 0xc2b2ae35u);
  return problem;
}

// 8-bit floats (Micikevicius et al., "FP8 Formats for Deep Learning", 2022). e4m3 has one NaN per
// sign and no infinity; e5m2 has NaNs and infinities, as in IEEE 754.
struct Fp8 {
  int mantissaBits, bias;
  unsigned char largest;
};
__host__ __device__ constexpr Fp8 fp8Of(Type type) {
  return type == Type::e4m3 ? Fp8{3, 7, 0x7e} : Fp8{2, 15, 0x7b};
}
__host__ __device__ inline double fromFp8(unsigned char bits, Type type) {
  const Fp8 format = fp8Of(type);
  const int steps = 1 << format.mantissaBits, exponent = (bits & 0x7f) >> format.mantissaBits, mantissa = bits & (steps - 1);
  const bool beyond = (bits & 0x7f) > format.largest;
  const double size = beyond          ? (type == Type::e5m2 && mantissa == 0 ? HUGE_VAL : NAN)
                      : exponent == 0 ? ldexp(double(mantissa), 1 - format.bias - format.mantissaBits)
                                      : ldexp(double(steps + mantissa), exponent - format.bias - format.mantissaBits);
  return bits & 0x80 ? -size : size;
}
// Rounds to nearest even and saturates, like CUDA's conversions.
__host__ __device__ inline unsigned char toFp8(double value, Type type) {
  const Fp8 format = fp8Of(type);
  if (value != value) return 0x7f;
  const unsigned char sign = value < 0 ? 0x80 : 0;
  const double size = fabs(value);
  if (size == 0) return 0;
  if (size > fromFp8(format.largest, type)) return sign | format.largest;
  int exponent = 0;
  frexp(size, &exponent);
  // Exponent of the leading bit. Subnormals have the exponent of the smallest normal number.
  const int first = exponent - 1 < 1 - format.bias ? 1 - format.bias : exponent - 1;
  const int steps = static_cast<int>(rint(ldexp(size, format.mantissaBits - first)));
  // A carry out of the mantissa increments the adjacent exponent.
  return sign | static_cast<unsigned char>(((first + format.bias - 1) << format.mantissaBits) + steps);
}

// Loads an element and converts it to double; store() converts in the other direction.
__device__ inline double load(const void* data, Type type, long long index) {
  switch (type) {
    case Type::f64: return static_cast<const double*>(data)[index];
    case Type::tf32:
    case Type::f32: return static_cast<const float*>(data)[index];
    case Type::f16: return __half2float(static_cast<const __half*>(data)[index]);
    case Type::bf16: return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[index]);
    case Type::s8: return static_cast<const signed char*>(data)[index];
    case Type::e4m3:
    case Type::e5m2: return fromFp8(static_cast<const unsigned char*>(data)[index], type);
    default: return static_cast<const int*>(data)[index];
  }
}
__device__ inline void store(void* data, Type type, long long index, double value) {
  switch (type) {
    case Type::f64: static_cast<double*>(data)[index] = value; return;
    case Type::tf32:
    case Type::f32: static_cast<float*>(data)[index] = static_cast<float>(value); return;
    case Type::f16: static_cast<__half*>(data)[index] = __float2half(static_cast<float>(value)); return;
    case Type::bf16: static_cast<__nv_bfloat16*>(data)[index] = __float2bfloat16(static_cast<float>(value)); return;
    case Type::s8: static_cast<signed char*>(data)[index] = static_cast<signed char>(value); return;
    case Type::e4m3:
    case Type::e5m2: static_cast<unsigned char*>(data)[index] = toFp8(value, type); return;
    default: static_cast<int*>(data)[index] = static_cast<int>(value);
  }
}

}  // namespace harness
