// The matrices: made on the GPU from a seed, with guards around C, in as many copies as defeat the cache.

namespace harness {

// Types, not values: device code reads their constants.
template <long long kRows, long long kColumns, long long kLd, bool kRowMajor, unsigned kSalt>
struct Matrix {
  static constexpr long long ld = kLd, span = (kRowMajor ? (kRows - 1) * kLd + kColumns : (kColumns - 1) * kLd + kRows);
  static constexpr bool rowMajor = kRowMajor;
  static constexpr unsigned salt = kSalt;

  __host__ __device__ static constexpr long long at(long long row, long long column) {
    return kRowMajor ? row * kLd + column : column * kLd + row;
  }
  // Whether an index of the span is an element, and not in the gap behind a row or column.
  __host__ __device__ static constexpr bool isElement(long long index) {
    return index % kLd < (kRowMajor ? kColumns : kRows);
  }
};

using A = Matrix<kM, kK, kLda, kRowMajorA, 0x9e3779b1u>;
using B = Matrix<kK, kN, kLdb, kRowMajorB, 0x85ebca6bu>;
using C = Matrix<kM, kN, kLdc, kRowMajorC, 0xc2b2ae35u>;

// Bytes that memory holds before the kernel runs: guards, and C when it must not be read (NaN, or an
// integer that no product reaches).
constexpr int kGuardByte = 0xa5;
constexpr int kPoisonByte = kInteger ? 0xa5 : 0xff;
constexpr long long kGuard = 1024;

// PCG output permutation over one LCG step (Jarzynski and Olano, JCGT 9(3), 2020).
__host__ __device__ inline unsigned pcgHash(unsigned input) {
  const unsigned state = input * 747796405u + 2891336453u;
  const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

// Element i is a function of the seed, the matrix and i alone, the same on every backend.
__device__ inline Element input(unsigned stream, long long index) {
  const unsigned hash = pcgHash(static_cast<unsigned>(index) ^ stream);
  if constexpr (kInteger) return static_cast<Element>(static_cast<int>(hash % 17u) - 8);
  else return static_cast<Element>(static_cast<float>(hash >> 8) * 0x1p-23f - 1.0f);
}

// Spans of `count` elements, one every `stride`.
__global__ void fill(Element* data, long long count, long long stride, int copies, unsigned stream) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
    const Element value = input(stream, i);
    for (int copy = 0; copy < copies; ++copy) data[copy * stride + i] = value;
  }
}

// From one copy to the next: whole cache lines, so that each is aligned as an allocation is.
constexpr long long padded(long long elements) { return (elements + 255) / 256 * 256; }
constexpr long long kStrideA = padded(A::span);
constexpr long long kStrideB = padded(B::span);
constexpr long long kStrideC = padded(C::span + 2 * kGuard);

struct Operands {
  Element *a, *b, *c;
};

class Buffers {
 public:
  // At least one set of A, B and C; as many as make the rotation pass `rotateBytes`.
  Buffers(double rotateBytes, unsigned seed) {
    size_t freeBytes = 0, totalBytes = 0;
    check(cudaMemGetInfo(&freeBytes, &totalBytes), "Asking for free memory");
    const double setBytes = double(sizeof(Element)) * (kStrideA + kStrideB + kStrideC);
    const double room = 0.85 * double(freeBytes);
    if (setBytes > room) {
      finish("constraint", "The matrices take " + number(setBytes / 1e9) + " GB and the GPU has " +
                               number(double(freeBytes) / 1e9) + " GB free. Choose smaller matrices.");
    }
    const double wanted = rotateBytes > 0 ? std::max(2.0, std::ceil(rotateBytes / setBytes)) : 1.0;
    sets = static_cast<int>(std::min(wanted, std::floor(room / setBytes)));
    rotation = sets * setBytes;
    // A and B end with their last element, so that a checker sees any read beyond it.
    allocate(&a_, kStrideA * (sets - 1) + A::span);
    allocate(&b_, kStrideB * (sets - 1) + B::span);
    allocate(&c_, kStrideC * sets);
    streamC_ = pcgHash(seed ^ C::salt);
    fill<<<1024, 256>>>(a_, A::span, kStrideA, sets, pcgHash(seed ^ A::salt));
    fill<<<1024, 256>>>(b_, B::span, kStrideB, sets, pcgHash(seed ^ B::salt));
    check(cudaGetLastError(), "Filling the matrices");
    resetC(nullptr);
    check(cudaDeviceSynchronize(), "Filling the matrices");
  }

  Operands operator[](long long index) const {
    const long long set = index % sets;
    return {a_ + set * kStrideA, b_ + set * kStrideB, c_ + set * kStrideC + kGuard};
  }

  // C as the kernel must find it: its input when beta is not 0, poison otherwise.
  void resetC(cudaStream_t stream) const {
    const size_t bytes = sizeof(Element) * static_cast<size_t>(kStrideC) * sets;
    check(cudaMemsetAsync(c_, kGuardByte, bytes, stream), "Filling C");
    if (kBeta != 0) {
      fill<<<1024, 256, 0, stream>>>(c_ + kGuard, C::span, kStrideC, sets, streamC_);
      check(cudaGetLastError(), "Filling C");
      return;
    }
    const size_t spanBytes = sizeof(Element) * static_cast<size_t>(C::span);
    for (int set = 0; set < sets; ++set) {
      check(cudaMemsetAsync((*this)[set].c, kPoisonByte, spanBytes, stream), "Filling C");
    }
  }

  unsigned streamC() const { return streamC_; }

  int sets = 1;
  double rotation = 0;

 private:
  static void allocate(Element** data, long long elements) {
    check(cudaMalloc(data, sizeof(Element) * static_cast<size_t>(elements)), "Allocating the matrices");
  }

  Element *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
  unsigned streamC_ = 0;
};

}  // namespace harness
