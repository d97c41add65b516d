// Warp-wide instructions: ldmatrix and mma.sync (PTX ISA, "Matrix Fragments for mma"). A row of A or a column of B
// consists of 32-bit words; word w of row r belongs to lane 4 (r mod 8) + w mod 4.
#include "runtime.h"

namespace on_cpu {

static const unsigned char* ofLane(int line, unsigned lane) {
  const void* at = given(lane);
  if (at != nullptr) return static_cast<const unsigned char*>(at);
  Finding finding = findingOf(Kind::trap, {0, line});
  finding.detail = "a warp-level instruction is executed without all lanes of the warp";
  stop(finding);
}

static uint32_t wordAt(const unsigned char* at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

Words loadMatrices(int line, unsigned count, bool turned, unsigned offset) {
  constexpr size_t kRow = 16;
  const Place place{reinterpret_cast<uint64_t>(__builtin_return_address(0)), 0};
  const unsigned lane = laneIndex();
  unsigned char row[kRow] = {};
  if (lane < 8 * count) {
    const void* at = sharedPlace(place, offset, kRow);
    if (reinterpret_cast<uintptr_t>(at) % kRow != 0) {
      Finding finding = findingOf(Kind::misaligned, place);
      finding.bytes = kRow;
      finding.detail = "a row of ldmatrix";
      stop(finding);
    }
    access(reinterpret_cast<uintptr_t>(at), kRow, Access::load, place);
    memcpy(row, at, kRow);
  }
  exchange(line, 0xffffffffu, row, kRow);
  Words words = {};
  for (unsigned i = 0; i < count; ++i) {
    if (!turned) {
      words.at[i] = wordAt(ofLane(line, 8 * i + lane / 4) + lane % 4 * 4);
      continue;
    }
    uint16_t elements[2];
    for (unsigned j = 0; j < 2; ++j) memcpy(&elements[j], ofLane(line, 8 * i + lane % 4 * 2 + j) + lane / 4 * 2, 2);
    memcpy(&words.at[i], elements, 4);
  }
  return words;
}

static unsigned bytesOf(Format format) {
  switch (format) {
    case Format::s8:
    case Format::e4m3:
    case Format::e5m2:
      return 1;
    case Format::f16:
    case Format::bf16:
      return 2;
    default:
      return 4;
  }
}

// Returns element `i` of a word; tensor cores truncate f32 to tf32.
static float valueOf(Format format, uint32_t word, unsigned i) {
  const uint16_t half = static_cast<uint16_t>(word >> 16 * (i % 2));
  if (format == Format::f16) return halfValue(half);
  if (format == Format::bf16) return bfloatValue(half);
  const uint8_t byte = static_cast<uint8_t>(word >> 8 * i);
  if (format == Format::e4m3) return e4m3Value(byte);
  if (format == Format::e5m2) return e5m2Value(byte);
  return bits<float>(word & 0xffffe000u);
}

struct Fragments {
  uint32_t a[4], b[2];
};

// Calls `add` for each pair of words in a row of A and a column of B.
template <typename Add> static void along(int line, unsigned words, unsigned row, unsigned column, Add add) {
  for (unsigned w = 0; w < words; ++w) {
    const unsigned char* a = ofLane(line, row % 8 * 4 + w % 4) + offsetof(Fragments, a);
    const unsigned char* b = ofLane(line, column * 4 + w % 4) + offsetof(Fragments, b);
    add(wordAt(a + (row / 8 + w / 4 * 2) * 4), wordAt(b + w / 4 * 4));
  }
}

Words multiplyMatrices(int line, const Product& product, const Words& a, const Words& b, const Words& sum) {
  const Fragments mine = {{a.at[0], a.at[1], a.at[2], a.at[3]}, {b.at[0], b.at[1]}};
  exchange(line, 0xffffffffu, &mine, sizeof mine);
  const unsigned lane = laneIndex(), inWord = 4 / bytesOf(product.factors), words = product.k / inWord;
  const bool isPacked = product.sum == Format::f16;
  Words result = {};
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    if (product.factors == Format::s8) {
      uint32_t total = sum.at[i];
      along(line, words, row, column, [&](uint32_t x, uint32_t y) {
        for (unsigned j = 0; j < 4; ++j)
          total += static_cast<uint32_t>(static_cast<int8_t>(x >> 8 * j) * static_cast<int8_t>(y >> 8 * j));
      });
      result.at[i] = total;
      continue;
    }
    const uint16_t half = static_cast<uint16_t>(sum.at[i / 2] >> 16 * (i % 2));
    float total = isPacked ? halfValue(half) : bits<float>(sum.at[i]);
    // Products are exact in f32; f16 accumulators are rounded once per instruction.
    along(line, words, row, column, [&](uint32_t x, uint32_t y) {
      for (unsigned j = 0; j < inWord; ++j) total += valueOf(product.factors, x, j) * valueOf(product.factors, y, j);
    });
    if (isPacked) result.at[i / 2] |= static_cast<uint32_t>(halfBits(total)) << 16 * (i % 2);
    else result.at[i] = bits<uint32_t>(total);
  }
  return result;
}

}  // namespace on_cpu
