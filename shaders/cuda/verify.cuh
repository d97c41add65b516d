// Compares C with a reference in double precision on the GPU, under the rounding bound of each element.

namespace harness {

// Multiply-adds up to which every element is compared; above, a sample of whole 16 x 16 tiles.
constexpr double kFullLimit = 137438953472.0;  // 2^37
constexpr int kTile = 16;

struct Findings {
  unsigned long long worst;         // share of its bound and bound of the worst element, as two floats
  unsigned long long maxErrorBits;  // largest |c - reference|, as a double
  unsigned long long wrong, unwritten, notFinite, outside;
  unsigned long long first;  // smallest index of a wrong, unwritten or not finite element
};

// Floats that are not negative order as their bits do.
__device__ inline unsigned long long pack(float high, float low) {
  return (static_cast<unsigned long long>(__float_as_uint(high)) << 32) | __float_as_uint(low);
}

struct Reference {
  double value, bound;
  double scaled;  // alpha times the sum
};

// Infinity is right where what was to be added or stored reaches it within the bound.
__device__ inline bool overflows(const Reference& expected, double actual) {
  const auto reaches = [&](double value, double limit) {
    return (value > 0) == (actual > 0) && fabs(value) + expected.bound >= limit;
  };
  return isinf(actual) && (reaches(expected.value, kOverflowStored) || reaches(expected.scaled, kOverflowSum));
}

// Integers wrap as the kernel's do, and have no error; the dot product of our small integers is exact.
__device__ inline Reference reference(double dot, double magnitude, long long index, unsigned streamC) {
  const double old = kBeta == 0 ? 0.0 : valueOf(input<C>(streamC, index));
  if constexpr (kInteger) {
    const auto wrapped = [](double value) { return static_cast<unsigned>(static_cast<long long>(value)); };
    const unsigned sum = wrapped(kAlpha) * wrapped(dot) + wrapped(kBeta) * wrapped(old);
    return {double(static_cast<int>(sum)), 0.0, 0.0};
  }
  const double expected = kAlpha * dot + kBeta * old;
  const double rounding = kGamma * (fabs(kAlpha) * magnitude + fabs(kBeta * old));
  const double stored = kOutputRoundoff * (fabs(expected) + rounding);
  // What is below the smallest normal number may be taken for zero.
  const double flushed = kSmallestSum * (1 + magnitude) + kSmallestStored;
  return {expected, rounding + stored + flushed, kAlpha * dot};
}

// What the kernel left in memory: elements that it did not write, and writes outside of C.
__global__ void scan(const ElementC* c, Findings* findings, unsigned streamC) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x - kGuard;
  for (long long i = first; i < C::span + kGuard; i += step) {
    const ElementC value = c[i];
    unsigned long long bits = 0, before = 0;
    memcpy(&bits, &value, sizeof value);
    const bool guard = i < 0 || i >= C::span;
    memset(&before, guard ? kGuardByte : kPoisonByte, sizeof value);
    if (kBeta != 0 && !guard) {
      const ElementC old = input<C>(streamC, i);
      memcpy(&before, &old, sizeof old);
    }
    if (guard || !C::isElement(i)) {
      if (bits != before) atomicAdd(&findings->outside, 1ull);
      continue;
    }
    const bool unwritten = kBeta == 0 && bits == before;
    // Where results may overflow, those that are compared say which infinities are right.
    const bool finite = kInteger || (kMayOverflow ? !isnan(valueOf(value)) : isfinite(valueOf(value)));
    if (unwritten) atomicAdd(&findings->unwritten, 1ull);
    else if (!finite) atomicAdd(&findings->notFinite, 1ull);
    if (unwritten || !finite) atomicMin(&findings->first, static_cast<unsigned long long>(i));
  }
}

// One 16 x 16 tile of C a block: every `every`-th tile, at a place in its interval that varies.
__global__ void compare(const ElementA* a, const ElementB* b, const ElementC* c, Findings* findings,
                        unsigned streamC, long long tileColumns, long long tiles, long long every) {
  __shared__ double tileA[kTile][kTile + 1], tileB[kTile][kTile + 1];
  __shared__ unsigned long long worst, maxErrorBits;
  const int x = threadIdx.x, y = threadIdx.y;
  if (x == 0 && y == 0) worst = maxErrorBits = 0;
  const long long start = blockIdx.x * every;
  const long long length = tiles - start < every ? tiles - start : every;
  const long long tile = start + pcgHash(blockIdx.x) % length;
  // Products one after the other, rows of tiles in each.
  const long long tilesOfProduct = (kM + kTile - 1) / kTile * tileColumns;
  const long long product = tile / tilesOfProduct, ofProduct = tile % tilesOfProduct;
  const long long row = ofProduct / tileColumns * kTile + y, column = ofProduct % tileColumns * kTile + x;
  a += product * A::batchStride;
  b += product * B::batchStride;
  double dot = 0, magnitude = 0;
  for (long long k0 = 0; k0 < kK; k0 += kTile) {
    tileA[y][x] = row < kM && k0 + x < kK ? valueOf(a[A::at(row, k0 + x)]) : 0.0;
    tileB[y][x] = k0 + y < kK && column < kN ? valueOf(b[B::at(k0 + y, column)]) : 0.0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) {
      const double product = tileA[y][i] * tileB[i][x];
      dot += product;
      magnitude += fabs(product);
    }
    __syncthreads();
  }
  bool wrong = false;
  if (row < kM && column < kN) {
    const long long index = product * C::batchStride + C::at(row, column);
    const Reference expected = reference(dot, magnitude, index, streamC);
    const double actual = valueOf(c[index]);
    const double error = fabs(actual - expected.value);
    // Elements that are unwritten or not finite are counted by scan().
    if (isfinite(error) && !(kInteger && actual == double(kIntegerPoison))) {
      wrong = error > expected.bound;
      const double share = error == 0 ? 0 : error / expected.bound;
      atomicMax(&worst, pack(float(share), float(expected.bound)));
      atomicMax(&maxErrorBits, static_cast<unsigned long long>(__double_as_longlong(error)));
    } else if (kMayOverflow && isinf(actual)) {
      wrong = !overflows(expected, actual);
    }
    if (wrong) atomicMin(&findings->first, static_cast<unsigned long long>(index));
  }
  const int count = __syncthreads_count(wrong);
  if (x == 0 && y == 0) {
    atomicMax(&findings->worst, worst);
    atomicMax(&findings->maxErrorBits, maxErrorBits);
    if (count > 0) atomicAdd(&findings->wrong, static_cast<unsigned long long>(count));
  }
}

// Of one element of C, by its index.
__global__ void referenceOf(const ElementA* a, const ElementB* b, unsigned streamC, long long index, long long row,
                            long long column, Reference* found) {
  a += C::product(index) * A::batchStride;
  b += C::product(index) * B::batchStride;
  double dot = 0, magnitude = 0;
  for (long long i = 0; i < kK; ++i) {
    const double product = valueOf(a[A::at(row, i)]) * valueOf(b[B::at(i, column)]);
    dot += product;
    magnitude += fabs(product);
  }
  *found = reference(dot, magnitude, index, streamC);
}

struct Verification {
  bool correct;
  std::string json, message;
};

// What is wrong in words, and the first wrong element as a field of the verification.
struct Explanation {
  std::string text, field;
};

inline Explanation explain(const Findings& found, const Operands& set, unsigned streamC) {
  std::string text;
  const auto add = [&text](unsigned long long count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + what;
  };
  add(found.wrong, " wrong elements");
  add(found.unwritten, " elements not written");
  add(found.notFinite, " elements not finite");
  add(found.outside, " writes outside of C");
  const long long index = static_cast<long long>(found.first);
  if (found.first == ~0ull) return {text + ".", ""};
  const long long local = C::inMatrix(index);
  const long long row = C::rowMajor ? local / C::ld : local % C::ld;
  const long long column = C::rowMajor ? local % C::ld : local / C::ld;
  Reference *device = nullptr, expected = {0, 0, 0};
  ElementC actual;
  check(cudaMalloc(&device, sizeof *device), "Verifying");
  referenceOf<<<1, 1>>>(set.a, set.b, streamC, index, row, column, device);
  check(cudaMemcpy(&expected, device, sizeof expected, cudaMemcpyDeviceToHost), "Verifying");
  check(cudaMemcpy(&actual, set.c + index, sizeof actual, cudaMemcpyDeviceToHost), "Verifying");
  const std::string which = kBatch == 1 ? "" : " of product " + std::to_string(C::product(index));
  const std::string place = "C[" + std::to_string(row) + "][" + std::to_string(column) + "]" + which;
  return {text + "; the first is " + place + " = " +
              (std::isnan(valueOf(actual)) ? "NaN" : number(valueOf(actual))) + ", expected " + number(expected.value) + ".",
          ",\"first\":{\"row\":" + std::to_string(row) + ",\"column\":" + std::to_string(column) +
              ",\"bound\":" + number(expected.bound) + ",\"actual\":" + number(valueOf(actual)) +
              ",\"expected\":" + number(expected.value) + "}"};
}

// Compares the C of one set, into which a kernel has just written.
inline Verification verify(const Operands& set, unsigned streamC) {
  Findings found = {0, 0, 0, 0, 0, 0, ~0ull}, *device = nullptr;
  check(cudaMalloc(&device, sizeof found), "Verifying");
  check(cudaMemcpy(device, &found, sizeof found, cudaMemcpyHostToDevice), "Verifying");
  const long long tileColumns = (kN + kTile - 1) / kTile;
  const long long tiles = kBatch * ((kM + kTile - 1) / kTile) * tileColumns;
  const double work = double(kBatch) * double(kM) * double(kN) * double(kK);
  const long long every = static_cast<long long>(std::max(1.0, std::ceil(work / kFullLimit)));
  scan<<<1024, 256>>>(set.c, device, streamC);
  const unsigned blocks = static_cast<unsigned>((tiles + every - 1) / every);
  compare<<<blocks, dim3(kTile, kTile)>>>(set.a, set.b, set.c, device, streamC, tileColumns, tiles, every);
  check(cudaGetLastError(), "Verifying");
  check(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost), "Verifying");
  check(cudaFree(device), "Verifying");

  double maxError = 0;
  std::memcpy(&maxError, &found.maxErrorBits, sizeof maxError);
  const unsigned boundBits = static_cast<unsigned>(found.worst);
  float bound = 0;
  std::memcpy(&bound, &boundBits, sizeof bound);
  const unsigned long long mismatches = found.wrong + found.unwritten + found.notFinite + found.outside;
  const double compared = double(kBatch) * double(kM) * double(kN) / double(every);
  const Explanation wrong = mismatches == 0 ? Explanation{"", ""} : explain(found, set, streamC);
  const std::string reference =
      std::string(kInteger ? "exact integer" : "f64") + " on the GPU, " +
      (every == 1 ? "every element" : "one tile of 16 x 16 in " + std::to_string(every) + ", all scanned");
  return {mismatches == 0,
          "{\"reference\":" + quoted(reference) +
              ",\"maxError\":" + (found.notFinite + found.unwritten > 0 ? "null" : number(maxError)) +
              ",\"bound\":" + number(bound) + ",\"mismatches\":" + std::to_string(mismatches) +
              ",\"samples\":" + number(std::floor(compared)) + wrong.field + "}",
          wrong.text};
}

}  // namespace harness
