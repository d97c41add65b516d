// Common declarations of the runtime. A process runs blocks sequentially; a job is distributed over several processes,
// which share its operands and findings.
#pragma once
#include <atomic>
#include <vector>

#include "launch.h"

namespace on_cpu {

constexpr unsigned kMaxThreads = 1024, kWarp = 32;
constexpr size_t kMaxGiven = 32;
constexpr int kMaxFindings = 8, kMaxOperands = 8;
constexpr size_t kStackBytes = 256 * 1024, kPage = 4096;

enum class Kind : int {
  outOfBounds, misaligned, uninitialized, race, inFlight, deadlock, writtenInput, index, overflow, fault, timeout,
  trap
};

// Source location: the address of an instruction, or a known line number.
struct Place {
  uint64_t pc = 0;
  int line = 0;
};

struct Finding {
  Kind kind;
  dim3 block;
  int thread, other;   // linear index in the block; -1: none
  dim3 otherBlock;
  Place place, otherPlace;
  int operand;         // -1: shared memory, -2: neither an operand nor shared memory
  int64_t offset;      // bytes from the start of the operand or of shared memory
  uint64_t bytes;
  bool isStore, otherIsStore;
  const char* detail;
};

// State in memory that all processes of a job share.
struct Shared {
  std::atomic<int> findings{0};
  std::atomic<int64_t> nextBlock{0}, doneBlocks{0};
  std::atomic<uint32_t> tooFine{0};
  Finding found[kMaxFindings];
  std::atomic<bool> isComplete[kMaxFindings];
};
extern Shared* shared;

enum class State { ready, atBarrier, atWarpBarrier, done };

struct Copy {
  void* to;
  const void* from;
  size_t bytes, zeros;
  unsigned group;
  Place place;
};

struct Fiber {
  void* stackPointer;
  State state;
  int line, barriers;
  unsigned index, mask;
  uint16_t warpEpoch;
  bool orders;  // whether the barrier orders memory accesses
  uint3 position;
  Reduce reduce;
  int predicate;
  unsigned exchanges, parities, participants;
  alignas(16) unsigned char given[2][kMaxGiven];
  unsigned group;
  std::vector<Copy> copies;
};
extern Fiber* current;
extern Fiber fibers[kMaxThreads];
extern unsigned threadCount;
extern uint32_t epoch, blockEpoch;   // barriers passed by this process: now, and at the start of its block
extern uint64_t blockNumber;
extern Place lastPlace;

Finding findingOf(Kind kind, Place place);
void record(const Finding& finding);
// Records a fatal finding and ends the process.
[[noreturn]] void stop(const Finding& finding);

void runBlock(const Launch& launch, void* const* operands, dim3 block, uint64_t number);
void prepareStacks(unsigned threads);
bool isStack(uintptr_t at);
bool isGuardOfStack(uintptr_t at);

void prepareMemory(const Job& job, int grainBits);
void releaseMemory();
void attachSharedMemory();
void forgetGlobalAccesses();
void forgetWrites();
void* const* operandPointers();
bool isZone(uintptr_t at);

enum class Access { load, store, atomic, copyStore };
void* sharedPlace(Place place, unsigned offset, size_t bytes);
void access(uintptr_t at, size_t bytes, Access how, Place place);
void takeOff(uintptr_t at, size_t bytes, Place place);
void land(uintptr_t at, size_t bytes, Place place);

}  // namespace on_cpu
