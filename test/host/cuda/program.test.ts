/**
 * The program that comes with a kernel: on the CPU through a shim, so that no GPU is needed, and
 * with nvcc.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { emit } from '../../../src/core/kernel/emit';
import type { Runnable } from '../../../src/core/kernel/kernel';
import { ownsFile } from '../../../src/core/source/kernelFile';
import type { Verification } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { parseSpec } from '../../../src/core/spec/decode';
import { resolve } from '../../../src/core/defaults/resolve';
import { fillMatrix } from '../../../src/core/verify/inputs';
import { hostProgram, unsupported } from '../../../src/host/cuda/hostProgram';
import { compileProgram } from '../../../src/host/nvcc';
import { findNvcc } from '../../../src/host/toolchain';
import { itWhole, sampled } from '../../helpers/depth';
import { handWritten, shimMachine } from '../cudaSupport';
import { asNvcc, hostileFolder, onceInHostileFolder } from '../support';

/** Faults of a kernel that the environment chooses, so that one program serves all tests. */
const FAULTS = `const char *fault = getenv("SHIM_KERNEL");
  char what = fault == NULL ? ' ' : *fault;
  if (what == 'w' && i == 3 && j == 4) sum += 1;
  if (what == 's' && i == 2) return;
  if (what == 'g') c[i * ldc + n] = 0;
  if (what == 'b') c[-1] = 0;
  if (what == 'e') c[m * ldc + 7] = 0;
  if (what == 'n' && i == 44 && j == 36) sum = sum / (float)(i - 44);
  while (what == 'l') {}
  if (what == 'p' && i == 0 && j == 0)
    for (int l = 0; l < 20; ++l) printf("input %.9g %.9g %.9g\\n", (double)a[l], (double)b[l], (double)c[l]);
  if (what == 'f' && i == 0 && j == 0) printf("{\\"schema\\":1,\\"type\\":\\"result\\"}\\nnoise");`;

const kernelOf = (json: unknown): Runnable => {
  const decoded = parseSpec(JSON.stringify(json));
  assert.ok(decoded.ok);
  const planned = plan(resolve(decoded.spec), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan);
};

/** The last line that the program prints. */
interface Result {
  readonly outcome: string;
  readonly message: string;
  readonly verification: Verification;
  readonly timing?: {
    readonly timer: string;
    readonly cache: string;
    readonly batchMs: readonly number[];
    readonly quantumNs: number;
  };
  readonly baseline?: unknown;
  readonly baselineNote?: string;
}

describe('the program of a kernel on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(60_000);
  let folder: string;
  let nvcc: string;
  onceInHostileFolder(shimMachine, (at, made) => {
    folder = at;
    ({ nvcc } = made);
  });

  const compile = async (runnable: Runnable): Promise<string> => {
    const compiled = await compileProgram(runnable.source, hostProgram(runnable, 'kernel.cu'), {
      nvcc: asNvcc(nvcc),
      arch: 'sm_90',
      cacheFolder: path.join(folder, 'cache'),
    });
    assert.ok(compiled.ok, compiled.ok ? '' : compiled.message);
    return compiled.path;
  };
  const run = async (
    runnable: Runnable,
    fault = '',
    args: readonly string[] = ['--mode', 'verify'],
    env: NodeJS.ProcessEnv = {},
  ): Promise<Result> => {
    const file = await compile(runnable);
    const said = await new Promise<string>(done => {
      const environment = { ...process.env, SHIM_KERNEL: fault, ...env };
      execFile(file, ['--seed', '7', ...args], { env: environment }, (_, stdout) => {
        done(stdout);
      });
    });
    const lines = said.split('\n').filter(line => line.includes('"type":"result"'));
    return JSON.parse(lines.at(-1)?.replace(/^.*(?=\{"schema":)/, '') ?? 'null') as Result;
  };
  const scaled = handWritten({ alpha: 0.5, beta: 0.25 }, FAULTS);
  const plain = handWritten({}, FAULTS);

  it('finds a right kernel right', async () => {
    const { outcome, message, verification } = await run(scaled);
    assert.deepEqual([outcome, message], ['correct', '']);
    assert.equal(verification.samples, 45 * 37);
    assert.ok(verification.maxError! > 0 && verification.maxError! < verification.bound!);
  });

  it('makes the inputs that every backend makes', async () => {
    const { stdout } = await promisify(execFile)(
      await compile(scaled),
      ['--mode', 'verify', '--seed', '4294967295'],
      { env: { SHIM_KERNEL: 'print' } },
    );
    const rows = stdout.split('\n').filter(line => line.startsWith('input '));
    const [a, b, c] = (['a', 'b', 'c'] as const).map(name =>
      fillMatrix(scaled.problem, name, 4294967295),
    );
    assert.equal(rows.length, 20);
    rows.forEach((row, i) => {
      // The first element of C is not written yet when it is printed.
      assert.deepEqual(
        row
          .split(' ')
          .slice(1)
          .map(text => Math.fround(Number(text))),
        [a![i], b![i], c![i]],
      );
    });
  });

  for (const [fault, runnable, said] of [
    ['wrong', scaled, /^1 wrong element; the first is C\[3\]\[4\] = .*, expected/],
    ['skip', plain, /^37 elements not written; the first is C\[2\]\[0\] = NaN/],
    ['gap', scaled, /^45 writes outside of the matrices\.$/],
    ['before', scaled, /^1 write outside of the matrices\.$/],
    ['end', plain, /^1 write outside of the matrices\.$/],
    ['nan', plain, /^1 element not finite; the first is C\[44\]\[36\] = -?infinity/],
  ] as const) {
    it(`finds the fault "${fault}" and does not time it`, async () => {
      const found = await run(runnable, fault, ['--mode', 'time']);
      assert.equal(found.outcome, 'incorrect');
      assert.match(found.message, said);
      assert.ok(found.verification.mismatches > 0);
      assert.equal(found.timing, undefined);
    });
  }

  it('times a right kernel and says that there is no cuBLAS', async () => {
    const args = ['--mode', 'time', '--baseline', 'cublas'];
    const { outcome, timing, baseline, baselineNote } = await run(scaled, '', args);
    assert.equal(outcome, 'correct');
    assert.deepEqual([timing?.timer, timing?.cache], ['cuda-events', 'cold']);
    assert.ok((timing?.batchMs.length ?? 0) >= 3 && timing?.batchMs.every(ms => ms > 0));
    assert.ok((timing?.quantumNs ?? 0) > 0);
    assert.equal(baseline, undefined);
    assert.match(baselineNote ?? '', /cuBLAS was not found/);
  });

  it('reports a fault of the kernel by its name', async () => {
    const { outcome, message } = await run(plain, '', [], { SHIM_FAULT: '1' });
    assert.equal(outcome, 'launch-error');
    assert.match(message, /The kernel faulted: cudaErrorIllegalAddress/);
  });

  it('says that the matrices do not fit', async () => {
    const { outcome, message } = await run(plain, '', [], { SHIM_FREE_BYTES: '1000' });
    assert.equal(outcome, 'constraint');
    assert.match(message, /Fix: choose smaller matrices/);
  });

  it('stops a kernel that never ends', async () => {
    const { outcome, message } = await run(plain, 'loop', ['--deadline-s', '1']);
    assert.deepEqual([outcome, message], ['timeout', 'The kernel did not finish within 1 s.']);
  });

  it('runs integers exactly, column-major matrices and generated kernels', async () => {
    const integers = await run(handWritten({ dtype: 's32', alpha: 3, beta: -2 }));
    assert.deepEqual([integers.outcome, integers.verification.maxError], ['correct', 0]);
    assert.equal((await run(handWritten({ layout: 'col', beta: 1 }))).outcome, 'correct');
    const generated = kernelOf({
      problem: { m: 33, n: 50, k: 21, alpha: 2, b: { layout: 'col' }, c: { ld: 60 } },
      schedule: { algorithm: 'shared-tile', block: { m: 8, n: 8, k: 8 } },
    });
    const found = await run(generated);
    assert.deepEqual([found.outcome, found.message], ['correct', '']);
  });

  it('runs a gate with its second B', async () => {
    const epilogue = [{ op: 'gate', act: 'relu' }, { op: 'residual' }];
    const problem = { m: 33, n: 50, k: 21, batch: 2, b: { layout: 'col' }, epilogue };
    const block = { m: 8, n: 8, k: 8 };
    const schedule = { algorithm: 'shared-tile', block, splitK: 2 };
    const { outcome, message } = await run(kernelOf({ problem, schedule }));
    assert.deepEqual([outcome, message], ['correct', '']);
  });

  it('runs batches with odd strides, and parts of K with their launches in order', async () => {
    const operand = (batchStride: number) => ({ batchStride });
    const problem = { m: 9, n: 7, k: 11, batch: 3, a: operand(101), b: operand(0), c: operand(67) };
    const block = { block: { m: 4, n: 8, k: 4 } };
    const schedules = [{}, { splitK: 3 }, { splitK: 2, splitKReduction: 'atomic' }] as const;
    for (const [i, split] of sampled([...schedules.entries()], 2)) {
      const scalars = i === 0 ? {} : { alpha: 2, beta: -0.5 };
      const schedule = { algorithm: 'shared-tile', ...block, ...split };
      const runnable = kernelOf({ problem: { ...problem, ...scalars }, schedule });
      const { outcome, message, verification } = await run(runnable);
      assert.deepEqual([outcome, message], ['correct', ''], runnable.specKey);
      assert.equal(verification.samples, 3 * 9 * 7);
      assert.equal(verification.first, undefined);
    }
  });

  it('names the first wrong element, in a product of a batch too', async () => {
    const problem = { m: 9, n: 7, k: 11, batch: 3 };
    const schedule = { algorithm: 'coalesced', block: { m: 4, n: 8 } };
    const kernel = kernelOf({ problem, schedule });
    const source = kernel.source.replace(
      /C\[(.*?)\] = acc;/,
      'C[$1] = blockIdx.z == 2 && row == 4 && col == 3 ? 100.0f : acc;',
    );
    assert.notEqual(source, kernel.source);
    const { outcome, message, verification } = await run({ ...kernel, source });
    assert.equal(outcome, 'incorrect');
    assert.equal(verification.mismatches, 1);
    const { first } = verification;
    assert.deepEqual([first?.row, first?.column, first?.actual], [4, 3, 100]);
    assert.ok(first !== undefined && Math.abs(first.expected) <= 11 && first.bound > 0);
    assert.match(message, /the first is C\[4\]\[3\] of batch entry 2 = 100, expected /);
  });

  itWhole(
    'takes infinity of its sign for right where results overflow, and nothing else',
    async () => {
      const problem = { m: 9, n: 7, k: 11, alpha: 2 ** 127, beta: 2 ** 127 };
      const schedule = { algorithm: 'coalesced', block: { m: 4, n: 8 } };
      const kernel = kernelOf({ problem, schedule });
      const right = await run(kernel);
      assert.equal(right.outcome, 'correct', right.message);
      const source = kernel.source.replace(/(C\[.*?\]) = (.*);/, '$1 = isinf($2) ? -($2) : $2;');
      assert.notEqual(source, kernel.source);
      const { outcome, verification } = await run({ ...kernel, source });
      assert.equal(outcome, 'incorrect');
      assert.ok(verification.mismatches > 3 && verification.mismatches < 60);
    },
  );
});

describe('hostProgram', () => {
  const generated = kernelOf({
    problem: { m: 100, n: 70, k: 33, alpha: 0.1, beta: -1e-7 },
    schedule: { algorithm: 'shared-tile' },
  });

  it('is the same text for the same kernel, and knows when it was edited', () => {
    const text = hostProgram(generated);
    assert.equal(text, hostProgram(generated));
    assert.equal(ownsFile(text), 'generated');
    assert.equal(ownsFile(text.replace('samples = 30', 'samples = 99')), 'edited');
    assert.ok(text.includes(`#include "${generated.specKey}.cu"`));
    assert.match(
      text,
      /<<<dim3\(5, 7, 1\), dim3\(16, 16, 1\), 0, stream>>>\(100, 70, 33, 0\.1f, static_cast<float\*>\(set\.a\)/,
    );
    assert.match(text, /alpha = 0\.1;\n {2}problem\.beta = -1e-7;/);
  });

  it('opts in to more shared memory than 48 KB, and refuses what it cannot run', () => {
    const large = hostProgram({ ...generated, dynamicSharedBytes: 65536 });
    assert.match(large, /MaxDynamicSharedMemorySize, 65536\)/);
    assert.doesNotMatch(hostProgram(generated), /MaxDynamicSharedMemorySize/);
    const { problem } = generated;
    const eighth = {
      ...problem,
      c: { ...problem.c, dtype: 's8' as const },
      accumulator: 's32' as const,
    };
    assert.match(
      unsupported({ ...generated, problem: eighth }) ?? '',
      /cannot verify s8 results of s32/,
    );
    const mixed = { ...problem, c: { ...problem.c, dtype: 's32' as const } };
    assert.match(
      unsupported({ ...generated, problem: mixed }) ?? '',
      /cannot verify s32 results of f32/,
    );
    assert.equal(unsupported({ ...generated, problem: { ...problem, batch: 2 } }), undefined);
    assert.equal(unsupported(generated), undefined);
  });

  itWhole('compiles with nvcc without a warning (needs nvcc)', async function () {
    this.timeout(120_000);
    const found = await findNvcc();
    if (!found.ok) return this.skip();
    const { path: folder, remove } = hostileFolder();
    try {
      // As a reader would: in its folder, with the command in its first lines.
      const plainFolder = path.dirname(folder);
      writeFileSync(path.join(plainFolder, 'k.cu'), generated.source);
      writeFileSync(path.join(plainFolder, 'k.main.cu'), hostProgram(generated, 'k.cu'));
      const { stdout, stderr } = await promisify(execFile)(
        found.nvcc.path,
        ['-O3', '-std=c++17', '-arch=sm_90', '-Xcompiler', '-Wall,-Wextra', 'k.main.cu', '-o', 'k'],
        { cwd: plainFolder },
      );
      assert.equal(stdout + stderr, '');
    } finally {
      remove();
    }
  });
});
