// Checks every memory access. The compiler calls __tsan_* before each access (-fsanitize=thread, with this file instead
// of its runtime). The state of an element is its last writer and readers, with their barrier epochs.
#include "runtime.h"

#include <link.h>
#include <sys/mman.h>

extern "C" char __executable_start[], end[];

namespace on_cpu {

// Last write or last read of an element of shared memory, with the epochs of the block barrier and
// of the warp barrier.
struct Touch {
  uint32_t epoch = 0;
  uint16_t thread = 0, warpEpoch = 0;
  Place place;
};
struct Cell {
  Touch writer, reader;
  uint16_t flight = 0;  // thread + 1 if an asynchronous copy to this element is in flight
};
constexpr uint16_t kSeveral = 0xffff, kAtomic = 0xfffe, kWarpOf = 0x8000;

// Last writer of a writable element in global memory.
struct GlobalCell {
  // 0: unwritten, 1: earlier launch, otherwise packed: atomic flag (bit 63), block + 2, epoch, thread
  uint64_t writer;
  uint64_t pc;
  int line;
};

struct Region {
  uintptr_t base;
  size_t bytes;
  const Operand* operand;
  GlobalCell* cells;
};

Place lastPlace;
static Region regions[kMaxOperands];
static void* pointers[kMaxOperands];
static int regionCount = 0;
static int grain = 2;
static uintptr_t zone = 0;
static size_t zoneBytes = 0;
static uintptr_t sharedBase = 0;
static size_t sharedBytes = 0;
static std::vector<Cell> cells;

// Bytes of inaccessible addresses around each operand, which catch invalid 32-bit indices.
static const size_t kGaps[] = {size_t{16} << 30, size_t{1} << 30, size_t{1} << 26};

static size_t paged(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void prepareMemory(const Job& job, int grainBits) {
  grain = grainBits;
  regionCount = job.operandCount;
  void* memory = MAP_FAILED;
  size_t gap = 0;
  for (const size_t wanted : kGaps) {
    gap = wanted;
    zoneBytes = gap;
    for (int i = 0; i < regionCount; ++i) zoneBytes += paged(job.operands[i].bytes) + gap;
    memory = mmap(nullptr, zoneBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) break;
  }
  if (memory == MAP_FAILED) {
    perror("operands");
    exit(3);
  }
  zone = reinterpret_cast<uintptr_t>(memory);
  uintptr_t at = zone + gap;
  for (int i = 0; i < regionCount; ++i) {
    const Operand& operand = job.operands[i];
    Region& region = regions[i] = {at, operand.bytes, &operand, nullptr};
    pointers[i] = reinterpret_cast<void*>(at);
    at += paged(operand.bytes) + gap;
    if (operand.isInput) continue;
    const size_t size = ((region.bytes >> grain) + 1) * sizeof(GlobalCell);
    void* made = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    region.cells = made == MAP_FAILED ? nullptr : static_cast<GlobalCell*>(made);
  }
}

void releaseMemory() {
  for (int i = 0; i < regionCount; ++i) {
    if (regions[i].cells != nullptr) munmap(regions[i].cells, ((regions[i].bytes >> grain) + 1) * sizeof(GlobalCell));
  }
  munmap(reinterpret_cast<void*>(zone), zoneBytes);
}

void* const* operandPointers() { return pointers; }
bool isZone(uintptr_t at) { return at - zone < zoneBytes; }

// A new launch is ordered after all accesses of the previous launch.
void forgetGlobalAccesses() {
  for (int i = 0; i < regionCount; ++i) {
    if (regions[i].cells == nullptr) continue;
    const size_t count = (regions[i].bytes >> grain) + 1;
    // Written elements stay marked as written: 1 represents an earlier launch.
    for (size_t j = 0; j < count; ++j) {
      if (regions[i].cells[j].writer != 0) regions[i].cells[j].writer = 1;
    }
  }
}

// A new call starts with unwritten operands.
void forgetWrites() {
  for (int i = 0; i < regionCount; ++i) {
    if (regions[i].cells != nullptr) memset(regions[i].cells, 0, ((regions[i].bytes >> grain) + 1) * sizeof(GlobalCell));
  }
}

static int findTls(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_tls_data == nullptr) continue;
    sharedBase = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
    sharedBytes = info->dlpi_phdr[i].p_memsz;
  }
  return 1;  // the first entry is the program itself
}

// Shared memory is the program's thread-local storage, which is otherwise unused.
void attachSharedMemory() {
  dl_iterate_phdr(findTls, nullptr);
  cells.assign((sharedBytes >> grain) + 2, Cell());
}

static Finding at(Kind kind, Place place, size_t bytes, bool isStore) {
  Finding finding = findingOf(kind, place);
  finding.bytes = bytes;
  finding.isStore = isStore;
  return finding;
}

static bool isStoreOf(Access how) { return how != Access::load; }

// Tests whether a recorded access happens before the current access.
static bool isBefore(const Touch& touch) {
  if (touch.epoch != epoch) return true;
  if (touch.thread == kSeveral || touch.thread == kAtomic) return false;
  const unsigned mine = current->index / kWarp;
  if ((touch.thread & kWarpOf) != 0) return (touch.thread & ~kWarpOf) == mine && touch.warpEpoch < current->warpEpoch;
  if (touch.thread == current->index) return true;
  return touch.thread / kWarp == mine && touch.warpEpoch < current->warpEpoch;
}

static void conflict(const Touch& with, size_t offset, size_t bytes, Access how, bool otherIsStore, Place place) {
  Finding finding = at(Kind::race, place, bytes, isStoreOf(how));
  finding.operand = -1;
  finding.offset = static_cast<int64_t>(offset);
  finding.other = with.thread < kMaxThreads ? with.thread : -1;
  finding.otherPlace = with.place;
  finding.otherIsStore = otherIsStore;
  record(finding);
}

static void noteReader(Touch& reader, Place place) {
  const uint16_t me = static_cast<uint16_t>(current->index), warp = static_cast<uint16_t>(kWarpOf | me / kWarp);
  if (reader.epoch != epoch) {
    reader = {epoch, me, current->warpEpoch, place};
  } else if (reader.thread == me || reader.thread == warp) {
    reader.warpEpoch = current->warpEpoch;
  } else if (reader.thread < kMaxThreads && reader.thread / kWarp == me / kWarp) {
    reader = {epoch, warp, current->warpEpoch, place};
  } else {
    reader.thread = kSeveral;
  }
}

// Records that an access is smaller than the tracking granularity: the job must restart with a
// granularity of one byte.
static void noteSize(size_t bytes) {
  if (bytes < size_t{1} << grain) shared->tooFine.store(1, std::memory_order_relaxed);
}

static void sharedAccess(size_t offset, size_t bytes, Access how, Place place) {
  noteSize(bytes);
  const size_t last = (offset + bytes - 1) >> grain;
  if (offset + bytes > sharedBytes) {
    Finding finding = at(Kind::outOfBounds, place, bytes, isStoreOf(how));
    finding.operand = -1;
    finding.offset = static_cast<int64_t>(offset);
    stop(finding);
  }
  for (size_t i = offset >> grain; i <= last; ++i) {
    Cell& cell = cells[i];
    const size_t from = i << grain;
    if (cell.flight != 0) {
      Finding finding = at(Kind::inFlight, place, bytes, isStoreOf(how));
      finding.operand = -1;
      finding.offset = static_cast<int64_t>(from);
      finding.other = cell.flight - 1;
      finding.otherPlace = cell.writer.place;
      record(finding);
    }
    const bool isAtomicPair = how == Access::atomic && cell.writer.thread == kAtomic;
    if (!isAtomicPair && !isBefore(cell.writer)) conflict(cell.writer, from, bytes, how, true, place);
    if (how == Access::load || how == Access::atomic) {
      if (cell.writer.epoch < blockEpoch) {
        Finding finding = at(Kind::uninitialized, place, bytes, false);
        finding.operand = -1;
        finding.offset = static_cast<int64_t>(from);
        record(finding);
      }
      if (how == Access::load) noteReader(cell.reader, place);
    }
    if (isStoreOf(how)) {
      if (!isBefore(cell.reader)) conflict(cell.reader, from, bytes, how, false, place);
      const uint16_t who = how == Access::atomic ? kAtomic : static_cast<uint16_t>(current->index);
      cell.writer = {epoch, who, current->warpEpoch, place};
    }
  }
}

constexpr uint64_t kAtomicWriter = uint64_t{1} << 63;

static void globalCells(const Region& region, size_t offset, size_t bytes, Access how, Place place) {
  noteSize(bytes);
  const uint64_t me = (blockNumber + 2) << 32 | uint64_t{epoch & 0x3fffffu} << 10 | current->index;
  const uint64_t before = (blockNumber + 2) << 32;
  for (size_t i = offset >> grain; i <= (offset + bytes - 1) >> grain; ++i) {
    GlobalCell& cell = region.cells[i];
    const uint64_t writer = __atomic_load_n(&cell.writer, __ATOMIC_RELAXED);
    const bool isSameBlock = (writer & ~kAtomicWriter) >> 32 == before >> 32;
    const bool isOrdered = writer <= 1 || writer == me ||
                           (isSameBlock && ((writer & 1023) == (me & 1023) || (writer >> 10 & 0x3fffff) != (me >> 10 & 0x3fffff)));
    const bool isAtomicPair = how == Access::atomic && (writer & kAtomicWriter) != 0;
    const auto report = [&](Kind kind) {
      Finding finding = at(kind, place, bytes, isStoreOf(how));
      finding.operand = static_cast<int>(&region - regions);
      finding.offset = static_cast<int64_t>(i << grain);
      if (kind == Kind::race) {
        const uint64_t block = ((writer & ~kAtomicWriter) >> 32) - 2;
        finding.other = static_cast<int>(writer & 1023);
        finding.otherBlock = {static_cast<unsigned>(block % gridDim.x), static_cast<unsigned>(block / gridDim.x % gridDim.y),
                              static_cast<unsigned>(block / gridDim.x / gridDim.y)};
        finding.otherPlace = {cell.pc, cell.line};
        finding.otherIsStore = true;
      }
      record(finding);
    };
    if (!isOrdered && !isAtomicPair) report(Kind::race);
    if (how != Access::copyStore && !(how == Access::store) && writer == 0 && region.operand->isPoisoned) report(Kind::uninitialized);
    if (!isStoreOf(how)) continue;
    cell.pc = place.pc;
    cell.line = place.line;
    __atomic_store_n(&cell.writer, how == Access::atomic ? me | kAtomicWriter : me, __ATOMIC_RELAXED);
  }
}

static void globalAccess(uintptr_t address, size_t bytes, Access how, Place place) {
  for (int i = 0; i < regionCount; ++i) {
    const Region& region = regions[i];
    const size_t offset = address - region.base;
    if (offset >= region.bytes || bytes > region.bytes - offset) continue;
    if (region.operand->isInput) {
      if (!isStoreOf(how)) return;
      Finding finding = at(Kind::writtenInput, place, bytes, true);
      finding.operand = i;
      finding.offset = static_cast<int64_t>(offset);
      stop(finding);
    }
    if (region.cells != nullptr) globalCells(region, offset, bytes, how, place);
    return;
  }
  Finding finding = at(Kind::outOfBounds, place, bytes, isStoreOf(how));
  size_t nearest = ~size_t{0};
  for (int i = 0; i < regionCount; ++i) {
    const int64_t offset = static_cast<int64_t>(address - regions[i].base);
    const size_t distance = offset < 0 ? static_cast<size_t>(-offset) : static_cast<size_t>(offset) - regions[i].bytes;
    if (distance >= nearest) continue;
    nearest = distance;
    finding.operand = i;
    finding.offset = offset;
  }
  stop(finding);
}

void access(uintptr_t address, size_t bytes, Access how, Place place) {
  lastPlace = place;
  if (address - sharedBase < sharedBytes) return sharedAccess(address - sharedBase, bytes, how, place);
  if (address - zone < zoneBytes) return globalAccess(address, bytes, how, place);
  if (isStack(address)) return;
  const bool isImage = address >= reinterpret_cast<uintptr_t>(__executable_start) && address < reinterpret_cast<uintptr_t>(end);
  if (isImage || how == Access::load) return;
  // A write outside of all operands would corrupt the runtime's memory.
  Finding finding = at(Kind::outOfBounds, place, bytes, true);
  finding.operand = address - sharedBase < sharedBytes + (size_t{1} << 20) || sharedBase - address < (size_t{1} << 20) ? -1 : -2;
  finding.offset = static_cast<int64_t>(address - sharedBase);
  stop(finding);
}

// Returns the offset by which PTX addresses shared memory.
size_t sharedOffset(const void* at) { return reinterpret_cast<uintptr_t>(at) - sharedBase; }

void* sharedPlace(int line, unsigned offset) { return sharedPlace(Place{0, line}, offset, 1); }

void* sharedPlace(Place place, unsigned offset, size_t bytes) {
  if (offset < sharedBytes && bytes <= sharedBytes - offset) return reinterpret_cast<void*>(sharedBase + offset);
  Finding finding = at(Kind::outOfBounds, place, bytes, false);
  finding.operand = -1;
  finding.offset = offset;
  stop(finding);
}

void takeOff(uintptr_t address, size_t bytes, Place place) {
  const size_t offset = address - sharedBase;
  if (offset >= sharedBytes) {
    Finding finding = at(Kind::trap, place, bytes, true);
    finding.detail = "the target of an asynchronous copy is not shared memory";
    stop(finding);
  }
  sharedAccess(offset, bytes, Access::copyStore, place);
  for (size_t i = offset >> grain; i <= (offset + bytes - 1) >> grain; ++i) {
    cells[i].flight = static_cast<uint16_t>(current->index + 1);
  }
}

void land(uintptr_t address, size_t bytes, Place place) {
  const size_t offset = address - sharedBase;
  for (size_t i = offset >> grain; i <= (offset + bytes - 1) >> grain; ++i) cells[i].flight = 0;
  sharedAccess(offset, bytes, Access::copyStore, place);
}

bool compareExchange(volatile uint8_t* at, uint8_t& expected, uint8_t desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
bool compareExchange(volatile uint16_t* at, uint16_t& expected, uint16_t desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
bool compareExchange(volatile uint32_t* at, uint32_t& expected, uint32_t desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
bool compareExchange(volatile uint64_t* at, uint64_t& expected, uint64_t desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void atomicAccess(int line, const void* address, size_t bytes) {
  const Place place{0, line};
  if (reinterpret_cast<uintptr_t>(address) % bytes != 0) stop(at(Kind::misaligned, place, bytes, true));
  access(reinterpret_cast<uintptr_t>(address), bytes, Access::atomic, place);
}

}  // namespace on_cpu
