"""Times torch.mm with PyTorch's own torch.utils.benchmark, beside GEMM Explorer: f32 without TF32, uniform random data in
[-1, 1), once on one set of matrices and once rotating through as many as pass three times the L2 cache, as our runs do.
One JSON line a size on standard output; needs torch. Usage: python3 torchBenchmark.py 1024 2048 ..."""

import json
import sys

import torch
from torch.utils.benchmark import Timer

torch.backends.cuda.matmul.allow_tf32 = False
L2_BYTES = torch.cuda.get_device_properties(0).L2_cache_size

for size in map(int, sys.argv[1:]):
    count = max(2, 3 * L2_BYTES // (3 * 4 * size * size) + 1)

    def matrix():
        return torch.rand((size, size), device="cuda", dtype=torch.float32) * 2 - 1

    sets = [(matrix(), matrix(), matrix()) for _ in range(count)]
    a, b, c = sets[0]
    one = Timer("torch.mm(a, b, out=c)", globals={"torch": torch, "a": a, "b": b, "c": c})
    all_sets = Timer("for a, b, c in sets: torch.mm(a, b, out=c)", globals={"torch": torch, "sets": sets})
    line = {
        "size": size,
        "tool": "torch.utils.benchmark",
        "oneSetMs": one.blocked_autorange(min_run_time=0.6).median * 1e3,
        "rotatingMs": all_sets.blocked_autorange(min_run_time=0.8).median * 1e3 / count,
        "sets": count,
    }
    print(json.dumps(line), flush=True)
