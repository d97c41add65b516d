// Decodes requests to run a kernel.

namespace harness {

constexpr const char* kTypeNames[] = {"f64", "f32", "f16", "bf16", "s8", "s32", "tf32", "e4m3", "e5m2"};

inline Type typeOf(const std::string& name) {
  for (size_t i = 0; i < std::size(kTypeNames); ++i) {
    if (name == kTypeNames[i]) return static_cast<Type>(i);
  }
  throw Failure{"constraint", "This runner does not support matrices of " + name + "."};
}

inline Matrix matrixOf(const Json& given, const Json& inputBits) {
  return operand(typeOf(given["dtype"].text()), given["layout"].text() == "row", given["ld"].integer(),
                 given["batchStride"].integer(), static_cast<int>(inputBits.integer()));
}

constexpr const char* kEpilogueNames[] = {"bias", "relu", "gelu", "gelu-tanh", "silu", "scale", "residual", "gate"};

inline EpilogueOp epilogueOpOf(const std::string& name) {
  for (size_t i = 0; i < std::size(kEpilogueNames); ++i) {
    if (name == kEpilogueNames[i]) return static_cast<EpilogueOp>(i);
  }
  throw Failure{"constraint", "This runner does not support the epilogue operation " + name + "."};
}

inline void readEpilogue(const Json& request, Problem& problem) {
  const Json* given = request.find("epilogue");
  if (given == nullptr) return;
  Epilogue& epilogue = problem.epilogue;
  epilogue.unit = (*given)["unit"].number();
  for (const Json& step : (*given)["steps"].items()) {
    if (epilogue.count == kEpilogueOps) throw Failure{"constraint", "An epilogue has at most 8 operations."};
    const EpilogueOp op = epilogueOpOf(step["op"].text());
    const Json* matrix = step.find("operand");
    if (matrix == nullptr) {
      addActivation(epilogue, op, step["error"].number());
      continue;
    }
    const Matrix operand = matrixOf(*matrix, (*matrix)["inputBits"]);
    const long long rows = (*matrix)["rows"].integer(), columns = (*matrix)["columns"].integer();
    if (op == EpilogueOp::gate) addGate(epilogue, epilogueOpOf(step["act"].text()), step["error"].number(), operand, rows, columns, problem.batch);
    else addOperand(epilogue, op, operand, rows, columns, problem.batch);
  }
}

inline Problem problemOf(const Json& request) {
  const Json &p = request["problem"], &bits = request["inputBits"], &bound = request["bound"];
  Problem problem = problemOf(p["m"].integer(), p["n"].integer(), p["k"].integer(), p["batch"].integer(),
                              matrixOf(p["a"], bits["a"]), matrixOf(p["b"], bits["b"]), matrixOf(p["c"], bits["c"]));
  problem.accumulator = typeOf(p["accumulator"].text());
  problem.alpha = p["alpha"].number();
  problem.beta = p["beta"].number();
  problem.bound = {bound["gamma"].number(),         bound["outputRoundoff"].number(), bound["smallestSum"].number(),
                   bound["smallestStored"].number(), bound["overflowSum"].number(),    bound["overflowStored"].number(),
                   bound["mayOverflow"].boolean()};
  problem.workspaceBytes = request["workspaceBytes"].integer();
  readEpilogue(request, problem);
  return problem;
}

inline void threeOf(const Json& list, unsigned (&out)[3]) {
  if (list.items().size() != 3) throw Failure{"constraint", "Expected three extents for a grid or a block."};
  for (size_t i = 0; i < 3; ++i) out[i] = static_cast<unsigned>(list.items()[i].integer());
}

// Returns the tensor maps of one launch.
inline std::vector<TensorMapRequest> tensorMapsOf(const Json& launch, const Problem& problem) {
  std::vector<TensorMapRequest> maps;
  const Json* given = launch.find("tensorMaps");
  if (given == nullptr) return maps;
  const Matrix* const gate = problem.epilogue.isGated() ? &problem.epilogue.gate() : nullptr;
  const Matrix* const matrices[] = {&problem.a, &problem.b, &problem.c, gate};
  const char* const names[] = {"a", "b", "c", "gate"};
  for (int operand = 0; operand < 4; ++operand) {
    const Json* map = given->find(names[operand]);
    if (map == nullptr) continue;
    if (matrices[operand] == nullptr) throw Failure{"constraint", "A tensor map of the second B requires a gate."};
    const std::vector<Json>& box = (*map)["box"].items();
    if (box.size() != 2) throw Failure{"constraint", "Expected two extents for the box of a tensor map."};
    Matrix matrix = *matrices[operand];
    const Json* offset = map->find("workspaceOffset");
    TensorMapShape shape = {box[0].integer(), box[1].integer(), static_cast<int>((*map)["swizzleBytes"].integer()), -1};
    if (offset != nullptr) {
      shape.workspaceOffset = offset->integer();
      const Json *dtype = map->find("dtype"), *terms = map->find("terms");
      const Copy copy = {dtype == nullptr ? matrix.type : typeOf(dtype->text()), terms == nullptr ? 1 : terms->integer(),
                         map->find("transposed") != nullptr};
      const bool several = matrix.batch * copy.terms > 1;
      matrix = repackedCopy(matrix, (*map)["ld"].integer(), several ? (*map)["batchStride"].integer() : 0, copy);
      if (shape.workspaceOffset < 0 || shape.workspaceOffset + matrix.bytes() > problem.workspaceBytes) {
        throw Failure{"constraint", std::string("Matrix ") + names[operand] + " exceeds the workspace."};
      }
    }
    maps.push_back({operand, matrix, shape});
  }
  if (const Json* map = given->find("residual")) {
    const std::string name = (*map)["operand"].text();
    const std::vector<Json>& box = (*map)["box"].items();
    if (box.size() != 2) throw Failure{"constraint", "Expected two extents for the box of a tensor map."};
    for (int i = 0; i < problem.epilogue.operands; ++i) {
      if (name != "epilogue" + std::to_string(i)) continue;
      maps.push_back({kResidualMap + i, problem.epilogue.matrices[i],
                      {box[0].integer(), box[1].integer(), static_cast<int>((*map)["swizzleBytes"].integer()), -1}});
    }
  }
  return maps;
}

inline std::vector<KernelLaunch> launchesOf(const Json& request, const Problem& problem) {
  std::vector<KernelLaunch> launches;
  for (const Json& each : request["launches"].items()) {
    KernelLaunch launch;
    launch.symbol = each["symbol"].text();
    threeOf(each["grid"], launch.grid);
    threeOf(each["block"], launch.block);
    launch.dynamicSharedBytes = static_cast<unsigned>(each["dynamicSharedBytes"].integer());
    for (const Json& argument : each["arguments"].items()) launch.arguments.push_back(argument.text());
    launch.tensorMaps = tensorMapsOf(each, problem);
    launch.programmatic = each.find("programmatic") != nullptr;
    launches.push_back(launch);
  }
  if (launches.empty()) throw Failure{"constraint", "The request has no kernel to launch."};
  return launches;
}

inline Tile tileOf(const Json& request) {
  const Json* tile = request.find("tile");
  return tile == nullptr ? Tile{} : Tile{(*tile)["m"].integer(), (*tile)["n"].integer()};
}

inline TimingOptions timingOf(const Json& request) {
  TimingOptions options;
  const Json* given = request.find("timing");
  if (given == nullptr) return options;
  options.warmUpMs = given->numberOr("warmUpMs", options.warmUpMs);
  options.settleMs = given->numberOr("settleMs", options.settleMs);
  options.batchMs = given->numberOr("batchMs", options.batchMs);
  options.budgetMs = given->numberOr("budgetMs", options.budgetMs);
  options.energyMs = given->numberOr("energyMs", options.energyMs);
  options.samples = static_cast<int>(given->numberOr("samples", options.samples));
  return options;
}

inline std::vector<char> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.empty()) throw Failure{"unavailable", "'" + path + "' cannot be read."};
  return bytes;
}

}  // namespace harness
