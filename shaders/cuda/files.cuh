// Multiplies matrices of .npy files: reads A, B and, if beta is not 0, C; writes C.

namespace harness {

struct Files {
  std::string a, b, c, out;
  bool any() const { return !(a + b + c + out).empty(); }
};

// Loads an element of a matrix on the CPU.
inline double hostLoad(const std::vector<char>& bytes, Type type, long long index) {
  const char* at = bytes.data() + index * bytesOf(type);
  const auto as = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type) {
    case Type::f64: return as(double{});
    case Type::tf32:
    case Type::f32: return as(float{});
    case Type::f16: return __half2float(as(__half{}));
    case Type::bf16: return __bfloat162float(as(__nv_bfloat16{}));
    case Type::s8: return as(static_cast<signed char>(0));
    case Type::e4m3:
    case Type::e5m2: return fromFp8(as(static_cast<unsigned char>(0)), type);
    default: return as(int{});
  }
}
inline void hostStore(std::vector<char>& bytes, Type type, long long index, double number) {
  char* at = bytes.data() + index * bytesOf(type);
  const auto put = [at](auto value) { std::memcpy(at, &value, sizeof value); };
  switch (type) {
    case Type::f64: return put(number);
    case Type::tf32:
    case Type::f32: return put(static_cast<float>(number));
    case Type::f16: return put(__float2half(static_cast<float>(number)));
    case Type::bf16: return put(__float2bfloat16(static_cast<float>(number)));
    case Type::s8: return put(static_cast<signed char>(number));
    case Type::e4m3:
    case Type::e5m2: return put(toFp8(number, type));
    default: return put(static_cast<int>(number));
  }
}

inline void upload(void* to, const Matrix& matrix, const std::string& path, const char* name) {
  const npy::Array from = npy::load(path, name, matrix.rows, matrix.columns);
  std::vector<char> elements(static_cast<size_t>(matrix.bytes()));
  for (long long row = 0; row < matrix.rows; ++row) {
    for (long long column = 0; column < matrix.columns; ++column) {
      hostStore(elements, matrix.type, matrix.at(row, column), from.at(row, column));
    }
  }
  check(cudaMemcpy(to, elements.data(), elements.size(), cudaMemcpyHostToDevice), "Copying the matrices to the GPU");
}

// Launches once, without verification or timing.
inline void multiplyFiles(const Files& files, const Buffers& buffers, const Launch& launch) {
  const Problem& p = buffers.problem();
  const Operands set = buffers[0];
  upload(set.a, p.a, files.a, "A");
  upload(set.b, p.b, files.b, "B");
  if (p.beta != 0) upload(set.c, p.c, files.c, "C");
  launch(set, nullptr);
  check(cudaGetLastError(), "Launching the kernel");
  check(cudaDeviceSynchronize(), "The kernel faulted");
  std::vector<char> c(static_cast<size_t>(p.c.bytes()));
  check(cudaMemcpy(c.data(), set.c, c.size(), cudaMemcpyDeviceToHost), "Copying C from the GPU");
  const auto at = [&](long long row, long long column) { return hostLoad(c, p.c.type, p.c.at(row, column)); };
  // NumPy's f4 (float32) replaces floating-point types narrower than f32.
  switch (p.c.type) {
    case Type::f64: return npy::save<double>(files.out, p.m, p.n, at);
    case Type::s8: return npy::save<signed char>(files.out, p.m, p.n, at);
    case Type::s32: return npy::save<int>(files.out, p.m, p.n, at);
    default: return npy::save<float>(files.out, p.m, p.n, at);
  }
}

}  // namespace harness
