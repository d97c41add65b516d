"""Times torch.mm beside GEMM Explorer, with Triton's own do_bench (which empties L2 before each launch): the independent
harness. f32 without TF32, uniform random data in [-1, 1). One JSON line a size on standard output; needs torch (Triton
comes with it). Usage: python3 torchMm.py 1024 2048 ..."""

import json
import sys

import torch


def times_ms(size):
    a = torch.rand((size, size), device="cuda", dtype=torch.float32) * 2 - 1
    b = torch.rand((size, size), device="cuda", dtype=torch.float32) * 2 - 1
    c = torch.empty((size, size), device="cuda", dtype=torch.float32)

    def once():
        torch.mm(a, b, out=c)

    try:
        from triton.testing import do_bench

        quantiles = do_bench(once, warmup=300, rep=800, quantiles=[0.25, 0.5, 0.75])
        return "triton.testing.do_bench", quantiles
    except ImportError:
        flush = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")
        for _ in range(20):
            once()
        measured = []
        for _ in range(100):
            flush.zero_()
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            begin.record()
            once()
            end.record()
            torch.cuda.synchronize()
            measured.append(begin.elapsed_time(end))
        measured.sort()
        count = len(measured)
        return "torch.cuda.Event, L2 flushed", [measured[count * i // 4] for i in (1, 2, 3)]


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    for size in map(int, sys.argv[1:]):
        harness, (low, median, high) = times_ms(size)
        row = {
            "size": size,
            "harness": harness,
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "device": torch.cuda.get_device_name(),
            "medianMs": median,
            "iqrMs": high - low,
            "gflops": 2 * size**3 / (median * 1e6),
        }
        print(json.dumps(row), flush=True)


main()
