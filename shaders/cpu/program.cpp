// Program that runs jobs: it maps the operands of each job from files, distributes the blocks over
// the CPU cores, and prints findings as JSON lines.
//
// Usage: `program FOLDER SECONDS PROCESSES GRAINS [CALLS]`. Files: FOLDER/<job>.<operand>. SECONDS is
// the time limit per job. GRAINS lists, per job, the logarithm of the tracking granularity in bytes,
// or `-` to skip the job. CALLS has a letter per call of a job: `f` takes C from the file of the
// call, FOLDER/<job>.<operand>.<call>, and `k` keeps C of the previous call unless C is an input.
#include "runtime.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

namespace on_cpu {

Shared* shared = nullptr;

Finding findingOf(Kind kind, Place place) {
  Finding finding{};
  finding.kind = kind;
  finding.block = dim3(blockIdx);
  finding.thread = current == nullptr ? -1 : static_cast<int>(current->index);
  finding.other = -1;
  finding.place = place;
  finding.operand = -2;
  return finding;
}

// Each source location is reported once per job.
void record(const Finding& finding) {
  const int known = shared->findings.load();
  for (int i = 0; i < known && i < kMaxFindings; ++i) {
    const Finding& old = shared->found[i];
    if (old.kind == finding.kind && old.place.pc == finding.place.pc && old.place.line == finding.place.line) return;
  }
  const int at = shared->findings.fetch_add(1);
  if (at >= kMaxFindings) return;
  shared->found[at] = finding;
  shared->isComplete[at].store(true);
}

constexpr int kStopped = 10;

void stop(const Finding& finding) {
  record(finding);
  _exit(kStopped);
}

static uint64_t pcOf(void* context) {
  const mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uint64_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
  (void)machine;
  return 0;
#endif
}

// Reports a fault or a timeout. `otherPlace` is the last checked access, for faults outside of
// kernel code.
static void onSignal(int signal, siginfo_t* info, void* context) {
  Finding finding = findingOf(Kind::fault, {pcOf(context), 0});
  finding.otherPlace = lastPlace;
  const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  switch (signal) {
    case SIGUSR1:
      finding.kind = Kind::timeout;
      break;
    case SIGFPE:
      finding.detail = "a division by zero";
      break;
    case SIGABRT:
      finding.detail = "a failed assertion";
      break;
    case SIGILL:
      finding.detail = "an instruction that this CPU does not support";
      break;
    default:
      finding.detail = isGuardOfStack(address) ? "an access beyond the 256 KiB of local memory per thread" : "an access to unmapped memory";
  }
  stop(finding);
}

static void handleSignals() {
  static char stack[64 * 1024];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR1}) sigaction(signal, &action, nullptr);
}

static void work(const Launch& launch) {
  const int64_t blocks = int64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  for (;;) {
    const int64_t i = shared->nextBlock.fetch_add(1);
    if (i >= blocks) return;
    const unsigned x = static_cast<unsigned>(i % launch.grid.x), y = static_cast<unsigned>(i / launch.grid.x % launch.grid.y);
    runBlock(launch, operandPointers(), dim3(x, y, static_cast<unsigned>(i / launch.grid.x / launch.grid.y)), static_cast<uint64_t>(i));
    shared->doneBlocks.fetch_add(1);
  }
}

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

static pid_t parent = 0;

static void printProgress(int job, double fraction) {
  printf("{\"type\":\"progress\",\"job\":%d,\"fraction\":%.3f}\n", job, fraction);
  fflush(stdout);
}

enum class Ended { done, stopped, late };

// Waits for the processes of a launch. Ends all processes if one stops, the time limit is reached,
// or the parent has exited.
static Ended await(std::vector<pid_t>& workers, int job, double until, int64_t blocks) {
  Ended ended = Ended::done;
  double told = seconds(), killAt = 0;
  while (!workers.empty()) {
    bool isAny = false;
    for (size_t i = 0; i < workers.size();) {
      int status = 0;
      if (waitpid(workers[i], &status, WNOHANG) != workers[i]) {
        ++i;
        continue;
      }
      isAny = true;
      workers.erase(workers.begin() + static_cast<ptrdiff_t>(i));
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      if (ended == Ended::done) ended = Ended::stopped;
      for (const pid_t other : workers) kill(other, SIGKILL);
    }
    if (isAny) continue;
    const double now = seconds();
    if (getppid() != parent) {
      for (const pid_t worker : workers) kill(worker, SIGKILL);
      _exit(124);
    }
    if (now > until && ended == Ended::done) {
      ended = Ended::late;
      killAt = now + 0.5;
      kill(workers.front(), SIGUSR1);
    }
    if (ended == Ended::late && now > killAt) {
      for (const pid_t worker : workers) kill(worker, SIGKILL);
    }
    if (now > told + 0.2) {
      told = now;
      printProgress(job, static_cast<double>(shared->doneBlocks.load()) / static_cast<double>(blocks));
    }
    const timespec pause{0, 300'000};
    nanosleep(&pause, nullptr);
  }
  return ended;
}

// Runs `work` in new processes, and waits for them.
template <typename Work> static Ended inProcesses(int processes, int job, double until, int64_t blocks, const Work& work) {
  std::vector<pid_t> workers;
  for (int i = 0; i < processes && i < blocks; ++i) {
    const pid_t worker = fork();
    if (worker < 0) break;
    if (worker == 0) {
      handleSignals();
      attachSharedMemory();
      work();
      fflush(stdout);
      _exit(0);
    }
    workers.push_back(worker);
  }
  if (workers.empty()) {
    perror("fork");
    exit(3);
  }
  return await(workers, job, until, blocks);
}

static Ended runLaunch(const Launch& launch, int job, double until, int processes) {
  const int64_t blocks = int64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  shared->nextBlock = 0;
  shared->doneBlocks = 0;
  return inProcesses(processes, job, until, blocks, [&] { work(launch); });
}

// Maps the operands from their files, at the same addresses in every call. `call` is -1 for the
// files of a single run.
static void mapOperands(const char* folder, int number, const Job& job, int call = -1) {
  for (int i = 0; i < job.operandCount; ++i) {
    const Operand& operand = job.operands[i];
    char path[4096];
    if (call < 0) snprintf(path, sizeof path, "%s/%d.%s", folder, number, operand.name);
    else snprintf(path, sizeof path, "%s/%d.%s.%d", folder, number, operand.name, call);
    const int file = open(path, operand.isInput ? O_RDONLY : O_RDWR);
    const int how = operand.isInput ? PROT_READ : PROT_READ | PROT_WRITE;
    void* memory = file < 0 ? MAP_FAILED : mmap(operandPointers()[i], operand.bytes, how, MAP_SHARED | MAP_FIXED, file, 0);
    if (memory == MAP_FAILED) {
      perror(path);
      exit(3);
    }
    close(file);
  }
}

static const char* const kKinds[] = {"out-of-bounds", "misaligned", "uninitialized", "race", "in-flight", "deadlock",
                                     "written-input", "index", "overflow", "fault", "timeout", "trap"};

static void printPosition(const char* name, const char* blockName, int thread, const dim3& block, const dim3& extent) {
  if (thread < 0) return;
  const unsigned i = static_cast<unsigned>(thread);
  printf(",\"%s\":[%u,%u,%u],\"%s\":[%u,%u,%u]", name, i % extent.x, i / extent.x % extent.y, i / extent.x / extent.y,
         blockName, block.x, block.y, block.z);
}

static void printFinding(const Finding& finding, const Job& job, const dim3& extent) {
  const bool isRaceOfBlocks = finding.kind == Kind::race && finding.operand >= 0;
  printf("{\"kind\":\"%s\",\"launch\":0", kKinds[static_cast<int>(finding.kind)]);
  printPosition("thread", "block", finding.thread, finding.block, extent);
  printPosition("other", "otherBlock", finding.other, isRaceOfBlocks ? finding.otherBlock : finding.block, extent);
  printf(",\"pc\":%llu,\"line\":%d,\"otherPc\":%llu,\"otherLine\":%d", static_cast<unsigned long long>(finding.place.pc),
         finding.place.line, static_cast<unsigned long long>(finding.otherPlace.pc), finding.otherPlace.line);
  printf(",\"space\":\"%s\",\"offset\":%lld,\"bytes\":%llu,\"store\":%s,\"otherStore\":%s,\"detail\":\"%s\"}",
         finding.operand >= 0 ? job.operands[finding.operand].name : finding.operand == -1 ? "shared" : "none",
         static_cast<long long>(finding.offset), static_cast<unsigned long long>(finding.bytes),
         finding.isStore ? "true" : "false", finding.otherIsStore ? "true" : "false",
         finding.detail == nullptr ? "" : finding.detail);
}

static void printResult(int number, const Job& job, Ended ended, const dim3& extent) {
  const char* const names[] = {"done", "stopped", "late"};
  printf("{\"type\":\"result\",\"job\":%d,\"ended\":\"%s\",\"tooFine\":%s,\"findings\":[", number, names[static_cast<int>(ended)],
         shared->tooFine.load() != 0 ? "true" : "false");
  const int count = shared->findings.load() < kMaxFindings ? shared->findings.load() : kMaxFindings;
  bool isFirst = true;
  for (int i = 0; i < count; ++i) {
    if (!shared->isComplete[i].load()) continue;
    if (!isFirst) printf(",");
    isFirst = false;
    printFinding(shared->found[i], job, extent);
  }
  printf("]}\n");
  fflush(stdout);
}

// Runs several calls of a job in one process, so that device variables keep their values between
// calls, as on a GPU.
static Ended runCalls(const char* folder, int number, const Job& job, double until, const char* calls) {
  int64_t blocks = 0;
  for (int i = 0; i < job.launchCount; ++i) {
    const dim3& grid = job.launches[i].grid;
    blocks += int64_t{grid.x} * grid.y * grid.z * static_cast<int64_t>(strlen(calls));
  }
  shared->doneBlocks = 0;
  return inProcesses(1, number, until, blocks, [&] {
    std::vector<std::vector<char>> kept(static_cast<size_t>(job.operandCount));
    for (int call = 0; calls[call] != '\0'; ++call) {
      const bool keeps = calls[call] == 'k';
      for (int i = 0; keeps && i < job.operandCount; ++i) {
        const char* at = static_cast<const char*>(operandPointers()[i]);
        if (job.operands[i].isPoisoned) kept[static_cast<size_t>(i)].assign(at, at + job.operands[i].bytes);
      }
      mapOperands(folder, number, job, call);
      for (int i = 0; keeps && i < job.operandCount; ++i) {
        if (job.operands[i].isPoisoned) memcpy(operandPointers()[i], kept[static_cast<size_t>(i)].data(), job.operands[i].bytes);
      }
      forgetWrites();
      for (int i = 0; i < job.launchCount; ++i) {
        if (i > 0) forgetGlobalAccesses();
        shared->nextBlock = 0;
        work(job.launches[i]);
      }
    }
  });
}

static void runJob(const char* folder, int number, double limit, int processes, int grainBits, const char* calls) {
  const Job& job = onCpuJobs[number];
  prepareMemory(job, grainBits);
  if (calls != nullptr) {
    printResult(number, job, runCalls(folder, number, job, seconds() + limit, calls), job.launches[0].block);
    return releaseMemory();
  }
  mapOperands(folder, number, job);
  const double until = seconds() + limit;
  Ended ended = Ended::done;
  dim3 extent;
  for (int i = 0; i < job.launchCount && ended == Ended::done; ++i) {
    if (i > 0) forgetGlobalAccesses();
    extent = job.launches[i].block;
    ended = runLaunch(job.launches[i], number, until, processes);
  }
  printResult(number, job, ended, extent);
  releaseMemory();
}

}  // namespace on_cpu

int main(int count, char** values) {
  using namespace on_cpu;
  if ((count != 5 && count != 6) || strlen(values[4]) != static_cast<size_t>(onCpuJobCount)) return 2;
  const char* const calls = count == 6 ? values[5] : nullptr;
  parent = getppid();
  prepareStacks(kMaxThreads);
  const int processes = atoi(values[3]);
  for (int i = 0; i < onCpuJobCount; ++i) {
    if (values[4][i] == '-') continue;
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 3;
    shared = new (memory) Shared();
    runJob(values[1], i, atof(values[2]), processes, values[4][i] - '0', calls);
  }
  return 0;
}
