"""Launches a GEMM of a Python file, for GEMM Explorer.

Requests and answers are JSON lines. The first request names the file and the problem. The others
request the result of one call or the time of a batch of calls. Requires only PyTorch.
"""

import ast
import ctypes
import dis
import importlib
import json
import linecache
import os
import sys
import traceback
import types

# Python puts the current folder first; its modules must not replace installed modules.
sys.path[:] = [folder for folder in sys.path if folder not in ("", os.getcwd())]
# Answers have a channel of their own: everything that the file prints goes to standard error.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
os.dup2(2, 1)

OLDEST_TORCH = (2, 0)
GUARD_BYTES = 4096
GUARD = 0xA5
# Shorter calls are launched as a CUDA graph, as kernels of the runner are.
GRAPH_BELOW_MS = 0.05
GRAPH_CALLS = 1000
DTYPES = {
    "f64": "float64", "f32": "float32", "tf32": "float32", "f16": "float16", "bf16": "bfloat16",
    "s8": "int8", "s32": "int32", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2",
}
MODULE = "gemm_explorer_file"


class Failure(Exception):
    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome


def require_torch():
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError as error:
        raise missing(error.name) from error
    except Exception as error:
        raise Failure("unavailable", f"PyTorch of {sys.executable} cannot be imported: {said(error)}. Fix: repair the installation, or choose a different interpreter.")
    version = str(torch.__version__)
    numbers = tuple(int(part) for part in version.split("+")[0].split(".")[:2] if part.isdigit())
    if numbers < OLDEST_TORCH:
        raise Failure("unavailable", f"PyTorch {version} of {sys.executable} is too old. Fix: install PyTorch 2.0 or newer, or choose a different interpreter.")
    if not torch.cuda.is_available():
        raise Failure("unavailable", f"PyTorch {version} of {sys.executable} finds no CUDA GPU. Fix: install a build of PyTorch with CUDA, or choose a different interpreter.")
    return torch


def missing(name):
    root = (name or "a module").split(".")[0]
    return Failure("unavailable", f"{sys.executable} has no module {root}. Fix: install {root} for this interpreter, or choose a different interpreter.")


def said(error):
    """Returns the error and its innermost line in the file."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE[0]]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


FILE = [""]


def bound_names(statement):
    """Returns the global names that a statement binds or whose objects it changes."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            while isinstance(node, (ast.Attribute, ast.Subscript)):
                node = node.value
            if isinstance(node, ast.Name):
                found.add(node.id)
    return found


def read_names(code):
    """Returns the global names that a code object and its functions read."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= read_names(constant)
    return found


def needed(statements, name):
    """Returns the statements of a file that the definition of `name` depends on, in order."""
    parts = []
    for statement in statements:
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        binds = set() if isinstance(statement, ast.Expr) else bound_names(statement)
        reads = set() if is_future else read_names(compile(ast.Module([statement], []), FILE[0], "exec"))
        parts.append((statement, binds, reads, is_future or "*" in binds))
    wanted, kept = {name}, set()
    grows = True
    while grows:
        grows = False
        for index, (_, binds, reads, always) in enumerate(parts):
            if index not in kept and (always or binds & wanted):
                kept.add(index)
                wanted |= reads
                grows = True
    return [statement for index, (statement, *_) in enumerate(parts) if index in kept]


def load(request):
    """Executes the file, or only what the callable depends on, and returns the callable."""
    path, source, name = request["path"], request["source"], request["callable"]
    FILE[0] = path
    # Triton reads the source of its kernels; the file may have changed on disk.
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    module = types.ModuleType(MODULE)
    module.__file__ = path
    sys.modules[MODULE] = module
    sys.path.insert(0, os.path.dirname(path))
    sys.argv = [path]
    try:
        tree = ast.parse(source, path)
        if request["execute"] != "all":
            tree.body = needed(tree.body, name)
        exec(compile(tree, path, "exec", dont_inherit=True), module.__dict__)
    except ModuleNotFoundError as error:
        raise missing(error.name) from error
    except Exception as error:
        raise Failure("compile-error", said(error)) from error
    found = getattr(module, name, None)
    if not callable(found):
        raise Failure("compile-error", f"The file defines no function {name}. Fix: name the function with \"callable\" in the annotation.")
    return found


def pcg_hash(torch, value):
    """Computes the hash of shaders/cuda/matrices.cuh for a tensor of 32-bit numbers in int64."""
    mask = 0xFFFFFFFF
    state = (value * 747796405 + 2891336453) & mask
    word = ((torch.bitwise_right_shift(state, (state >> 28) + 4) ^ state) * 277803737) & mask
    return (word >> 22) ^ word


class Matrix:
    """Guarded copies of one matrix in GPU memory, with strided views of its elements."""

    def __init__(self, torch, device, given, shape, copies):
        self.torch, self.given, self.copies = torch, given, copies
        self.dtype = getattr(torch, DTYPES[given["dtype"]], None)
        if self.dtype is None:
            raise Failure("unavailable", f"PyTorch {torch.__version__} has no {DTYPES[given['dtype']]}. Fix: install a newer PyTorch.")
        batch, rows, columns = shape
        strides = (given["ld"], 1) if given["layout"] == "row" else (1, given["ld"])
        matrix = (rows - 1) * strides[0] + (columns - 1) * strides[1] + 1
        self.span = (batch - 1) * given["batchStride"] + matrix
        self.bytes = torch.empty(0, dtype=self.dtype).element_size() * self.span
        self.stride = -(-self.bytes // 512) * 512 + GUARD_BYTES
        self.memory = torch.full((self.stride * copies + GUARD_BYTES,), GUARD, dtype=torch.uint8, device=device)
        self.flat = [self.memory[self.at(i):self.at(i) + self.bytes].view(self.dtype) for i in range(copies)]
        shaped = ((batch, rows, columns), (given["batchStride"],) + strides) if batch > 1 else ((rows, columns), strides)
        self.views = [flat.as_strided(*shaped, flat.storage_offset()) for flat in self.flat]

    def at(self, copy):
        return copy * self.stride + GUARD_BYTES

    def inputs(self):
        torch, bits = self.torch, self.given["bits"]
        index = torch.arange(self.span, dtype=torch.int64, device=self.memory.device)
        number = pcg_hash(torch, (index & 0xFFFFFFFF) ^ self.given["stream"])
        if bits == 0:
            return (number % 17 - 8).to(self.dtype)
        return ((number >> (32 - bits)).to(torch.float64) * 2.0 ** (1 - bits) - 1.0).to(self.dtype)

    def fill(self):
        values = self.inputs()
        for flat in self.flat:
            flat.copy_(values)

    def poison(self):
        for i in range(self.copies):
            self.memory[self.at(i):self.at(i) + self.bytes].fill_(0xFF)

    def changed(self):
        """Returns whether the first copy differs from the inputs, bit by bit."""
        raw = self.inputs().view(self.torch.uint8)
        return not self.torch.equal(self.flat[0].view(self.torch.uint8), raw)

    def outside(self):
        """Returns the number of guard bytes that were overwritten."""
        ends = [0] + [self.at(i) + self.bytes for i in range(self.copies)]
        starts = [self.at(i) for i in range(self.copies)] + [self.stride * self.copies + GUARD_BYTES]
        return sum(int((self.memory[end:start] != GUARD).sum().item()) for end, start in zip(ends, starts))


class Kernel:
    def __init__(self, request):
        self.torch = require_torch()
        self.device = self.torch.device("cuda", request["gpu"])
        self.torch.cuda.set_device(self.device)
        self.function = load(request)
        self.problem, self.roles, self.name = request["problem"], request["args"], request["callable"]
        self.matrices, self.sets, self.calls, self.graph, self.kept = None, 0, 0, None, []
        self.each_ms, self.graph_note = None, None

    def about(self):
        triton = sys.modules.get("triton")
        return {
            "python": ".".join(str(part) for part in sys.version_info[:3]),
            "torch": str(self.torch.__version__),
            "triton": str(triton.__version__) if triton is not None else None,
        }

    def allocate(self, sets):
        p = self.problem
        batch, m, n, k = p["batch"], p["m"], p["n"], p["k"]
        # Frees the memory of an earlier result first.
        self.matrices, self.graph, self.kept = None, None, []
        shapes = {"a": (batch, m, k), "b": (batch, k, n), "c": (batch, m, n)}
        names = ["a", "b", "c"] if "c" in self.roles else ["a", "b"]
        self.matrices = {name: Matrix(self.torch, self.device, p[name], shapes[name], sets) for name in names}
        self.sets, self.kept = sets, [None] * sets
        for name in ("a", "b"):
            self.matrices[name].fill()
        self.reset()

    def reset(self):
        """Resets C to its input if the problem reads it, otherwise to NaN."""
        c = self.matrices.get("c")
        if c is None:
            return
        if self.problem["beta"] != 0:
            c.fill()
        else:
            c.poison()

    def argument(self, role, index):
        return self.matrices[role].views[index] if role in ("a", "b", "c") else self.problem[role]

    def call(self):
        index = self.calls % self.sets
        self.calls += 1
        found = self.function(*[self.argument(role, index) for role in self.roles])
        # As many results as matrix sets stay alive, so that C rotates through the caches as well.
        self.kept[index] = found
        return self.matrices["c"].views[index] if found is None and "c" in self.roles else found

    def result(self, sets, file):
        self.allocate(sets)
        # The first call may compile and autotune, which launches the kernel several times.
        self.call()
        self.reset()
        self.calls = 0
        c = self.call()
        self.torch.cuda.synchronize()
        self.check(c)
        if self.problem["c"]["layout"] == "col":
            c = c.transpose(-1, -2)
        c = c.detach().contiguous().cpu()
        with open(file, "wb") as out:
            out.write((ctypes.c_char * (c.numel() * c.element_size())).from_address(c.data_ptr()))
        outside = sum(matrix.outside() for matrix in self.matrices.values())
        if outside > 0:
            raise Failure("incorrect", f"{outside} bytes outside of the matrices were overwritten.")
        for name in ("a", "b"):
            if self.matrices[name].changed():
                raise Failure("incorrect", f"Elements of {name.upper()} were overwritten.")

    def check(self, c):
        torch, p = self.torch, self.problem
        if not isinstance(c, torch.Tensor):
            raise Failure("incorrect", f"{self.name} returned {type(c).__name__}; expected a tensor. Fix: return C, or list \"c\" in \"args\" of the annotation.")
        shape = (p["batch"], p["m"], p["n"]) if p["batch"] > 1 else (p["m"], p["n"])
        dtype = getattr(torch, DTYPES[p["c"]["dtype"]])
        for what, actual, expected in (("shape", tuple(c.shape), shape), ("type", c.dtype, dtype), ("device", c.device, self.device)):
            if actual != expected:
                raise Failure("incorrect", f"{self.name} returned a tensor of {what} {actual}; expected {expected}.")

    def capture(self, calls):
        """Captures the calls in a CUDA graph, if the function permits it."""
        torch = self.torch
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                for _ in range(calls):
                    self.call()
        except Exception as error:
            torch.cuda.synchronize()
            self.graph_note = f"{self.name} cannot be captured in a CUDA graph, so its times include the overhead of Python: {said(error)}"
            return
        self.graph = (graph, calls)

    def launch(self, calls):
        """Launches at least `calls` calls and returns their number."""
        if self.graph is None:
            for _ in range(calls):
                self.call()
            return calls
        graph, each = self.graph
        for _ in range(-(-calls // each)):
            graph.replay()
        return -(-calls // each) * each

    def batch(self, calls, warm):
        torch = self.torch
        is_short = self.each_ms is not None and self.each_ms < GRAPH_BELOW_MS
        if warm and is_short and self.graph is None and self.graph_note is None:
            self.capture(max(min(calls, GRAPH_CALLS), self.sets))
        if self.problem["beta"] != 0:
            self.reset()
        if warm:
            self.launch((calls + 1) // 2)
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        launched = self.launch(calls)
        stop.record()
        stop.synchronize()
        # Work on other streams must end before the next kernel is timed.
        torch.cuda.synchronize()
        self.each_ms = start.elapsed_time(stop) / launched
        return {"ms": self.each_ms * calls, "graph": self.graph is not None, "note": self.graph_note}


def answer(request, state):
    doing = request["do"]
    if doing == "open":
        state["kernel"] = Kernel(request)
        return state["kernel"].about()
    kernel = state["kernel"]
    if doing == "result":
        kernel.result(request["sets"], request["file"])
        return {}
    return kernel.batch(request["launches"], request["warm"])


def main():
    state = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            said_back = {"ok": True, **answer(request, state)}
        except Failure as failure:
            said_back = {"ok": False, "outcome": failure.outcome, "message": str(failure)}
        except BaseException as error:
            memory = type(error).__name__ == "OutOfMemoryError"
            fix = " Fix: choose smaller matrices, or free GPU memory." if memory else ""
            said_back = {"ok": False, "outcome": "constraint" if memory else "launch-error", "message": said(error) + fix}
        ANSWERS.write(json.dumps({"id": request["id"], **said_back}) + "\n")
        ANSWERS.flush()
        if isinstance(said_back.get("outcome"), str):
            break
    # Handlers of the file that run at the exit must not delay the end.
    ANSWERS.close()
    os._exit(0)


main()
