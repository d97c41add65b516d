// Runs jobs in order: reads operands from FOLDER/<job>.a, .b and .c, and writes the result to
// RESULTS/<job>.c. Allocations have exactly the size of the matrices, so that memcheck detects
// accesses past their ends.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  printf("failed: %s\n", cudaGetErrorString(error));
  exit(1);
}

struct Pointer {
  void* at;
  template <typename T> operator T*() const { return static_cast<T*>(at); }
};

struct Job {
  const char* name;
  size_t workspaceBytes;
  void (*launch)(Pointer, Pointer, Pointer, Pointer);
};

static std::vector<char> bytesOf(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rb");
  if (file == nullptr) {
    perror(path.c_str());
    exit(1);
  }
  std::vector<char> bytes;
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + n);
  fclose(file);
  return bytes;
}

template <size_t kCount> static int run(const Job (&jobs)[kCount], int count, char** values) {
  if (count != 3) return 2;
  for (const Job& job : jobs) {
    const std::string stem = std::string(values[1]) + "/" + job.name + ".";
    std::vector<char> host[3];
    Pointer device[3], workspace{nullptr};
    for (int i = 0; i < 3; ++i) {
      host[i] = bytesOf(stem + "abc"[i]);
      check(cudaMalloc(&device[i].at, host[i].size()));
      check(cudaMemcpy(device[i].at, host[i].data(), host[i].size(), cudaMemcpyHostToDevice));
    }
    if (job.workspaceBytes > 0) check(cudaMalloc(&workspace.at, job.workspaceBytes));
    job.launch(device[0], device[1], device[2], workspace);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(host[2].data(), device[2].at, host[2].size(), cudaMemcpyDeviceToHost));
    FILE* out = fopen((std::string(values[2]) + "/" + job.name + ".c").c_str(), "wb");
    if (out == nullptr || fwrite(host[2].data(), 1, host[2].size(), out) != host[2].size()) return 1;
    fclose(out);
    check(cudaFree(workspace.at));
    for (Pointer& matrix : device) check(cudaFree(matrix.at));
    printf("ran %s\n", job.name);
  }
  return 0;
}
