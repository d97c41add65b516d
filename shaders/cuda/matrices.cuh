// The matrices: made on the GPU from a seed, with guards around C, in as many copies as defeat the cache.

namespace harness {

// Types, not values: device code reads their constants.
template <typename T, int kInputBits, long long kRows, long long kColumns, long long kLd, long long kBatchStride, bool kRowMajor,
          unsigned kSalt>
struct Matrix {
  using Element = T;
  static constexpr long long ld = kLd, batchStride = kBatchStride;
  // Elements from the first to the last one of a matrix, and of all products of the batch.
  static constexpr long long matrix = kRowMajor ? (kRows - 1) * kLd + kColumns : (kColumns - 1) * kLd + kRows;
  static constexpr long long span = (kBatch - 1) * kBatchStride + matrix;
  static constexpr bool rowMajor = kRowMajor;
  static constexpr unsigned salt = kSalt;
  // Random bits of an input, as many as the type holds exactly; 0: small integers.
  static constexpr int inputBits = kInputBits;

  __host__ __device__ static constexpr long long at(long long row, long long column) {
    return kRowMajor ? row * kLd + column : column * kLd + row;
  }
  // Where an index of the span lies in its product. Only for matrices that do not lie over each other.
  __host__ __device__ static constexpr long long product(long long index) {
    if constexpr (kBatch == 1) return 0;
    else return index / kBatchStride;
  }
  __host__ __device__ static constexpr long long inMatrix(long long index) {
    if constexpr (kBatch == 1) return index;
    else return index % kBatchStride;
  }
  // Whether an index of the span is an element, and not in the gap behind a row, a column or a matrix.
  __host__ __device__ static constexpr bool isElement(long long index) {
    return inMatrix(index) < matrix && inMatrix(index) % kLd < (kRowMajor ? kColumns : kRows);
  }
};

using A = Matrix<ElementA, kInputBitsA, kM, kK, kLda, kBatchStrideA, kRowMajorA, 0x9e3779b1u>;
using B = Matrix<ElementB, kInputBitsB, kK, kN, kLdb, kBatchStrideB, kRowMajorB, 0x85ebca6bu>;
using C = Matrix<ElementC, kInputBitsC, kM, kN, kLdc, kBatchStrideC, kRowMajorC, 0xc2b2ae35u>;

// The value of an element; 16-bit floats convert to float first.
template <typename T>
__host__ __device__ inline double valueOf(T element) {
  if constexpr (sizeof(T) == 2) return double(float(element));
  else return double(element);
}

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
template <typename M>
__device__ inline typename M::Element input(unsigned stream, long long index) {
  using Element = typename M::Element;
  const unsigned hash = pcgHash(static_cast<unsigned>(index) ^ stream);
  if constexpr (M::inputBits == 0) return static_cast<Element>(static_cast<int>(hash % 17u) - 8);
  else {
    constexpr float step = 1.0f / static_cast<float>(1 << (M::inputBits - 1));
    return static_cast<Element>(static_cast<float>(hash >> (32 - M::inputBits)) * step - 1.0f);
  }
}

// Copies of one matrix, one every `stride`.
template <typename M>
__global__ void fill(typename M::Element* data, long long stride, int copies, unsigned stream) {
  constexpr long long count = M::span;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
    const typename M::Element value = input<M>(stream, i);
    for (int copy = 0; copy < copies; ++copy) data[copy * stride + i] = value;
  }
}

// From one copy to the next: whole cache lines, so that each is aligned as an allocation is.
constexpr long long padded(long long elements) { return (elements + 255) / 256 * 256; }
constexpr long long kStrideA = padded(A::span);
constexpr long long kStrideB = padded(B::span);
constexpr long long kStrideC = padded(C::span + 2 * kGuard);

// The workspace is what the launches of one kernel share beside the matrices; null where they share nothing.
struct Operands {
  ElementA* a;
  ElementB* b;
  ElementC* c;
  Accumulator* workspace;
};

class Buffers {
 public:
  // At least one set of A, B and C; as many as make the rotation pass `rotateBytes`.
  Buffers(double rotateBytes, unsigned seed) {
    size_t freeBytes = 0, totalBytes = 0;
    check(cudaMemGetInfo(&freeBytes, &totalBytes), "Asking for free memory");
    const double setBytes = double(sizeof(ElementA)) * kStrideA + double(sizeof(ElementB)) * kStrideB +
                            double(sizeof(ElementC)) * kStrideC;
    const double room = 0.85 * double(freeBytes) - double(kWorkspaceBytes);
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
    if (kWorkspaceBytes > 0) allocate(&workspace_, kWorkspaceBytes / static_cast<long long>(sizeof(Accumulator)));
    streamC_ = pcgHash(seed ^ C::salt);
    fill<A><<<1024, 256>>>(a_, kStrideA, sets, pcgHash(seed ^ A::salt));
    fill<B><<<1024, 256>>>(b_, kStrideB, sets, pcgHash(seed ^ B::salt));
    check(cudaGetLastError(), "Filling the matrices");
    resetC(nullptr);
    check(cudaDeviceSynchronize(), "Filling the matrices");
  }

  Operands operator[](long long index) const {
    const long long set = index % sets;
    return {a_ + set * kStrideA, b_ + set * kStrideB, c_ + set * kStrideC + kGuard, workspace_};
  }

  // C as the kernel must find it: its input when beta is not 0, poison otherwise.
  void resetC(cudaStream_t stream) const {
    const size_t bytes = sizeof(ElementC) * static_cast<size_t>(kStrideC) * sets;
    check(cudaMemsetAsync(c_, kGuardByte, bytes, stream), "Filling C");
    // What a kernel reads there without having written it is NaN, or an integer far from any sum.
    if (kWorkspaceBytes > 0) {
      check(cudaMemsetAsync(workspace_, kPoisonByte, static_cast<size_t>(kWorkspaceBytes), stream), "Filling the workspace");
    }
    if (kBeta != 0) {
      fill<C><<<1024, 256, 0, stream>>>(c_ + kGuard, kStrideC, sets, streamC_);
      check(cudaGetLastError(), "Filling C");
      return;
    }
    const size_t spanBytes = sizeof(ElementC) * static_cast<size_t>(C::span);
    for (int set = 0; set < sets; ++set) {
      check(cudaMemsetAsync((*this)[set].c, kPoisonByte, spanBytes, stream), "Filling C");
    }
  }

  unsigned streamC() const { return streamC_; }

  int sets = 1;
  double rotation = 0;

 private:
  template <typename T>
  static void allocate(T** data, long long elements) {
    check(cudaMalloc(data, sizeof(T) * static_cast<size_t>(elements)), "Allocating the matrices");
  }

  ElementA* a_ = nullptr;
  ElementB* b_ = nullptr;
  ElementC* c_ = nullptr;
  Accumulator* workspace_ = nullptr;
  unsigned streamC_ = 0;
};

}  // namespace harness
