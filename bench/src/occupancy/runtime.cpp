// Queries the CUDA runtime about compiled kernels on the local GPU. Build: nvcc -std=c++17 -x cu runtime.cpp -o runtime
// Input: one case per line, "cubin entry threadsPerBlock dynamicSharedBytes".
// Output: the GPU's name, then one line per case, "registers staticSharedBytes blocksPerSm C2 C4 C8".
// C2, C4 and C8 are the maximum resident clusters of 2, 4 and 8 blocks on the GPU (0 if the kernel cannot be launched as
// a cluster).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

static void check(cudaError_t result, const char *what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

static int activeClusters(const void *kernel, unsigned threads, unsigned dynamic, unsigned size) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1 << 20);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = dynamic;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess) return clusters;
  cudaGetLastError();
  return 0;
}

int main() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::printf("%s\n", properties.name);
  std::map<std::string, cudaLibrary_t> libraries;
  char path[4096], entry[1024];
  unsigned threads, dynamic;
  while (std::scanf("%4095s %1023s %u %u", path, entry, &threads, &dynamic) == 4) {
    cudaLibrary_t &library = libraries[path];
    if (library == nullptr)
      check(cudaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0), path);
    cudaKernel_t handle;
    check(cudaLibraryGetKernel(&handle, library, entry), entry);
    const void *kernel = reinterpret_cast<const void *>(handle);
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
    int blocks = 0;
    // Above the shared-memory limit per block, the call fails and 0 blocks are resident.
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic) == cudaSuccess)
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads, dynamic), "occupancy");
    else
      cudaGetLastError();
    std::printf("%d %zu %d %d %d %d\n", attributes.numRegs, attributes.sharedSizeBytes, blocks,
                activeClusters(kernel, threads, dynamic, 2), activeClusters(kernel, threads, dynamic, 4),
                activeClusters(kernel, threads, dynamic, 8));
  }
  return 0;
}
