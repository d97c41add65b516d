// Threads of a block as fibers: each fiber runs until it waits for other fibers or ends.
#include "runtime.h"

#include <sys/mman.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace on_cpu {

Fiber* current = nullptr;
Fiber fibers[kMaxThreads];
unsigned threadCount = 0;
uint32_t epoch = 0, blockEpoch = 0;
uint64_t blockNumber = 0;

static const Launch* launch = nullptr;
static void* const* operands = nullptr;
static char* stacks = nullptr;
static size_t stacksBytes = 0;

// Saves the callee-saved registers and the stack pointer, and resumes `to`.
#if defined(__x86_64__)
extern "C" void onCpuSwitch(void** from, void* to);
asm(R"(
.text
.globl onCpuSwitch
.type onCpuSwitch, @function
onCpuSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size onCpuSwitch, . - onCpuSwitch
)");
static void* fresh(char* top, void (*entry)()) {
  void** at = reinterpret_cast<void**>(top);
  *--at = nullptr;  // return address of entry; keeps the stack aligned as after a call
  *--at = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--at = nullptr;
  return at;
}
#elif defined(__aarch64__)
extern "C" void onCpuSwitch(void** from, void* to);
asm(R"(
.text
.globl onCpuSwitch
.type onCpuSwitch, %function
onCpuSwitch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size onCpuSwitch, . - onCpuSwitch
)");
static void* fresh(char* top, void (*entry)()) {
  void** at = reinterpret_cast<void**>(top) - 20;
  for (int i = 0; i < 20; ++i) at[i] = nullptr;
  at[11] = reinterpret_cast<void*>(entry);  // x30
  return at;
}
#else
static void onCpuSwitch(void** from, void* to) {
  ucontext_t here;
  *from = &here;
  swapcontext(&here, static_cast<ucontext_t*>(to));
}
static void* fresh(char* top, void (*entry)()) {
  ucontext_t* context = reinterpret_cast<ucontext_t*>(top - kPage);
  getcontext(context);
  context->uc_stack.ss_sp = top - kStackBytes + kPage;
  context->uc_stack.ss_size = kStackBytes - 2 * kPage;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
  return context;
}
#endif

static void* scheduler = nullptr;

static void leave() { onCpuSwitch(&current->stackPointer, scheduler); }

static void enter() {
  launch->call(operands);
  current->state = State::done;
  for (;;) leave();
}

// Allocates the stacks. The lowest page of each stack is a guard page.
void prepareStacks(unsigned threads) {
  stacksBytes = size_t{threads} * kStackBytes;
  void* memory = mmap(nullptr, stacksBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    perror("stacks");
    exit(3);
  }
  stacks = static_cast<char*>(memory);
  for (unsigned i = 0; i < threads; ++i) mprotect(stacks + i * kStackBytes, kPage, PROT_NONE);
}

bool isStack(uintptr_t at) { return at - reinterpret_cast<uintptr_t>(stacks) < stacksBytes; }
bool isGuardOfStack(uintptr_t at) {
  return isStack(at) && (at - reinterpret_cast<uintptr_t>(stacks)) % kStackBytes < kPage;
}

static void resume(Fiber& fiber) {
  current = &fiber;
  threadIdx = fiber.position;
  onCpuSwitch(&scheduler, fiber.stackPointer);
  current = nullptr;
}

// Reports a deadlock: one thread that waits, and one that does not arrive.
[[noreturn]] static void deadlock(const Fiber& waits, const Fiber& other) {
  Finding finding = findingOf(Kind::deadlock, {0, waits.line});
  finding.thread = static_cast<int>(waits.index);
  finding.other = static_cast<int>(other.index);
  finding.otherPlace.line = other.state == State::done ? 0 : other.line;
  finding.detail = waits.state == State::atWarpBarrier ? "warp" : "block";
  stop(finding);
}

static bool takesPart(const Fiber& fiber, const Fiber& in) {
  return fiber.index / kWarp == in.index / kWarp && (in.mask >> fiber.index % kWarp & 1u) != 0;
}

static bool releaseWarps() {
  bool isAny = false;
  for (unsigned i = 0; i < threadCount; ++i) {
    Fiber& waits = fibers[i];
    if (waits.state != State::atWarpBarrier) continue;
    const unsigned first = i / kWarp * kWarp, end = first + kWarp < threadCount ? first + kWarp : threadCount;
    bool isWhole = true;
    unsigned parities = 0, participants = 0;
    for (unsigned j = first; j < end; ++j) {
      const Fiber& other = fibers[j];
      if (!takesPart(other, waits) || other.state == State::done) continue;
      isWhole = isWhole && other.state == State::atWarpBarrier && other.mask == waits.mask;
      parities |= (other.exchanges & 1u) << (j - first);
      participants |= 1u << (j - first);
    }
    if (!isWhole) continue;
    const unsigned mask = waits.mask;
    for (unsigned j = first; j < end; ++j) {
      Fiber& other = fibers[j];
      if (other.state != State::atWarpBarrier || other.mask != mask) continue;
      other.state = State::ready;
      other.parities = parities;
      other.participants = participants;
      // A warp barrier orders the accesses of its threads if all of them are still running, or if
      // its mask is full. Shuffles do not order accesses.
      if (other.orders && (participants == mask || mask == 0xffffffffu)) ++other.warpEpoch;
    }
    isAny = true;
  }
  return isAny;
}

static int reduced = 0;

// Completes a barrier when no fiber is ready. Returns false if all fibers have ended.
static bool release() {
  Fiber *waits = nullptr, *done = nullptr, *inWarp = nullptr;
  for (unsigned i = 0; i < threadCount; ++i) {
    Fiber& fiber = fibers[i];
    if (fiber.state == State::done) done = done == nullptr ? &fiber : done;
    if (fiber.state == State::atWarpBarrier) inWarp = inWarp == nullptr ? &fiber : inWarp;
    if (fiber.state == State::atBarrier) {
      if (waits == nullptr) waits = &fiber;
      else if (waits->line != fiber.line) deadlock(*waits, fiber);
    }
  }
  if (inWarp != nullptr) {
    if (releaseWarps()) return true;
    for (unsigned i = 0; i < threadCount; ++i) {
      const Fiber& other = fibers[i];
      const bool isMet = other.state == State::atWarpBarrier && other.mask == inWarp->mask;
      if (takesPart(other, *inWarp) && other.state != State::done && !isMet) deadlock(*inWarp, other);
    }
  }
  if (waits == nullptr) return false;
  if (done != nullptr) deadlock(*waits, *done);
  int count = 0;
  for (unsigned i = 0; i < threadCount; ++i) count += fibers[i].predicate != 0;
  const Reduce how = waits->reduce;
  reduced = how == Reduce::count ? count : how == Reduce::all ? count == static_cast<int>(threadCount) : count > 0;
  for (unsigned i = 0; i < threadCount; ++i) fibers[i].state = State::ready;
  ++epoch;
  return true;
}

void runBlock(const Launch& of, void* const* pointers, dim3 block, uint64_t number) {
  launch = &of;
  operands = pointers;
  blockIdx = block;
  blockDim = of.block;
  gridDim = of.grid;
  blockNumber = number;
  blockEpoch = ++epoch;
  threadCount = of.block.x * of.block.y * of.block.z;
  for (unsigned i = 0; i < threadCount; ++i) {
    Fiber& fiber = fibers[i];
    fiber.state = State::ready;
    fiber.line = 0;
    fiber.index = i;
    fiber.mask = 0;
    fiber.warpEpoch = 0;
    fiber.position = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
    fiber.predicate = 0;
    fiber.exchanges = 0;
    fiber.group = 0;
    fiber.copies.clear();
    fiber.stackPointer = fresh(stacks + (i + 1) * kStackBytes, enter);
  }
  // Every other block runs its threads in reverse order, since CUDA does not specify the order.
  const bool isBackwards = number % 2 == 1;
  do {
    for (unsigned i = 0; i < threadCount; ++i) {
      Fiber& fiber = fibers[isBackwards ? threadCount - 1 - i : i];
      if (fiber.state == State::ready) resume(fiber);
    }
  } while (release());
}

int barrierReduce(int line, Reduce how, int predicate) {
  current->state = State::atBarrier;
  current->line = line;
  current->reduce = how;
  current->predicate = predicate;
  leave();
  return reduced;
}
void barrier(int line) { barrierReduce(line, Reduce::none, 0); }

unsigned laneIndex() { return current->index % kWarp; }

static void waitForWarp(int line, unsigned mask, bool orders) {
  const unsigned first = current->index / kWarp * kWarp;
  const unsigned lanes = threadCount - first;
  const unsigned present = lanes >= kWarp ? 0xffffffffu : (1u << lanes) - 1;
  if ((mask >> laneIndex() & 1u) == 0) {
    Finding finding = findingOf(Kind::trap, {0, line});
    finding.detail = "a thread calls a warp-level function with a mask that excludes the thread";
    stop(finding);
  }
  current->state = State::atWarpBarrier;
  current->line = line;
  current->mask = mask & present;
  current->orders = orders;
  leave();
}

void warpBarrier(int line, unsigned mask) { waitForWarp(line, mask, true); }

void exchange(int line, unsigned mask, const void* value, size_t bytes) {
  ++current->exchanges;
  memcpy(current->given[current->exchanges & 1u], value, bytes < kMaxGiven ? bytes : kMaxGiven);
  waitForWarp(line, mask, false);
}

const void* given(unsigned lane) {
  if (lane >= kWarp || (current->participants >> lane & 1u) == 0) return nullptr;
  const Fiber& other = fibers[current->index / kWarp * kWarp + lane];
  return other.given[current->parities >> lane & 1u];
}

unsigned activeLanes() {
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const unsigned index = current->index / kWarp * kWarp + lane;
    if (index < threadCount && fibers[index].state != State::done) lanes |= 1u << lane;
  }
  return lanes;
}

void trap(int line) {
  Finding finding = findingOf(Kind::trap, {0, line});
  finding.detail = "the kernel called __trap()";
  stop(finding);
}

void copyAsync(int line, void* to, const void* from, size_t bytes, size_t zeros) {
  const Place place{0, line};
  const bool isSize = bytes == 4 || bytes == 8 || bytes == 16;
  const auto isAligned = [&](const void* at) { return reinterpret_cast<uintptr_t>(at) % bytes == 0; };
  if (!isSize || zeros > bytes) {
    Finding finding = findingOf(Kind::trap, place);
    finding.detail = "an asynchronous copy has an invalid size: expected 4, 8 or 16 bytes, and at most as many zero bytes";
    stop(finding);
  }
  if (!isAligned(to) || !isAligned(from)) {
    Finding finding = findingOf(Kind::misaligned, place);
    finding.bytes = bytes;
    finding.detail = isAligned(to) ? "source of an asynchronous copy" : "target of an asynchronous copy";
    stop(finding);
  }
  if (bytes > zeros) access(reinterpret_cast<uintptr_t>(from), bytes - zeros, Access::load, place);
  takeOff(reinterpret_cast<uintptr_t>(to), bytes, place);
  current->copies.push_back({to, from, bytes, zeros, current->group, place});
}

void commit() { ++current->group; }

void wait(int, unsigned pending) {
  std::vector<Copy>& copies = current->copies;
  size_t landed = 0;
  for (; landed < copies.size() && copies[landed].group + pending < current->group; ++landed) {
    const Copy& copy = copies[landed];
    land(reinterpret_cast<uintptr_t>(copy.to), copy.bytes, copy.place);
    memcpy(copy.to, copy.from, copy.bytes - copy.zeros);
    memset(static_cast<char*>(copy.to) + copy.bytes - copy.zeros, 0, copy.zeros);
  }
  copies.erase(copies.begin(), copies.begin() + static_cast<ptrdiff_t>(landed));
}

}  // namespace on_cpu
