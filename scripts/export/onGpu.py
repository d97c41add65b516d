"""Builds and tests the exports of a folder in parallel, then times them. See onGpu.sh."""
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIMIT_S = 300
TAIL = 20000

exports, results = (Path(argument).resolve() for argument in sys.argv[1:3])
here = Path(__file__).resolve().parent
work = Path(tempfile.mkdtemp(prefix="exports-"))


def run(command, **options):
    """Runs a command and returns its outcome; `ok` is false if it fails or takes too long."""
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            **options,
        )
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        output = error.stdout or ""
        code, output = None, output.decode() if isinstance(output, bytes) else output
    except OSError as error:
        code, output = None, str(error)
    return {
        "command": " ".join(str(part) for part in command),
        "ok": code == 0,
        "code": code,
        "seconds": round(time.monotonic() - begin, 1),
        "output": output[-TAIL:],
    }


def steps(*commands, **options):
    """Runs commands until one fails. The outcome has the output of each."""
    outcomes = []
    for command in commands:
        outcomes.append(run(command, **options))
        if not outcomes[-1]["ok"]:
            break
    return {"ok": len(outcomes) == len(commands) and outcomes[-1]["ok"], "steps": outcomes}


def copied(kind, name):
    """Returns a writable copy of an export, so that the exports stay unchanged."""
    target = work / kind / name
    shutil.copytree(exports / name, target)
    return target


def test_names(outcome):
    """Adds the result of each unittest."""
    output = outcome["steps"][-1]["output"]
    found = re.findall(r"^(test_\w+) .*?\.\.\. (\w+)", output, re.MULTILINE | re.DOTALL)
    return {**outcome, "tests": {name: result for name, result in found}}


has_ninja = shutil.which("ninja") is not None
UNITTEST = [sys.executable, "-m", "unittest", "discover", "-s", "tests", "-v"]


def pytorch(folder, ahead):
    """Tests a PyTorch export, compiled ahead of time or just in time."""
    kind = "ahead-of-time" if ahead else "just-in-time"
    project = copied(kind, folder.relative_to(exports))
    environment = {**os.environ, "PYTHONPATH": str(project), "TORCH_EXTENSIONS_DIR": str(work / "jit" / folder.name), "MAX_JOBS": "4"}
    build = [[sys.executable, "setup.py", "build_ext", "--inplace"]] if ahead else []
    outcome = steps(*build, UNITTEST, cwd=project, env=environment)
    return {"name": folder.name, "kind": kind, **test_names(outcome)}


def cpp(folder):
    """Builds and tests a C++ export with CMake, or with nvcc alone if there is no CMake."""
    project = copied("cpp", folder.relative_to(exports))
    if shutil.which("cmake") is not None:
        generator = ["-G", "Ninja"] if has_ninja else []
        outcome = steps(
            ["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", *generator],
            ["cmake", "--build", "build", "-j", "4"],
            ["ctest", "--test-dir", "build", "--verbose"],
            [f"build/{folder.name}_example"],
            cwd=project,
        )
        return {"name": folder.name, "build": "cmake", **outcome}
    sources = f"src/{folder.name}.cu"
    text = (project / "CMakeLists.txt").read_text()
    architecture = re.search(r'_ARCHITECTURES "(\w+)', text).group(1)
    nvcc = ["nvcc", "-O3", "-std=c++17", f"-gencode=arch=compute_{architecture},code=sm_{architecture}", "-Iinclude", sources]
    outcome = steps([*nvcc, "test/test.cu", "-o", "test.out"], ["./test.out"], [*nvcc, "example/example.cu", "-o", "example.out"], ["./example.out"], cwd=project)
    return {"name": folder.name, "build": "nvcc, because cmake was not found", **outcome}


def cupy(folder):
    if importlib.util.find_spec("cupy") is None:
        return {"name": folder.name, "ok": None, "why": "CuPy is not installed"}
    return {"name": folder.name, **steps([sys.executable, folder / f"{folder.name}.py"])}


def folders(target):
    return sorted(path for path in (exports / target).glob("*") if path.is_dir())


def version(command):
    outcome = run(command)
    return outcome["output"].strip().splitlines()[-1] if outcome["ok"] and outcome["output"].strip() else None


def main():
    begin = time.monotonic()
    results.mkdir(parents=True, exist_ok=True)
    record = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {
            "gpu": version(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]),
            "nvcc": version(["nvcc", "--version"]),
            "cmake": version(["cmake", "--version"]) and run(["cmake", "--version"])["output"].splitlines()[0],
            "ninja": has_ninja,
            "python": platform.python_version(),
            "torch": version([sys.executable, "-c", "import torch; print(torch.__version__, torch.version.cuda)"]),
        },
    }
    packages = folders("pytorch")
    # One package is also built ahead of time. Without ninja, PyTorch only builds ahead of time.
    ahead = packages if not has_ninja else [folder for folder in packages if folder.name == "gemm_f16_mma"]
    with ThreadPoolExecutor(8) as pool:
        jobs = {
            "pytorch": [pool.submit(pytorch, folder, False) for folder in packages if has_ninja]
            + [pool.submit(pytorch, folder, True) for folder in ahead],
            "cpp": [pool.submit(cpp, folder) for folder in folders("cpp")],
            "cupy": [pool.submit(cupy, folder) for folder in folders("cupy")],
        }
        for target, futures in jobs.items():
            record[target] = [future.result() for future in futures]
            (results / "exports.json").write_text(json.dumps(record, indent=2) + "\n")
    # Timing runs alone on the GPU, and uses the extensions that the tests compiled.
    kind = "just-in-time" if has_ninja else "ahead-of-time"
    record["use"] = steps([sys.executable, here / "useOperators.py", work, kind, results / "use.json"])
    if record["use"]["ok"]:
        record["use"]["result"] = json.loads((results / "use.json").read_text())
    record["seconds"] = round(time.monotonic() - begin, 1)
    (results / "exports.json").write_text(json.dumps(record, indent=2) + "\n")
    shutil.rmtree(work, ignore_errors=True)
    failed = [f"{target} {each['name']}" for target in ("pytorch", "cpp", "cupy") for each in record[target] if each["ok"] is False]
    failed += [] if record["use"]["ok"] else ["use in a transformer block"]
    print(f"{results / 'exports.json'}: {record['seconds']} s, failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
