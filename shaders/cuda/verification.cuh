// Verification result: message, error figures and a map of wrong elements of C.

namespace harness {

struct Tile {
  long long m = 0, n = 0;
};

struct Verification {
  bool correct;
  std::string json, message;
  double maxError;
};

// Maximum number of cells per dimension of a map; for larger problems, a cell covers several
// adjacent tiles.
constexpr long long kMapCells = 256;
constexpr long long kMapWithin = 65536;

inline std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) { return at < bytes.size() ? unsigned(bytes[at]) : 0u; };
    const unsigned word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int digit = 0; digit < 4; ++digit) {
      const bool filler = i + static_cast<size_t>(digit) > bytes.size();
      out += filler ? '=' : kDigits[word >> (18 - 6 * digit) & 63];
    }
  }
  return out;
}

// Packs flags (one per byte on the GPU) into bits, the first in the lowest bit of the first byte.
inline std::string bitsOf(const unsigned char* flags, long long count) {
  std::vector<unsigned char> bytes(static_cast<size_t>(count)), bits(static_cast<size_t>((count + 7) / 8));
  check(cudaMemcpy(bytes.data(), flags, bytes.size(), cudaMemcpyDeviceToHost), "Verifying");
  for (size_t i = 0; i < bytes.size(); ++i) bits[i / 8] |= static_cast<unsigned char>((bytes[i] != 0) << (i % 8));
  return quoted(base64(bits));
}

class Verifier {
 public:
  // Compares C of a matrix set with the reference. `tile` is the tile of C per block for the map; 0
  // means 16 x 16. Up to `limit` FMAs, every element is compared; `salt` selects the tiles beyond.
  Verification verify(const Buffers& buffers, Tile tile, cudaStream_t stream, double limit = kFullLimit, long long which = 0,
                      unsigned salt = 0) {
    const Problem& p = buffers.problem();
    const Operands set = buffers[which];
    const unsigned streamC = buffers.stream(2, which);
    const int poison = buffers.poisonByte();
    const Map map = mapFor(p, tile);
    Findings found = {};
    found.first = ~0ull;
    std::fill(found.examples, found.examples + kExamples, ~0ull);
    Findings* device = reinterpret_cast<Findings*>(findings_.take(sizeof found, "Verifying"));
    check(cudaMemcpy(device, &found, sizeof found, cudaMemcpyHostToDevice), "Verifying");
    const long long tileColumns = (p.n + kTile - 1) / kTile;
    const long long tiles = p.batch * ((p.m + kTile - 1) / kTile) * tileColumns;
    const long long every = std::max(1ll, static_cast<long long>(std::ceil(p.flops() / 2 / limit)));
    const unsigned blocks = static_cast<unsigned>((tiles + every - 1) / every);
    scanInput<<<1024, 256, 0, stream>>>(set.a, p.a, device, buffers.stream(0, which));
    scanInput<<<1024, 256, 0, stream>>>(set.b, p.b, device, buffers.stream(1, which));
    if (set.workspace != nullptr) {
      const auto* workspace = static_cast<const unsigned char*>(set.workspace);
      scanGuards<<<static_cast<unsigned>(kGuardBytes / 256), 256, 0, stream>>>(workspace, p.workspaceBytes, device);
    }
    scan<<<1024, 256, 0, stream>>>(set.c, p, device, map, streamC, poison);
    compare<<<blocks, dim3(kTile, kTile), 0, stream>>>(set, p, device, map, streamC, poison, tileColumns, tiles, every, salt);
    check(cudaGetLastError(), "Verifying");
    check(cudaStreamSynchronize(stream), "Verifying");
    check(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost), "Verifying");

    double maxError = 0;
    std::memcpy(&maxError, &found.maxErrorBits, sizeof maxError);
    const unsigned boundBits = static_cast<unsigned>(found.worst);
    float bound = 0;
    std::memcpy(&bound, &boundBits, sizeof bound);
    const unsigned long long mismatches = found.wrong + found.unwritten + found.notFinite + found.outside + found.inputs;
    const double compared = std::floor(double(p.batch) * double(p.m) * double(p.n) / double(every));
    const std::string reference =
        std::string(p.integer() ? "exact integer" : "f64") + " on the GPU, " +
        (every == 1 ? "every element" : "one tile of 16 x 16 in " + std::to_string(every) + ", all scanned");
    std::string json = "{\"reference\":" + quoted(reference) +
                       field("maxError", found.notFinite + found.unwritten > 0 ? "null" : number(maxError)) +
                       field("bound", number(bound)) + field("mismatches", std::to_string(mismatches)) +
                       field("samples", number(std::max(1.0, compared)));
    if (!p.integer() && found.notFinite + found.unwritten == 0 && std::isfinite(found.errorSquares + found.exactSquares)) {
      const auto rms = [&](double squares) { return number(std::sqrt(squares / std::max(1.0, compared))); };
      json += ",\"rms\":{\"error\":" + rms(found.errorSquares) + field("exact", rms(found.exactSquares)) + "}";
    }
    std::string message;
    if (mismatches > 0) {
      const std::vector<Example> examples = examplesOf(found, buffers, device, which);
      message = describe(found, p, examples);
      if (!examples.empty()) json += field("first", elementJson(examples.front(), true));
      json += field("wrong", mapJson(found, map, examples));
    }
    return {mismatches == 0, json + "}", message, maxError};
  }

 private:
  Map mapFor(const Problem& p, Tile tile) {
    if (tile.m <= 0 || tile.n <= 0 || tile.m * tile.n > kMapWithin) tile = {kTile, kTile};
    const long long rows = (p.m + tile.m - 1) / tile.m, columns = (p.n + tile.n - 1) / tile.n;
    const long long fold = (std::max(rows, columns) + kMapCells - 1) / kMapCells;
    Map map = {tile.m, tile.n, fold, (rows + fold - 1) / fold, (columns + fold - 1) / fold, nullptr, nullptr};
    const long long cells = map.rows * map.columns, bytes = cells + tile.m * tile.n;
    map.tiles = reinterpret_cast<unsigned char*>(flags_.take(double(bytes), "Verifying"));
    map.within = map.tiles + cells;
    check(cudaMemset(map.tiles, 0, static_cast<size_t>(bytes)), "Verifying");
    return map;
  }

  // Returns examples of wrong elements in index order: the first wrong element, and a sample spread
  // over C.
  std::vector<Example> examplesOf(const Findings& found, const Buffers& buffers, Findings* device, long long which) {
    std::vector<unsigned long long> indices = {found.first};
    for (const unsigned long long index : found.examples) {
      if (index != found.first) indices.push_back(index);
    }
    std::sort(indices.begin(), indices.end());
    indices.resize(static_cast<size_t>(std::find(indices.begin(), indices.end(), ~0ull) - indices.begin()));
    if (indices.size() > kExamples) indices.resize(kExamples);
    if (indices.empty()) return {};
    Example* out = reinterpret_cast<Example*>(examples_.take(sizeof(Example) * kExamples, "Verifying"));
    check(cudaMemcpy(device->examples, indices.data(), indices.size() * sizeof indices[0], cudaMemcpyHostToDevice), "Verifying");
    explainElements<<<static_cast<unsigned>(indices.size()), 256>>>(buffers[which], buffers.problem(), buffers.stream(2, which),
                                                                    device->examples, out);
    std::vector<Example> examples(indices.size());
    check(cudaMemcpy(examples.data(), out, examples.size() * sizeof(Example), cudaMemcpyDeviceToHost), "Verifying");
    return examples;
  }

  static std::string describe(const Findings& found, const Problem& p, const std::vector<Example>& examples) {
    std::string text;
    const auto add = [&text](unsigned long long count, const char* one, const char* many) {
      if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? one : many);
    };
    add(found.wrong, " wrong element", " wrong elements");
    add(found.unwritten, " element not written", " elements not written");
    add(found.notFinite, " element not finite", " elements not finite");
    add(found.outside, " write outside of the matrices", " writes outside of the matrices");
    add(found.inputs, " element of A or B overwritten", " elements of A and B overwritten");
    if (examples.empty()) return text + ".";
    const Example& first = examples.front();
    const std::string which = p.batch == 1 ? "" : " of batch entry " + std::to_string(first.product);
    const std::string place = "C[" + std::to_string(first.row) + "][" + std::to_string(first.column) + "]" + which;
    const std::string actual = std::isnan(first.actual)   ? "NaN"
                               : std::isinf(first.actual) ? (first.actual > 0 ? "infinity" : "-infinity")
                                                          : number(first.actual);
    return text + "; the first is " + place + " = " + actual + ", expected " + number(first.expected.value) + ".";
  }

  static std::string elementJson(const Example& element, bool withBound) {
    return "{\"product\":" + std::to_string(element.product) + field("row", std::to_string(element.row)) +
           field("column", std::to_string(element.column)) +
           (withBound ? field("bound", number(element.expected.bound)) : "") + field("actual", number(element.actual)) +
           field("expected", number(element.expected.value)) + "}";
  }

  static std::string mapJson(const Findings& found, const Map& map, const std::vector<Example>& examples) {
    const auto size = [](long long rows, long long columns) {
      return "\"rows\":" + std::to_string(rows) + ",\"columns\":" + std::to_string(columns);
    };
    std::string list;
    for (const Example& example : examples) list += (list.empty() ? "" : ",") + elementJson(example, false);
    return "{\"tile\":{\"m\":" + std::to_string(map.tileM) + ",\"n\":" + std::to_string(map.tileN) +
           "},\"tiles\":{" + size(map.rows, map.columns) + field("bits", bitsOf(map.tiles, map.rows * map.columns)) +
           "},\"fold\":" + std::to_string(map.fold) + ",\"within\":{" + size(map.tileM, map.tileN) +
           field("bits", bitsOf(map.within, map.tileM * map.tileN)) + "},\"kinds\":{\"wrong\":" +
           std::to_string(found.wrong) + field("unwritten", std::to_string(found.unwritten)) +
           field("notFinite", std::to_string(found.notFinite)) + field("outside", std::to_string(found.outside)) +
           field("inputs", std::to_string(found.inputs)) + "},\"examples\":[" + list + "]}";
  }

  Memory findings_, flags_, examples_;
};

}  // namespace harness
