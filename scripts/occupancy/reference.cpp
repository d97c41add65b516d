// Runs NVIDIA's own occupancy calculation as a reference. This host program needs a C++ compiler
// and the CUDA headers, but no GPU.
// Input: one case per line, "major minor threadsPerBlock registersPerThread sharedBytesPerBlock
// carveOutPercent staticBytes". carveOutPercent is -1 without a carve-out; staticBytes is the
// static part of the shared memory.
// Output: CUDA_VERSION, then one line per case, "blocksPerSm limiters registersAllocated
// sharedBytesAllocated". limiters is the sum of 1 (threads), 2 (registers), 4 (shared memory) and 8
// (blocks).
#include <cuda.h>
#include <cuda_occupancy.h>

#include <cstdio>
#include <cstdlib>

struct Sm {
  int major, minor, threads, sharedKiB;
};

// Threads and KiB of shared memory per SM. The header itself contains the maximum number of blocks
// per SM.
static const Sm SMS[] = {
    {7, 0, 2048, 96},   {7, 2, 2048, 96},   {7, 5, 1024, 64},   {8, 0, 2048, 164},  {8, 6, 1536, 100},
    {8, 7, 1536, 164},  {8, 8, 1536, 100},  {8, 9, 1536, 100},  {9, 0, 2048, 228},  {10, 0, 2048, 228},
    {10, 1, 1536, 228}, {10, 3, 2048, 228}, {11, 0, 1536, 228}, {12, 0, 1536, 100}, {12, 1, 1536, 100},
};

static cudaOccDeviceProp properties(int major, int minor) {
  for (const Sm &sm : SMS) {
    if (sm.major != major || sm.minor != minor) continue;
    cudaOccDeviceProp p;
    p.computeMajor = major;
    p.computeMinor = minor;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = sm.threads;
    p.regsPerBlock = 65536;
    p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerMultiprocessor = sm.sharedKiB * 1024;
    p.numSms = 1;
    p.reservedSharedMemPerBlock = major >= 8 ? 1024 : 0;
    p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor - p.reservedSharedMemPerBlock;
    return p;
  }
  std::fprintf(stderr, "unknown compute capability %d.%d\n", major, minor);
  std::exit(2);
}

int main() {
  std::printf("%d\n", CUDA_VERSION);
  int major, minor, threads, registers, carveOut;
  size_t shared, declared;
  while (std::scanf("%d %d %d %d %zu %d %zu", &major, &minor, &threads, &registers, &shared, &carveOut, &declared) == 7) {
    const cudaOccDeviceProp device = properties(major, minor);
    cudaOccDeviceState state;
    state.carveoutConfig = carveOut;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = registers;
    kernel.numBlockBarriers = 1;
    // The remaining shared memory is dynamic, and the kernel opts in to it.
    const size_t dynamic = shared - declared;
    kernel.sharedSizeBytes = declared;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = dynamic;

    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic) !=
        CUDA_OCC_SUCCESS) {
      std::fprintf(stderr, "rejected: %d.%d %d %d %zu %d %zu\n", major, minor, threads, registers, shared, carveOut, declared);
      return 1;
    }
    std::printf("%d %u %d %zu\n", result.activeBlocksPerMultiprocessor, result.limitingFactors & 15,
                result.allocatedRegistersPerBlock, result.allocatedSharedMemPerBlock);
  }
  return 0;
}
