"""Uses exported PyTorch operators: a transformer block whose linear layers call two of them, one
with a bias and an activation, and times beside torch.mm. Called by onGpu.py: useOperators.py WORK KIND RESULT.json"""
import importlib
import json
import os
import statistics
import sys
from pathlib import Path

work, kind, result = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

import torch  # noqa: E402
import torch.nn.functional as functional  # noqa: E402


def operator(name):
    """Imports a package whose extension the tests have compiled."""
    os.environ["TORCH_EXTENSIONS_DIR"] = str(work / "jit" / name)
    sys.path.insert(0, str(work / kind / "pytorch" / name))
    return importlib.import_module(name).gemm


class Block(torch.nn.Module):
    """A transformer block: attention and a feed-forward network, each with a norm. Only the first
    layer of the network has a bias, which `activated` adds before it applies GELU."""

    def __init__(self, width, heads, linear, activated):
        super().__init__()
        self.heads, self.linear, self.activated = heads, linear, activated
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(width) for _ in range(2)])
        shapes = {"qkv": (3 * width, width), "out": (width, width), "up": (4 * width, width), "down": (width, 4 * width)}
        self.weights = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.randn(shape) / shape[1] ** 0.5) for name, shape in shapes.items()})
        self.weights["bias"] = torch.nn.Parameter(torch.randn(4 * width) / 8)

    def apply_linear(self, name, x):
        return self.linear(x.reshape(-1, x.shape[-1]), self.weights[name]).view(*x.shape[:-1], -1)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.apply_linear("qkv", self.norms[0](x))
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in qkv.chunk(3, dim=-1))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.apply_linear("out", mixed.transpose(1, 2).reshape(batch, length, width))
        up = self.activated(self.norms[1](x).reshape(-1, width), self.weights["up"], self.weights["bias"])
        return x + self.apply_linear("down", up.view(batch, length, -1))


def trained(linear, activated, steps, compiled=False):
    """Returns the losses of a few optimizer steps, and the gradients of the first step."""
    torch.manual_seed(0)
    block = Block(1024, 16, linear, activated).to("cuda", torch.bfloat16)
    x = torch.randn(4, 512, 1024, device="cuda", dtype=torch.bfloat16)
    target = torch.randn_like(x)
    forward = torch.compile(block, fullgraph=True) if compiled else block
    optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
    losses, gradients = [], None
    for _ in range(steps):
        loss = functional.mse_loss(forward(x).float(), target.float())
        optimizer.zero_grad()
        loss.backward()
        if gradients is None:
            gradients = {name: weight.grad.float().clone() for name, weight in block.weights.items()}
        optimizer.step()
        losses.append(loss.item())
    return losses, gradients


def separate(x, weight, bias):
    """The operations of PyTorch that the operator with an epilogue replaces."""
    return functional.gelu(functional.linear(x, weight, bias), approximate="tanh")


def transformer(gemm, gemm_bias_gelu):
    def linear(x, weight):
        return gemm(x, weight.t())

    def activated(x, weight, bias):
        return gemm_bias_gelu(x, weight.t(), bias)

    steps = 5
    wanted, gradients = trained(functional.linear, separate, steps)
    losses, ours_gradients = trained(linear, activated, steps)
    compiled, _ = trained(linear, activated, steps, compiled=True)
    errors = {name: float((ours_gradients[name] - grad).norm() / grad.norm()) for name, grad in gradients.items()}
    relative = max(abs(one - other) / other for one, other in zip(losses, wanted))
    relative_compiled = max(abs(one - other) / other for one, other in zip(compiled, wanted))
    # One rounding to bf16 is a relative error of up to 2^-8. Losses are means, in which roundings
    # cancel; a gradient passes through several rounded matrices.
    ok = relative < 2**-8 and relative_compiled < 2**-8 and max(errors.values()) < 2**-5
    return {"losses": losses, "compiledLosses": compiled, "linearLosses": wanted, "gradientErrors": errors, "ok": ok}


def milliseconds(act, launches=20, samples=15):
    """Returns the median time of one launch, with CUDA events around batches of launches."""
    for _ in range(10):
        act()
    times = []
    for _ in range(samples):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(launches):
            act()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / launches)
    return statistics.median(times)


def timed(name, gemm, m, n, k, dtype, transposed, more=()):
    a = torch.randn(m, k, device="cuda", dtype=dtype)
    b = torch.randn(n, k, device="cuda", dtype=dtype).t() if transposed else torch.randn(k, n, device="cuda", dtype=dtype)
    extra = [torch.randn(m, n, device="cuda", dtype=dtype) for _ in more]
    # torch.addmm reads and writes the same matrices as an operator with beta.
    library = (lambda: torch.addmm(extra[0], a, b, beta=0.5, alpha=2.0)) if extra else (lambda: torch.mm(a, b))
    # Alternating rounds, so that both run at the same clocks.
    rounds = [(milliseconds(lambda: gemm(a, b, *extra)), milliseconds(library)) for _ in range(3)]
    ours, theirs = (statistics.median(each) for each in zip(*rounds))
    return {"operator": name, "m": m, "n": n, "k": k, "dtype": str(dtype), "library": "torch.addmm" if extra else "torch.mm", "milliseconds": ours, "libraryMilliseconds": theirs, "ratio": theirs / ours}


def timed_epilogue(name, gemm, m, n, k):
    """Times the operator with an epilogue beside the separate operations, and one fused by Inductor."""
    x, weight = torch.randn(m, k, device="cuda", dtype=torch.bfloat16), torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    bias = torch.randn(n, device="cuda", dtype=torch.bfloat16)
    compiled = torch.compile(separate)
    acts = {
        "milliseconds": lambda: gemm(x, weight.t(), bias),
        "separateMilliseconds": lambda: separate(x, weight, bias),
        "compiledMilliseconds": lambda: compiled(x, weight, bias),
    }
    # Alternating rounds, so that all run at the same clocks.
    rounds = [{what: milliseconds(act) for what, act in acts.items()} for _ in range(3)]
    times = {what: statistics.median(each[what] for each in rounds) for what in acts}
    return {"operator": name, "m": m, "n": n, "k": k, "library": "linear, gelu", **times, "ratio": times["separateMilliseconds"] / times["milliseconds"]}


def main():
    bf16, sizes, f32, f16, bias_gelu = (operator(name) for name in ("linear_bf16", "linear_bf16_sizes", "gemm_f32", "gemm_f16_mma", "linear_bias_gelu_bf16"))
    torch.backends.cuda.matmul.allow_tf32 = False
    times = [
        timed("linear_bf16", bf16, 4096, 4096, 4096, torch.bfloat16, True),
        timed("linear_bf16_sizes", sizes, 4096, 4096, 4096, torch.bfloat16, True),
        timed("linear_bf16_sizes", sizes, 16, 4096, 14336, torch.bfloat16, True),
        timed("linear_bf16_sizes", sizes, 1000, 1016, 1001, torch.bfloat16, True),
        timed("linear_bf16_sizes", sizes, 2048, 4096, 1024, torch.bfloat16, True),
        timed("gemm_f32", f32, 4096, 4096, 4096, torch.float32, False),
        timed("gemm_f16_mma", f16, 4096, 4096, 4096, torch.float16, False, more=("c",)),
        timed_epilogue("linear_bias_gelu_bf16", bias_gelu, 2048, 4096, 1024),
    ]
    block = transformer(bf16, bias_gelu)
    result.write_text(json.dumps({"transformer": block, "times": times}, indent=2) + "\n")
    print(json.dumps(block["losses"]), json.dumps(block["linearLosses"]))
    return 0 if block["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
