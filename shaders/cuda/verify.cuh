// Compares C with a double-precision reference on the GPU, with a rounding bound per element.

namespace harness {

// Number of FMAs up to which every element is compared; larger problems are sampled in whole 16 x
// 16 tiles.
constexpr double kFullLimit = 549755813888.0;  // 2^39
constexpr int kTile = 16;
constexpr int kExamples = 32;

struct Findings {
  unsigned long long worst;         // error / bound and bound of the worst element, as two floats
  unsigned long long maxErrorBits;  // largest |c - reference|, as a double
  unsigned long long wrong, unwritten, notFinite, outside, inputs;
  double errorSquares, exactSquares;       // sums of squares of the errors and of the exact values
  unsigned long long first;                // smallest index of a wrong, unwritten or non-finite element
  unsigned long long examples[kExamples];  // a sample of the indices of such elements
};

// Map of wrong elements: per tile of C, and per position within a tile.
struct Map {
  // Tile of C per block; a cell of the map covers fold x fold tiles.
  long long tileM, tileN, fold, rows, columns;
  unsigned char *tiles, *within;
};

// Non-negative floats have the same order as their bit patterns.
__device__ inline unsigned long long pack(float high, float low) {
  return (static_cast<unsigned long long>(__float_as_uint(high)) << 32) | __float_as_uint(low);
}

struct Reference {
  double value, bound;
  double scaled;  // alpha times the dot product
};

// A value and the bound of its absolute error.
struct Bounded {
  double value, error;
};

__device__ inline double activate(EpilogueOp op, double x) {
  switch (op) {
    case EpilogueOp::relu: return x > 0 ? x : 0.0;
    case EpilogueOp::gelu: return 0.5 * x * erfc(-x * 0.70710678118654752);
    case EpilogueOp::geluTanh: return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    default: return x / (1 + exp(-x));
  }
}

// The largest slope of an activation is 1.13.
__device__ inline Bounded activated(EpilogueOp op, Bounded of, double error) {
  return {activate(op, of.value), 1.13 * of.error + error * fmax(1.0, fabs(of.value))};
}

// Multiplies two rounded values; their product is rounded once.
__device__ inline Bounded multiplied(Bounded left, Bounded right, double unit) {
  const double value = left.value * right.value;
  const double carried = left.error * fabs(right.value) + (fabs(left.value) + left.error) * right.error;
  return {value, carried + unit * (fabs(value) + carried)};
}

// Applies the operations in double precision, for the seeded inputs of the operands. `second` is the
// second product of a gate.
__device__ inline Bounded applyEpilogue(const Epilogue& epilogue, Bounded of, Bounded second, long long product, long long row, long long column) {
  for (int i = 0; i < epilogue.count; ++i) {
    const EpilogueStep& step = epilogue.steps[i];
    if (step.operand < 0) {
      of = activated(step.op, of, step.error);
      continue;
    }
    if (step.op == EpilogueOp::gate) {
      of = multiplied(activated(step.act, of, step.error), second, epilogue.unit);
      continue;
    }
    const Matrix& matrix = epilogue.matrices[step.operand];
    const long long index = product * matrix.batchStride + matrix.at(matrix.rows == 1 ? 0 : row, matrix.columns == 1 ? 0 : column);
    const double right = inputOf(matrix, epilogue.streams[step.operand], index);
    const bool scales = step.op == EpilogueOp::scale;
    const double value = scales ? of.value * right : of.value + right, carried = scales ? of.error * fabs(right) : of.error;
    of = {value, carried + 2 * epilogue.unit * (fabs(value) + carried)};
  }
  return of;
}

// Tests whether infinity is correct: the accumulator or the stored value may overflow within the
// error bound.
__device__ inline bool overflows(const Bound& bound, const Reference& expected, double actual) {
  const auto reaches = [&](double value, double limit) {
    return (value > 0) == (actual > 0) && fabs(value) + expected.bound >= limit;
  };
  return isinf(actual) && (reaches(expected.value, bound.overflowStored) || reaches(expected.scaled, bound.overflowSum));
}

// A dot product, and the sum of the magnitudes of its products.
struct Dot {
  double sum, magnitude;
};

// Returns alpha times a dot product. An error of a product of a gate is multiplied by the other
// product, so it includes flushing.
__device__ inline Bounded scaled(const Problem& p, const Dot& dot) {
  const double flushed = p.epilogue.isGated() ? p.bound.smallestSum * (1 + dot.magnitude) + p.bound.smallestStored : 0;
  return {p.alpha * dot.sum, p.bound.gamma * fabs(p.alpha) * dot.magnitude + flushed};
}

// Integers wrap as in the kernel and are compared exactly; the dot product of small integers is
// exact. `second` is the dot product with the second B of a gate.
__device__ inline Reference reference(const Problem& p, const Dot& first, const Dot& second, long long index, unsigned streamC) {
  const double dot = first.sum, magnitude = first.magnitude;
  const double old = p.beta == 0 ? 0.0 : inputOf(p.c, streamC, index);
  if (isInteger(p.c.type)) {
    const auto wrapped = [](double value) { return static_cast<unsigned>(static_cast<long long>(value)); };
    const unsigned sum = wrapped(p.alpha) * wrapped(dot) + wrapped(p.beta) * wrapped(old);
    return {double(static_cast<int>(sum)), 0.0, 0.0};
  }
  const Bounded product = scaled(p, first);
  const Bounded total = {product.value + p.beta * old, product.error + p.bound.gamma * fabs(p.beta * old)};
  const Bounded result = applyEpilogue(p.epilogue, total, scaled(p, second), p.c.product(index), p.c.rowOf(index), p.c.columnOf(index));
  const double expected = result.value, rounding = result.error;
  const double stored = p.bound.outputRoundoff * (fabs(expected) + rounding);
  // Subnormals may be flushed to zero.
  const double flushed = p.bound.smallestSum * (1 + magnitude) + p.bound.smallestStored;
  return {expected, rounding + stored + flushed, p.alpha * dot};
}

__device__ inline void note(const Problem& p, Findings* findings, const Map& map, long long index) {
  atomicMin(&findings->first, static_cast<unsigned long long>(index));
  const unsigned slot = pcgHash(static_cast<unsigned>(index)) % kExamples;
  atomicMin(&findings->examples[slot], static_cast<unsigned long long>(index));
  if (map.tiles == nullptr) return;
  const long long row = p.c.rowOf(index), column = p.c.columnOf(index);
  map.tiles[row / map.tileM / map.fold * map.columns + column / map.tileN / map.fold] = 1;
  map.within[row % map.tileM * map.tileN + column % map.tileN] = 1;
}

// Adds to a double; compute capability 5.x has no instruction for it.
__device__ inline void addDouble(double* to, double value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
  atomicAdd(to, value);
#else
  unsigned long long* const bits = reinterpret_cast<unsigned long long*>(to);
  for (unsigned long long seen = *bits, next = ~seen; seen != next;) {
    next = seen;
    seen = atomicCAS(bits, next, static_cast<unsigned long long>(__double_as_longlong(__longlong_as_double(static_cast<long long>(next)) + value)));
  }
#endif
}

// Tests whether all bytes of element `index` equal a fill byte (guard or poison).
__device__ inline bool holds(const void* data, Type type, long long index, int byte) {
  const int size = bytesOf(type);
  const unsigned char* at = static_cast<const unsigned char*>(data) + index * size;
  for (int i = 0; i < size; ++i) {
    if (at[i] != byte) return false;
  }
  return true;
}

// Counts illegal writes to A or B: changed guards, elements and padding.
__global__ void scanInput(const void* data, Matrix matrix, Findings* findings, unsigned stream) {
  const long long guard = kGuardBytes / bytesOf(matrix.type);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x - guard;
  for (long long i = first; i < matrix.span() + guard; i += step) {
    if (i < 0 || i >= matrix.span()) {
      // Padding to a cache line follows the last element, then the guard of the next copy.
      if (!holds(data, matrix.type, i, kGuardByte)) atomicAdd(&findings->outside, 1ull);
    } else if (load(data, matrix.type, i) != inputOf(matrix, stream, i)) {
      atomicAdd(&findings->inputs, 1ull);
    }
  }
}

// Counts changed guards around the workspace.
__global__ void scanGuards(const unsigned char* workspace, long long bytes, Findings* findings) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= kGuardBytes) return;
  if (workspace[i - kGuardBytes] != kGuardByte) atomicAdd(&findings->outside, 1ull);
  if (workspace[bytes + i] != kGuardByte) atomicAdd(&findings->outside, 1ull);
}

// Counts unwritten and non-finite elements of C, and writes outside of C.
__global__ void scan(const void* c, Problem p, Findings* findings, Map map, unsigned streamC, int poison) {
  const Matrix& matrix = p.c;
  const long long guard = kGuardBytes / bytesOf(matrix.type);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x - guard;
  for (long long i = first; i < matrix.span() + guard; i += step) {
    const bool isGuard = i < 0 || i >= matrix.span();
    if (isGuard || !matrix.isElement(i)) {
      const bool kept = isGuard || p.beta == 0 ? holds(c, matrix.type, i, isGuard ? kGuardByte : poison)
                                               : load(c, matrix.type, i) == inputOf(matrix, streamC, i);
      if (!kept) atomicAdd(&findings->outside, 1ull);
      continue;
    }
    const double value = load(c, matrix.type, i);
    const bool unwritten = p.beta == 0 && holds(c, matrix.type, i, poison);
    // If results may overflow, compare() determines which infinities are correct.
    const bool finite = isInteger(matrix.type) || (p.bound.mayOverflow ? !isnan(value) : isfinite(value));
    if (unwritten) atomicAdd(&findings->unwritten, 1ull);
    else if (!finite) atomicAdd(&findings->notFinite, 1ull);
    if (unwritten || !finite) note(p, findings, map, i);
  }
}

// Compares one 16 x 16 tile of C per block, at a pseudo-random position in each interval of `every` tiles. The positions
// depend on `salt`.
__global__ void compare(Operands set, Problem p, Findings* findings, Map map, unsigned streamC, int poison,
                        long long tileColumns, long long tiles, long long every, unsigned salt) {
  __shared__ double tileA[kTile][kTile + 1], tileB[kTile][kTile + 1];
  __shared__ unsigned long long worst, maxErrorBits;
  const int x = threadIdx.x, y = threadIdx.y;
  if (x == 0 && y == 0) worst = maxErrorBits = 0;
  const long long start = blockIdx.x * every;
  const long long length = tiles - start < every ? tiles - start : every;
  const long long tile = start + pcgHash(blockIdx.x ^ salt) % length;
  // Tiles are numbered by batch entry, then row by row.
  const long long tilesOfProduct = (p.m + kTile - 1) / kTile * tileColumns;
  const long long product = tile / tilesOfProduct, ofProduct = tile % tilesOfProduct;
  const long long row = ofProduct / tileColumns * kTile + y, column = ofProduct % tileColumns * kTile + x;
  const auto dotWith = [&](const void* data, const Matrix& b) {
    const long long firstA = product * p.a.batchStride, firstB = product * b.batchStride;
    Dot dot = {0, 0};
    for (long long k0 = 0; k0 < p.k; k0 += kTile) {
      tileA[y][x] = row < p.m && k0 + x < p.k ? load(set.a, p.a.type, firstA + p.a.at(row, k0 + x)) : 0.0;
      tileB[y][x] = k0 + y < p.k && column < p.n ? load(data, b.type, firstB + b.at(k0 + y, column)) : 0.0;
      __syncthreads();
      for (int i = 0; i < kTile; ++i) {
        const double term = tileA[y][i] * tileB[i][x];
        dot.sum += term;
        dot.magnitude += fabs(term);
      }
      __syncthreads();
    }
    return dot;
  };
  const Dot dot = dotWith(set.b, p.b);
  const Dot second = p.epilogue.isGated() ? dotWith(set.epilogue[0], p.epilogue.gate()) : Dot{0, 0};
  bool wrong = false;
  double2 squares = {0, 0};
  if (row < p.m && column < p.n) {
    const long long index = product * p.c.batchStride + p.c.at(row, column);
    const Reference expected = reference(p, dot, second, index, streamC);
    const double actual = load(set.c, p.c.type, index);
    const double error = fabs(actual - expected.value);
    const bool integer = isInteger(p.c.type);
    // scan() counts unwritten and non-finite elements.
    if (isfinite(error) && !(integer && p.beta == 0 && holds(set.c, p.c.type, index, poison))) {
      wrong = error > expected.bound;
      const double share = error == 0 ? 0 : error / expected.bound;
      atomicMax(&worst, pack(float(share), float(expected.bound)));
      atomicMax(&maxErrorBits, static_cast<unsigned long long>(__double_as_longlong(error)));
      squares = {error * error, expected.value * expected.value};
    } else if (p.bound.mayOverflow && isinf(actual)) {
      wrong = !overflows(p.bound, expected, actual);
    }
    if (wrong) note(p, findings, map, index);
  }
  tileA[y][x] = squares.x;
  tileB[y][x] = squares.y;
  __syncthreads();
  if (y == 0) {
    for (int i = 1; i < kTile; ++i) tileA[0][x] += tileA[i][x], tileB[0][x] += tileB[i][x];
  }
  const int count = __syncthreads_count(wrong);
  if (x == 0 && y == 0) {
    for (int i = 1; i < kTile; ++i) tileA[0][0] += tileA[0][i], tileB[0][0] += tileB[0][i];
    addDouble(&findings->errorSquares, tileA[0][0]);
    addDouble(&findings->exactSquares, tileB[0][0]);
    atomicMax(&findings->worst, worst);
    atomicMax(&findings->maxErrorBits, maxErrorBits);
    if (count > 0) atomicAdd(&findings->wrong, static_cast<unsigned long long>(count));
  }
}

struct Example {
  long long product, row, column;
  Reference expected;
  double actual;
};

// Writes the actual and expected values of single elements to `out`, one block per element.
__global__ void explainElements(Operands set, Problem p, unsigned streamC, const unsigned long long* indices, Example* out) {
  const long long index = static_cast<long long>(indices[blockIdx.x]);
  if (indices[blockIdx.x] == ~0ull) return;
  const long long product = p.c.product(index), row = p.c.rowOf(index), column = p.c.columnOf(index);
  __shared__ Dot dots[256];
  // The first thread returns the sum over all threads.
  const auto dotWith = [&](const void* data, const Matrix& b) {
    Dot dot = {0, 0};
    for (long long i = threadIdx.x; i < p.k; i += blockDim.x) {
      const double term = load(set.a, p.a.type, product * p.a.batchStride + p.a.at(row, i)) *
                          load(data, b.type, product * b.batchStride + b.at(i, column));
      dot.sum += term;
      dot.magnitude += fabs(term);
    }
    dots[threadIdx.x] = dot;
    __syncthreads();
    for (unsigned i = 1; threadIdx.x == 0 && i < blockDim.x; ++i) {
      dot.sum += dots[i].sum;
      dot.magnitude += dots[i].magnitude;
    }
    __syncthreads();
    return dot;
  };
  const Dot dot = dotWith(set.b, p.b);
  const Dot second = p.epilogue.isGated() ? dotWith(set.epilogue[0], p.epilogue.gate()) : Dot{0, 0};
  if (threadIdx.x != 0) return;
  const Reference expected = reference(p, dot, second, index, streamC);
  out[blockIdx.x] = {product, row, column, expected, load(set.c, p.c.type, index)};
}

}  // namespace harness
