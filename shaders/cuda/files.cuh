// Products of the user's own matrices: A, B and, when beta is not 0, C come from .npy files, C goes to one.

namespace harness {

struct Files {
  std::string a, b, c, out;
  bool any() const { return !(a + b + c + out).empty(); }
};

template <class Shape, class T>
void upload(T* to, const std::string& path, const char* name, long long rows, long long columns) {
  const npy::Array from = npy::load(path, name, rows, columns);
  std::vector<T> elements(static_cast<size_t>(Shape::span));
  for (long long row = 0; row < rows; ++row) {
    for (long long column = 0; column < columns; ++column) {
      elements[Shape::at(row, column)] = npy::converted<T>(from.at(row, column));
    }
  }
  const size_t bytes = sizeof(T) * elements.size();
  check(cudaMemcpy(to, elements.data(), bytes, cudaMemcpyHostToDevice), "Copying the matrices to the GPU");
}

// One launch; nothing is verified or timed.
template <class Prepare, class Launch>
void multiplyFiles(const Files& files, const Buffers& buffers, const Prepare& prepare, const Launch& launch) {
  using T = std::remove_pointer_t<decltype(Operands::c)>;
  const Operands set = buffers[0];
  upload<A>(set.a, files.a, "A", kM, kK);
  upload<B>(set.b, files.b, "B", kK, kN);
  if (kBeta != 0) upload<C>(set.c, files.c, "C", kM, kN);
  check(prepare(), "Preparing the kernel");
  launch(set, nullptr);
  check(cudaGetLastError(), "Launching the kernel");
  check(cudaDeviceSynchronize(), "The kernel faulted");
  std::vector<T> c(static_cast<size_t>(C::span));
  check(cudaMemcpy(c.data(), set.c, sizeof(T) * c.size(), cudaMemcpyDeviceToHost), "Copying C from the GPU");
  npy::save<T>(files.out, kM, kN, [&](long long row, long long column) { return c[C::at(row, column)]; });
}

}  // namespace harness
