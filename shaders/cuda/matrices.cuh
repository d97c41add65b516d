// Input matrices, generated on the GPU from a seed, with guard bytes, in enough copies to exceed
// the cache.

namespace harness {

// Byte values of guards and of poison. Poison must not be read before it is overwritten; it is NaN,
// or an integer that no result reaches.
constexpr int kGuardByte = 0xa5;
constexpr int kIntegerPoisonByte = 0xa5;
constexpr int kPoisonByte = 0xff;
// Bytes of guard around each copy: whole cache lines, so that a copy is aligned like an allocation.
constexpr long long kGuardBytes = 4096;

// PCG output permutation over one LCG step (Jarzynski and Olano, JCGT 9(3), 2020).
__host__ __device__ inline unsigned pcgHash(unsigned input) {
  const unsigned state = input * 747796405u + 2891336453u;
  const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

// Element i depends only on the seed, the matrix and i, so every backend generates the same value.
__device__ inline double inputOf(const Matrix& matrix, unsigned stream, long long index) {
  const unsigned hash = pcgHash(static_cast<unsigned>(index) ^ stream);
  if (matrix.inputBits == 0) return static_cast<int>(hash % 17u) - 8;
  const float step = 1.0f / static_cast<float>(1 << (matrix.inputBits - 1));
  return static_cast<float>(hash >> (32 - matrix.inputBits)) * step - 1.0f;
}

// Random stream of copy `copy` of a matrix. Copy 0 has the inputs of the seed itself; the other
// copies differ, so that a kernel cannot reuse the result of another copy.
__host__ __device__ inline unsigned streamOf(unsigned seed, int copy, unsigned salt) {
  return pcgHash((seed + static_cast<unsigned>(copy)) ^ salt);
}

// Fills the copies of one matrix; the copies start every `stride` bytes.
__global__ void fill(char* data, Matrix matrix, long long stride, int copies, unsigned seed) {
  const long long count = matrix.span(), step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (int copy = 0; copy < copies; ++copy) {
    const unsigned stream = streamOf(seed, copy, matrix.salt);
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) {
      store(data + copy * stride, matrix.type, i, inputOf(matrix, stream, i));
    }
  }
}

// GPU memory that outlives a job; the next job reuses it if it is large enough.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  ~Memory() { cudaFree(data_); }

  char* take(double bytes, const char* what) {
    if (bytes > size_) {
      release();
      check(cudaMalloc(&data_, static_cast<size_t>(bytes)), what);
      size_ = bytes;
    }
    return data_;
  }
  void release() {
    cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
  }
  double size() const { return size_; }

 private:
  char* data_ = nullptr;
  double size_ = 0;
};

// Operands of one launch. An operand that the launches do not use is null.
struct Operands {
  void *a, *b, *c, *workspace;
  void* epilogue[kEpilogueOps];
};

// Converts the workspace to the pointer type of a kernel parameter.
struct AnyPointer {
  void* data;
  template <typename T>
  operator T*() const {
    return static_cast<T*>(data);
  }
};

class Buffers {
 public:
  // Allocates sets of A, B and C: one if `rotateBytes` is 0, otherwise at least two and as many as
  // have `rotateBytes` in total, if memory permits.
  void prepare(const Problem& problem, double rotateBytes, unsigned seed) {
    problem_ = problem;
    strides_[0] = strideOf(problem.a);
    strides_[1] = strideOf(problem.b);
    strides_[2] = strideOf(problem.c);
    size_t freeBytes = 0, totalBytes = 0;
    check(cudaMemGetInfo(&freeBytes, &totalBytes), "Reading the amount of free GPU memory");
    double reusable = workspaceMemory_.size();
    for (const Memory& memory : memories_) reusable += memory.size();
    if (problem.epilogue.isGated()) reusable += epilogueMemories_[0].size();
    // Each copy has a second B of its own, since it is loaded as B. The other operands of the
    // epilogue are shared.
    gateStride_ = problem.epilogue.isGated() ? strideOf(problem.epilogue.gate()) : 0;
    const double setBytes = double(strides_[0]) + double(strides_[1]) + double(strides_[2]) + double(gateStride_);
    // A tenth of the free GPU memory is reserved for verification, ceilings and libraries.
    const double room = 0.9 * (double(freeBytes) + reusable) - double(problem.workspaceBytes);
    if (setBytes > room) {
      throw Failure{"constraint", "The matrices require " + number(setBytes / 1e9) + " GB, but the GPU has " +
                                      number((double(freeBytes) + reusable) / 1e9) +
                                      " GB free. Fix: choose smaller matrices, or free GPU memory."};
    }
    const double wanted = rotateBytes > 0 ? std::max(2.0, std::ceil(rotateBytes / setBytes)) : 1.0;
    sets = static_cast<int>(std::min(wanted, std::floor(room / setBytes)));
    rotation = sets * setBytes;
    // Memory that earlier jobs left may be too fragmented for this job.
    if (rotation + double(problem.workspaceBytes) > 0.9 * double(freeBytes)) releaseAll();
    for (int i = 0; i < 3; ++i) {
      data_[i] = memories_[i].take(double(strides_[i]) * sets + kGuardBytes, "Allocating the matrices");
    }
    workspace_ = nullptr;
    if (problem.workspaceBytes > 0) {
      workspace_ = workspaceMemory_.take(double(problem.workspaceBytes) + 2 * kGuardBytes, "Allocating the workspace") + kGuardBytes;
    }
    for (int i = 0; i < 3; ++i) {
      check(cudaMemset(data_[i], kGuardByte, static_cast<size_t>(strides_[i] * sets + kGuardBytes)), "Filling the matrices");
    }
    fillInputs(seed, nullptr);
    prepareEpilogue(seed);
    resetC(nullptr);
    check(cudaDeviceSynchronize(), "Filling the matrices");
  }

  // Generates A and B of all copies from a seed, at the same addresses.
  void fillInputs(unsigned seed, cudaStream_t stream) {
    seed_ = seed;
    const Matrix* matrices[] = {&problem_.a, &problem_.b};
    for (int i = 0; i < 2; ++i) {
      fill<<<1024, 256, 0, stream>>>(data_[i] + kGuardBytes, *matrices[i], strides_[i], sets, seed);
      check(cudaGetLastError(), "Filling the matrices");
    }
  }

  Operands operator[](long long index) const {
    const long long set = index % sets;
    const auto at = [&](int i) { return data_[i] + set * strides_[i] + kGuardBytes; };
    Operands operands = {at(0), at(1), at(2), workspace_, {}};
    std::copy(std::begin(epilogue_), std::end(epilogue_), operands.epilogue);
    if (gateStride_ > 0) operands.epilogue[0] = static_cast<char*>(epilogue_[0]) + set * gateStride_;
    return operands;
  }

  // Resets C to its input if beta is not 0, otherwise to poison. Resets the workspace to poison.
  void resetC(cudaStream_t stream) const {
    const Matrix& c = problem_.c;
    check(cudaMemsetAsync(data_[2], kGuardByte, static_cast<size_t>(strides_[2] * sets + kGuardBytes), stream), "Filling C");
    if (workspace_ != nullptr) {
      const size_t bytes = static_cast<size_t>(problem_.workspaceBytes);
      check(cudaMemsetAsync(workspace_ - kGuardBytes, kGuardByte, bytes + 2 * kGuardBytes, stream), "Filling the workspace");
      check(cudaMemsetAsync(workspace_, poisonByte(), bytes, stream), "Filling the workspace");
    }
    if (problem_.beta != 0) {
      fill<<<1024, 256, 0, stream>>>(data_[2] + kGuardBytes, c, strides_[2], sets, seed_);
      check(cudaGetLastError(), "Filling C");
      return;
    }
    for (int set = 0; set < sets; ++set) {
      check(cudaMemsetAsync((*this)[set].c, poisonByte(), static_cast<size_t>(c.bytes()), stream), "Filling C");
    }
  }

  void releaseAll() {
    for (Memory& memory : memories_) memory.release();
    workspaceMemory_.release();
    for (Memory& memory : epilogueMemories_) memory.release();
  }

  const Problem& problem() const { return problem_; }
  // Hash that selects the random stream of A (0), B (1) or C (2) of a copy.
  unsigned stream(int matrix, long long set = 0) const {
    const Matrix* matrices[] = {&problem_.a, &problem_.b, &problem_.c};
    return streamOf(seed_, static_cast<int>(set % sets), matrices[matrix]->salt);
  }
  // Seed that generates the inputs of a copy.
  unsigned seed(long long set = 0) const { return seed_ + static_cast<unsigned>(set % sets); }
  int poisonByte() const { return problem_.integer() ? kIntegerPoisonByte : kPoisonByte; }

  int sets = 1;
  double rotation = 0;

 private:
  // Fills the operands of the epilogue, which all sets share, and the second B of each set.
  void prepareEpilogue(unsigned seed) {
    Epilogue& epilogue = problem_.epilogue;
    for (int i = 0; i < kEpilogueOps; ++i) epilogue_[i] = nullptr;
    for (int i = 0; i < epilogue.operands; ++i) {
      const Matrix& matrix = epilogue.matrices[i];
      epilogue.streams[i] = streamOf(seed, 0, matrix.salt);
      const bool isGate = gateStride_ > 0 && i == 0;
      const double bytes = isGate ? double(gateStride_) * sets : double(matrix.bytes());
      epilogue_[i] = epilogueMemories_[i].take(bytes, "Allocating the operands of the epilogue");
      fill<<<1024, 256>>>(static_cast<char*>(epilogue_[i]), matrix, isGate ? gateStride_ : 0, isGate ? sets : 1, seed);
      check(cudaGetLastError(), "Filling the operands of the epilogue");
    }
  }

  // Returns the number of bytes from copy to copy: whole cache lines plus one guard.
  static long long strideOf(const Matrix& matrix) { return (matrix.bytes() + 511) / 512 * 512 + kGuardBytes; }

  Problem problem_ = {};
  Memory memories_[3], workspaceMemory_;
  Memory epilogueMemories_[kEpilogueOps];
  char *data_[3] = {}, *workspace_ = nullptr;
  void* epilogue_[kEpilogueOps] = {};
  long long strides_[3] = {}, gateStride_ = 0;
  unsigned seed_ = 0;
};

}  // namespace harness
