/** Loop nests in real languages: Python, CUDA on the CPU, nvcc's front end, and WGSL on Dawn. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { runManyOnCpu } from '../../scripts/grid/cpuRuns';
import { onPath } from '../../scripts/install/find';
import { nestKernel } from '../../src/core/nests/kernel';
import { pythonText } from '../../src/core/nests/python';
import { nestText } from '../../src/core/nests/text';
import { cpuBackend } from '../../src/host/cpu/backend';
import { dawnBackend } from '../../src/host/dawn/backend';
import { runProcess } from '../../src/host/process';
import { IS_WHOLE, SAMPLE_SEED, sampleOf } from '../helpers/depth';
import { parallelNests, sequentialNests, type DrawnNest } from '../helpers/drawnNests';

const options = { worker: path.resolve('dist', 'dawnWorker.js'), where: 'test' };
const cpu = await cpuBackend({ where: 'test' }).probe();
const dawn = await dawnBackend(options).probe();
const python = onPath('python3');

const suffix = (found: boolean, why: string): string => (found ? '' : ` (skipped: ${why})`);
const seed = IS_WHOLE ? Date.now() : SAMPLE_SEED;
const drawn = (from: fc.Arbitrary<DrawnNest>, count: number): readonly DrawnNest[] =>
  fc.sample(from, { numRuns: count, seed });
const nameOf = ({ nest, problem: { m, n, k, dtype } }: DrawnNest): string =>
  `seed ${seed}: ${nestText(nest)} at ${m} x ${n} x ${k} ${dtype}`;

describe('loop nests', function () {
  this.timeout(600_000);

  it(`compute C in Python${suffix(python !== undefined, 'no python3')}`, async function () {
    if (python === undefined) return this.skip();
    const nests = [
      ...drawn(sequentialNests, sampleOf(250)),
      ...drawn(parallelNests('cuda'), sampleOf(250)),
    ];
    const folder = mkdtempSync(path.join(tmpdir(), 'gemm-loops-'));
    try {
      nests.forEach(({ nest, problem }, i) => {
        writeFileSync(path.join(folder, `nest${i}.py`), pythonText(nest, problem));
      });
      writeFileSync(path.join(folder, 'all.py'), driver(nests));
      const ended = await runProcess(python, [path.join(folder, 'all.py')], {
        timeoutMs: 500_000,
      });
      assert.equal(ended.code, 0, ended.stderr);
      const errors = JSON.parse(ended.stdout) as readonly number[];
      assert.equal(errors.length, nests.length);
      errors.forEach((error, i) => {
        assert.ok(error <= (nests[i]!.problem.dtype === 's32' ? 0 : 1), nameOf(nests[i]!));
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it(`compute C in CUDA on this machine's CPU${suffix(cpu.available, 'no C++ compiler')}`, async function () {
    if (!cpu.available) return this.skip();
    const nests = drawn(parallelNests('cuda'), sampleOf(500, 20));
    const measured = await runManyOnCpu(
      nests.map(({ nest, problem }) => nestKernel(nest, problem, 'cuda')),
    );
    assert.equal(measured.length, nests.length);
    measured.forEach(({ outcome, message }, i) => {
      assert.equal(outcome, 'correct', `${nameOf(nests[i]!)}: ${message}`);
    });
  });

  it(`compute C in WGSL on this machine's adapter${suffix(dawn.available, 'no WebGPU adapter')}`, async function () {
    if (!dawn.available) return this.skip();
    const backend = dawnBackend(options);
    const context = { abort: new AbortController().signal, progress: () => undefined };
    for (const one of drawn(parallelNests('wgsl'), sampleOf(500, 10))) {
      const runnable = nestKernel(one.nest, one.problem, 'wgsl');
      const { outcome, message } = await backend.run(
        { runnable, mode: 'verify', seed: 5 },
        context,
      );
      assert.equal(outcome, 'correct', `${nameOf(one)}: ${message}`);
    }
  });
});

/** Imports every program, and prints the largest error of each on random inputs. */
const driver = (nests: readonly DrawnNest[]): string =>
  [
    'import importlib, json, random',
    'random.seed(7)',
    'errors = []',
    `for i, (m, n, k, dtype) in enumerate(${JSON.stringify(
      nests.map(({ problem: { m, n, k, dtype } }) => [m, n, k, dtype]),
    )}):`,
    '    draw = (lambda: random.randint(-8, 8)) if dtype == "s32" else (lambda: random.uniform(-1, 1))',
    '    A = [[draw() for _ in range(k)] for _ in range(m)]',
    '    B = [[draw() for _ in range(n)] for _ in range(k)]',
    '    nest = importlib.import_module(f"nest{i}")',
    '    C = nest.gemm(A, B, m, n, k)',
    '    assert len(C) == m and all(len(row) == n for row in C)',
    '    errors.append(nest.largest_error(C, A, B, m, n, k))',
    'print(json.dumps(errors))',
    '',
  ].join('\n');
