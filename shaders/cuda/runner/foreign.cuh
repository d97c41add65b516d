// Kernels of other processes, such as Python callables. The runner decides the order of the turns.
// Its host forwards each turn to the process of the kernel, and returns the answer on standard input.

namespace harness {

// Requests one turn of a contestant. Throws a Failure if it did not succeed.
inline Json takeTurn(size_t contestant, const std::string& fields) {
  printLine("turn", field("contestant", std::to_string(contestant)) + fields);
  std::string line;
  // Standard input ends with the host.
  if (!std::getline(std::cin, line)) std::_Exit(0);
  const Json answer = Json::parse(line);
  if (answer["id"].integer() != requestId()) throw Failure{"constraint", "The answer to a turn has the id of a different request."};
  const Json* failed = answer.find("failed");
  if (failed != nullptr) throw Failure{"launch-error", failed->text()};
  return answer;
}

// Requests batches of launches; returns their time in milliseconds.
inline Turn turnsOf(size_t contestant) {
  return [contestant](long long launches, bool warm) {
    const Json answer = takeTurn(contestant, field("doing", quoted("batch")) + field("launches", std::to_string(launches)) +
                                                 field("warm", warm ? "true" : "false"));
    const double ms = answer["ms"].number();
    if (!(ms > 0) || !std::isfinite(ms)) throw Failure{"launch-error", "The time of a batch is not positive."};
    return ms;
  };
}

// Copies the elements of a file to C of matrix set 0. The file has no padding; its order is the layout of C.
inline void loadResult(const std::string& path, const Buffers& buffers) {
  const Matrix& c = buffers.problem().c;
  const std::vector<char> bytes = readFile(path);
  const long long size = bytesOf(c.type), lines = c.rowMajor ? c.rows : c.columns, length = (c.rowMajor ? c.columns : c.rows) * size;
  if (static_cast<long long>(bytes.size()) != c.batch * lines * length) {
    throw Failure{"constraint", "The result has " + std::to_string(bytes.size()) + " bytes; expected " +
                                    std::to_string(c.batch * lines * length) + "."};
  }
  char* const to = static_cast<char*>(buffers[0].c);
  const char* from = bytes.data();
  for (long long entry = 0; entry < c.batch; ++entry) {
    const long long start = entry * c.batchStride;
    const bool packed = c.ld * size == length;
    for (long long line = 0; line < (packed ? 1 : lines); ++line) {
      const long long count = packed ? lines * length : length;
      check(cudaMemcpy(to + (start + line * c.ld) * size, from, static_cast<size_t>(count), cudaMemcpyHostToDevice),
            "Copying the result to the GPU");
      from += count;
    }
  }
}

}  // namespace harness
