/**
 * Kernels of different origins in one benchmark: with the real runner on the CPU shim, and a
 * stand-in for PyTorch.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import type { Runnable } from '../../../src/core/kernel/kernel';
import { measurementSchema, type Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { readPythonFile } from '../../../src/core/source/pythonFile';
import { runTogether, type TogetherRequest } from '../../../src/host/cuda/together';
import type { PythonLimits } from '../../../src/host/python/session';
import { fakePython, standInPython } from '../python/interpreters';
import { leftOf } from '../support';
import { onWholeMachine } from './wholeMachine';

const RIGHT = 'def gemm(a, b):\n    return a @ b\n';

describe('kernels timed together, on the CPU shim (needs g++ and python3 on Linux)', function () {
  this.timeout(120_000);
  let folder: string;
  let nvcc: string;
  let python: string;
  onWholeMachine((...made) => {
    [folder, nvcc] = made;
  });
  before(function () {
    const found = standInPython(folder);
    if (found === undefined) return this.skip();
    python = found;
  });

  const spec = resolve({
    problem: { m: 33, n: 25, k: 21 },
    schedule: { algorithm: 'shared-tile', block: { m: 8, n: 8, k: 8 } },
    targets: ['cuda'],
  });
  const own = (): Runnable => {
    const planned = plan(spec, 'cuda');
    assert.ok(planned.ok);
    return emit(planned.plan);
  };
  const theirs = (source: string, problem = spec.problem): Runnable => {
    const file = path.join(folder, 'theirs.py');
    writeFileSync(file, source);
    const read = readPythonFile(source, { fileName: 'theirs.py', path: file, problem });
    assert.ok(read.ok);
    return read.runnable;
  };
  const together = async (
    runnables: readonly Runnable[],
    {
      interpreter = python,
      limits,
      ...more
    }: Partial<TogetherRequest> & {
      readonly interpreter?: string;
      readonly limits?: PythonLimits;
    } = {},
  ): Promise<readonly Measurement[]> => {
    const measurements = await runTogether(
      { runnables, mode: 'time', seed: 7, effort: 'quick', ...more },
      {
        search: { setting: nvcc, environment: { PATH: path.dirname(nvcc) } },
        where: 'cli',
        cacheFolder: path.join(folder, 'cache', 'build'),
        ceilings: false,
        python: interpreter,
        ...(limits === undefined ? {} : { pythonLimits: limits }),
      },
      { abort: new AbortController().signal, progress: () => undefined },
    );
    for (const measurement of measurements)
      assert.ok(v.is(measurementSchema, measurement), JSON.stringify(measurement));
    return measurements;
  };
  const alone = async (source: string, problem = spec.problem): Promise<Measurement> => {
    const [found] = await together([theirs(source, problem)], { mode: 'verify' });
    assert.ok(found !== undefined);
    return found;
  };

  it('verifies and times a generated kernel and a Python function in turns', async () => {
    const [ours, other] = await together([own(), theirs(`print("loaded")\n${RIGHT}`)]);
    assert.deepEqual([ours?.outcome, other?.outcome], ['correct', 'correct']);
    assert.deepEqual(
      [ours?.timing?.samples, other?.timing?.samples],
      [ours?.timing?.samples, ours?.timing?.samples],
    );
    assert.ok((other?.timing?.medianMs ?? 0) > 0);
    assert.equal(other?.verification.samples, 33 * 25);
    assert.deepEqual([ours?.specKey === other.specKey, other.specKey], [false, 'theirs']);
  });

  it('gives the function the inputs of every backend, in each layout, batch and stride', async () => {
    const { problem } = resolve({
      problem: {
        m: 9,
        n: 7,
        k: 5,
        batch: 3,
        a: { layout: 'col', ld: 11, batchStride: 60 },
        b: { ld: 8 },
        c: { layout: 'col', ld: 10 },
      },
    });
    const source = `
import torch
def gemm(a, b):
    c = torch.empty((3, 9, 7), dtype=a.dtype, device=a.device)
    for p in range(3):
        one = [m.as_strided(m.shape[1:], m.strides[1:], m.offset + p * m.strides[0]) for m in (a, b, c)]
        one[2].copy_(one[0] @ one[1])
    return c
`;
    const { outcome, verification } = await alone(source, problem);
    assert.deepEqual([outcome, verification.samples], ['correct', 3 * 9 * 7]);
  });

  it('passes C, alpha and beta if the annotation lists them', async () => {
    const source = `
# @gemm {"problem":{"m":33,"n":25,"k":21,"alpha":2,"beta":-1},"callable":"update","args":["alpha","a","b","beta","c"]}
def update(alpha, a, b, beta, c):
    c.copy_((a @ b) * alpha + c * beta)
`;
    const found = await alone(source);
    assert.deepEqual([found.outcome, found.message], ['correct', undefined]);
  });

  it('names what is wrong with the result', async () => {
    const message = async (source: string) => {
      const { outcome, message: found = '' } = await alone(source);
      return `${outcome}: ${found}`;
    };
    assert.match(await message('def gemm(a, b):\n    return 1\n'), /^incorrect: .*returned int/);
    assert.match(
      await message('def gemm(a, b):\n    return (a @ b).transpose(0, 1)\n'),
      /^incorrect: gemm returned a tensor of shape \(25, 33\); expected \(33, 25\)/,
    );
    assert.match(
      await message('import torch\ndef gemm(a, b):\n    return (a @ b).to(torch.float64)\n'),
      /^incorrect: .*type torch\.float64; expected torch\.float32/,
    );
    assert.match(
      await message('def gemm(a, b):\n    return (a @ b).cpu()\n'),
      /^incorrect: .*device cpu:None; expected cuda:0/,
    );
    assert.match(
      await message('def gemm(a, b):\n    return (a @ b) * 1.001\n'),
      /^incorrect: low-precision: [^\n]+\n\d+ wrong elements; the first is C\[0\]\[0\]/,
    );
    assert.match(
      await message('def gemm(a, b):\n    c = a @ b\n    a.fill_(0)\n    return c\n'),
      /^incorrect: Elements of A were overwritten/,
    );
    assert.match(
      await message(
        'def gemm(a, b):\n    c = a @ b\n    a.as_strided((1,), (1,), a.offset - 1).fill_(0)\n    return c\n',
      ),
      /^incorrect: [1-4] bytes outside of the matrices were overwritten/,
    );
  });

  it('names errors of the file with their line', async () => {
    const message = async (source: string) => {
      const { outcome, message: found = '' } = await alone(source);
      return `${outcome}: ${found}`;
    };
    assert.match(await message('def gemm(a, b:\n'), /^compile-error: line 1: /);
    assert.match(
      await message('x = 1\n'),
      /^compile-error: The file defines no function gemm\. Fix:/,
    );
    assert.match(
      await message('SIZE = int("x")\ndef gemm(a, b):\n    return SIZE\n'),
      /^compile-error: line 1: ValueError/,
    );
    assert.match(
      await message('def gemm(a, b):\n    return a @ missing\n'),
      /^launch-error: line 2: NameError/,
    );
    assert.match(
      await message('import no_such_module_x\ndef gemm(a, b):\n    return no_such_module_x\n'),
      /^unavailable: .*has no module no_such_module_x\. Fix: install/,
    );
  });

  it('executes only the statements that the function needs, or all on request', async () => {
    const source = `
import torch
SCALE = 1.0
unused = 1 / 0
raise SystemExit(3)
if True:
    def helper(a, b): return (a @ b) * SCALE
def gemm(a, b):
    return helper(a, b)
gemm(1, 2)
`;
    assert.equal((await alone(source)).outcome, 'correct');
    const all = await alone(`# @gemm {"execute":"all"}\n${source}`);
    assert.match(all.message ?? '', /line 5: ZeroDivisionError/);
  });

  it('goes on with the other kernels after a function fails while it is timed', async () => {
    const source = `
calls = [0]
def gemm(a, b):
    calls[0] += 1
    if calls[0] > 6: raise RuntimeError("enough")
    return a @ b
`;
    const [ours, other] = await together([own(), theirs(source)]);
    assert.deepEqual([ours?.outcome, other?.outcome], ['correct', 'launch-error']);
    assert.match(other?.message ?? '', /line 5: RuntimeError: enough/);
    assert.ok(ours?.timing !== undefined && other?.timing === undefined);
  });

  it('verifies again after timing', async () => {
    const source = `
calls = [0]
def gemm(a, b):
    calls[0] += 1
    return (a @ b) * (1.0 if calls[0] < 6 else 2.0)
`;
    const [ours, other] = await together([own(), theirs(source)]);
    assert.deepEqual([ours?.outcome, other?.outcome], ['correct', 'incorrect']);
    assert.match(
      other?.message ?? '',
      /^Correct before timing, incorrect after it.*wrong elements/,
    );
    assert.ok(other?.timing === undefined && (other?.verification.mismatches ?? 0) > 0);
  });

  it('stops a function that hangs, with its process group', async () => {
    const pids = path.join(folder, 'hung');
    const source = `
import os, subprocess, time
def gemm(a, b):
    child = subprocess.Popen(["sleep", "600"])
    open(${JSON.stringify(pids)}, "w").write(f"{os.getpid()} {child.pid}")
    while True: time.sleep(1)
`;
    const limits = { openMs: 60_000, resultMs: 1500, batchMs: 1500 };
    const [ours, other] = await together([own(), theirs(source)], { limits });
    assert.deepEqual([ours?.outcome, other?.outcome], ['correct', 'timeout']);
    assert.match(other?.message ?? '', /gemm exceeded 1\.5 s and was stopped/);
    const { readFileSync } = await import('node:fs');
    const noted = readFileSync(pids, 'utf8').split(' ').map(Number);
    assert.deepEqual(await leftOf(noted), []);
  });

  it('survives a function that ends the process, closes its output or prints without end', async () => {
    const exits = await alone('import os\ndef gemm(a, b):\n    os._exit(7)\n');
    assert.deepEqual(exits.outcome, 'launch-error');
    assert.match(exits.message ?? '', /The Python process .*failed \(7\)/);
    const floods = await alone(
      'def gemm(a, b):\n    for _ in range(200): print("x" * 100000)\n    return a @ b\n',
    );
    assert.equal(floods.outcome, 'correct');
    const quits = await alone('def gemm(a, b):\n    raise SystemExit(0)\n');
    assert.match(`${quits.outcome}: ${quits.message ?? ''}`, /^launch-error: .*SystemExit/);
  });

  it('does not believe a process that answers nonsense', async () => {
    const answers = async (body: string): Promise<string> => {
      const interpreter = fakePython(folder, body);
      const limits = { openMs: 3000, resultMs: 1000, batchMs: 1000 };
      const [found] = await together([theirs(RIGHT)], { interpreter, limits });
      return `${found?.outcome ?? ''}: ${found?.message ?? ''}`;
    };
    assert.match(await answers('console.log("garbage")'), /^timeout: gemm exceeded 3 s/);
    assert.match(await answers('process.exit(4)'), /^launch-error: The Python process .*\(4\)/);
    assert.match(await answers('say(line, { python: 5 })'), /^launch-error: .*invalid answer: /);
    assert.match(
      await answers(`if (line.do === 'open') say(line, OPENED); else say(line, {});`),
      /^launch-error: The Python process wrote no result/,
    );
    assert.match(
      await answers(
        `if (line.do === 'open') say(line, OPENED); else { fs.writeFileSync(line.file, 'abc'); say(line, {}); }`,
      ),
      /^constraint: The result has 3 bytes; expected 3300/,
    );
  });

  it('states what is missing: PyTorch, its GPU, or a newer version', async () => {
    const missing = async (name: string, more: string): Promise<string> => {
      const interpreter = standInPython(folder, name, more);
      const [found] = await together([theirs(RIGHT)], {
        mode: 'verify',
        interpreter: interpreter ?? '',
      });
      return `${found?.outcome ?? ''}: ${found?.message ?? ''}`;
    };
    assert.match(
      await missing('without', 'export PYTHONPATH=/nowhere'),
      /^unavailable: .*has no module torch\. Fix: install torch/,
    );
    assert.match(
      await missing('old', 'export FAKE_TORCH=1.13.1'),
      /^unavailable: PyTorch 1\.13\.1 .*too old\. Fix: install PyTorch 2\.0/,
    );
    assert.match(
      await missing('blind', 'export FAKE_CUDA=none'),
      /^unavailable: .*finds no CUDA GPU\. Fix:/,
    );
  });

  it('states that Python is missing, too old or no Python', async () => {
    const found = async (interpreter: string): Promise<string> => {
      const [one] = await together([theirs(RIGHT)], { mode: 'verify', interpreter });
      return `${one?.outcome ?? ''}: ${one?.message ?? ''}`;
    };
    const program = (text: string, name: string): string => {
      const { chmodSync } = process.getBuiltinModule('node:fs');
      const file = path.join(folder, name);
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o755);
      return file;
    };
    assert.match(await found(path.join(folder, 'nothing')), /^unavailable: .*does not exist.*Fix:/);
    assert.match(
      await found(program('echo Python 2.7.18 >&2', 'two')),
      /^unavailable: .* is Python 2\.7\.18, which is too old\. Fix: install Python 3\.9/,
    );
    assert.match(await found(program('echo Perl', 'perl')), /^unavailable: .*--version'/);
  });
});
