// Callbacks of an instrumented kernel: before each access (__tsan_*), and on undefined behavior of C++ (__ubsan_*).
#include "runtime.h"

using namespace on_cpu;

static Place here(void* pc) { return {reinterpret_cast<uint64_t>(pc), 0}; }
static void touch(void* at, size_t bytes, Access how, void* pc) {
  if (current == nullptr) return;
  access(reinterpret_cast<uintptr_t>(at), bytes, how, here(pc));
}

#define PC __builtin_return_address(0)
#define ON_CPU_SIZES(size)                                                                          \
  void __tsan_read##size(void* at) { touch(at, size, Access::load, PC); }                           \
  void __tsan_write##size(void* at) { touch(at, size, Access::store, PC); }                         \
  void __tsan_unaligned_read##size(void* at) { touch(at, size, Access::load, PC); }                 \
  void __tsan_unaligned_write##size(void* at) { touch(at, size, Access::store, PC); }               \
  void __tsan_volatile_read##size(void* at) { touch(at, size, Access::load, PC); }                  \
  void __tsan_volatile_write##size(void* at) { touch(at, size, Access::store, PC); }                \
  void __tsan_read_write##size(void* at) {                                                          \
    touch(at, size, Access::load, PC);                                                              \
    touch(at, size, Access::store, PC);                                                             \
  }

// Handlers of undefined behavior; the compiler passes the source location.
struct SourceLocation {
  const char* file;
  uint32_t line, column;
};
struct TypeMismatch {
  SourceLocation at;
  const void* type;
  unsigned char logAlignment, kind;
};
struct Located {
  SourceLocation at;
};

static Place there(const SourceLocation& at) { return {0, static_cast<int>(at.line)}; }
static void undefined(Kind kind, void* data, const char* detail) {
  if (current == nullptr) return;
  Finding finding = findingOf(kind, there(static_cast<Located*>(data)->at));
  finding.detail = detail;
  kind == Kind::overflow ? record(finding) : stop(finding);
}

extern "C" {
ON_CPU_SIZES(1)
ON_CPU_SIZES(2)
ON_CPU_SIZES(4)
ON_CPU_SIZES(8)
ON_CPU_SIZES(16)
void __tsan_read_range(void* at, size_t bytes) { touch(at, bytes, Access::load, PC); }
void __tsan_write_range(void* at, size_t bytes) { touch(at, bytes, Access::store, PC); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __ubsan_handle_type_mismatch_v1(TypeMismatch* data, void* at) {
  if (current == nullptr) return;
  const bool isNull = at == nullptr;
  Finding finding = findingOf(isNull ? Kind::fault : Kind::misaligned, there(data->at));
  finding.bytes = uint64_t{1} << data->logAlignment;
  finding.detail = isNull ? "a null pointer" : "a vector access";
  stop(finding);
}
void __ubsan_handle_out_of_bounds(void* data, void*) {
  undefined(Kind::index, data, "an index is outside of its array");
}
void __ubsan_handle_divrem_overflow(void* data, void*, void*) { undefined(Kind::fault, data, "a division by zero"); }
void __ubsan_handle_add_overflow(void* data, void*, void*) { undefined(Kind::overflow, data, "an addition overflows 32 bits"); }
void __ubsan_handle_sub_overflow(void* data, void*, void*) { undefined(Kind::overflow, data, "a subtraction overflows 32 bits"); }
void __ubsan_handle_mul_overflow(void* data, void*, void*) { undefined(Kind::overflow, data, "a multiplication overflows 32 bits"); }
void __ubsan_handle_negate_overflow(void* data, void*) { undefined(Kind::overflow, data, "a negation overflows 32 bits"); }
}
