/** Lines of statements in the file, also in the findings of simulate. */
import assert from 'node:assert/strict';
import { seedsOf } from '../../../scripts/bugs/seeds';
import { emit } from '../../../src/core/kernel/emit';
import { launchesOf, type LoweredKernel, type KernelLaunch } from '../../../src/core/kernel/kernel';
import { statementLines } from '../../../src/core/kernel/print/statementLines';
import type { Statement } from '../../../src/core/kernel/ir/ir';
import { allStatements } from '../../../src/core/kernel/ir/statements';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { TARGETS, type GemmSpec, type Target } from '../../../src/core/spec/schema';
import { simulateBackend } from '../../../src/core/simulate/backend';
import type { Measurement } from '../../../src/core/measure/measurement';
import { newestFindings } from '../../../src/extension/runs/findings';
import { loweredOf } from '../../helpers/kernels';

const context = { abort: new AbortController().signal, progress: () => undefined };
const run = (kernel: LoweredKernel): Promise<Measurement> =>
  simulateBackend.run({ runnable: kernel, mode: 'verify', seed: 3 }, context);

function kernelOf(spec: GemmSpec, target: Target): LoweredKernel | null {
  const planned = plan(resolve(spec), target);
  return planned.ok ? loweredOf(emit(planned.plan)) : null;
}

const SPECS: readonly GemmSpec[] = (
  [
    'naive',
    'coalesced',
    'shared-tile',
    'thread-tile-1d',
    'thread-tile-2d',
    'layout',
    'vectorized',
    'warp-tile',
    'pipelined',
  ] as const
).flatMap(algorithm =>
  [128, 131].map(size => ({
    problem: { m: size, n: size, k: size, alpha: 2, beta: 3, batch: 2 },
    schedule: {
      algorithm,
      ...(algorithm === 'naive' ? {} : { splitK: 2, splitKReduction: 'two-pass' as const }),
    },
  })),
);

const leaves = (body: readonly Statement[]): readonly Statement[] =>
  body.flatMap(statement => {
    if (statement.op === 'for') return leaves(statement.body);
    return statement.op === 'if'
      ? [...leaves(statement.body), ...leaves(statement.otherwise ?? [])]
      : [statement];
  });

describe('lines of statements', () => {
  it('are separate for statements that the prologue repeats', () => {
    const f16 = { dtype: 'f16' } as const;
    const kernel = kernelOf(
      {
        problem: { m: 256, n: 256, k: 256, a: f16, b: f16, c: f16 },
        schedule: { algorithm: 'mma' },
      },
      'cuda',
    );
    assert.ok(kernel !== null);
    const all = [...allStatements(kernel.ir.body)];
    assert.equal(new Set(all).size, all.length);
    const lines = statementLines(kernel, kernel);
    const barriers = all.filter(({ op }) => op === 'barrier').map(of => lines.get(of));
    assert.ok(barriers.length > 2);
    assert.ok(barriers.every(of => of !== undefined && of.first === of.last));
  });

  it('match the barriers, copies and stores of every algorithm', function () {
    this.timeout(60_000);
    let seen = 0;
    for (const spec of SPECS) {
      for (const target of TARGETS) {
        const kernel = kernelOf(spec, target);
        if (kernel === null) continue;
        const text = kernel.source.split('\n');
        for (const launch of launchesOf<KernelLaunch>(kernel)) {
          const lines = statementLines(kernel, launch);
          for (const statement of leaves(launch.ir.body)) {
            if (statement.op === 'registers' || statement.op === 'blank') continue;
            const at = lines.get(statement);
            assert.ok(at !== undefined, `${kernel.fileName}: ${JSON.stringify(statement)}`);
            assert.ok(at.first <= at.last && at.last <= text.length);
            const own = text.slice(at.first - 1, at.last).join('\n');
            const expected = {
              barrier: /__syncthreads\(\)|workgroupBarrier\(\)/,
              commit: /pipeline_commit/,

              wait: /pipeline_wait_prior/,
              comment: /\/\//,
              let: /const|let/,
              assign: /=|memcpy|copy|atomicAdd|load|store/,
              fma: /fma|\+=/,
            }[statement.op as 'barrier'];
            assert.match(own, expected, `${kernel.fileName}: ${statement.op}`);
            seen++;
          }
        }
      }
    }
    assert.ok(seen > 500, `${seen}`);
  });

  it('do not exist for another text', () => {
    const kernel = kernelOf({ problem: { m: 8, n: 8, k: 8 } }, 'cuda');
    assert.ok(kernel !== null);
    const source = kernel.source.replace('__syncthreads();', '');
    assert.equal(statementLines({ ...kernel, source }, kernel).size, 0);
  });

  it("are in simulate's findings, with thread, block and the other side of a race", async () => {
    const seeds = seedsOf('shared-tile', 'cuda');
    const messageOf = async (bug: string, nth = 0) => {
      const kernel = seeds.filter(seed => seed.bug === bug)[nth]?.kernel;
      assert.ok(kernel !== undefined);
      return { ...(await run(kernel)), kernel };
    };
    const race = await messageOf('barrier omitted', 1);
    const found =
      /^race: thread \(\d+, \d+\) of block \(\d+, \d+\), .s store, store in line (\d+) of gemm-.*\.cu: (?:another thread|thread \(\d+, \d+\)) read the same element in line (\d+) without a barrier in between\.$/.exec(
        race.message ?? '',
      );
    assert.ok(found !== null, race.message);
    const lineAt = ({ source }: LoweredKernel, line: string | number | undefined) =>
      source.split('\n')[Number(line) - 1] ?? '';
    assert.match(lineAt(race.kernel, found[1]), /[AB]s\[.*\] = /);
    assert.match(lineAt(race.kernel, found[2]), /acc \+= As\[/);
    assert.equal(race.findings?.[0]?.line, Number(found[1]));

    const outside = await messageOf('guard omitted', 2);
    assert.match(outside.message ?? '', /^out-of-bounds: thread .* in line \d+ of gemm-/);
    const deadlock = await messageOf('barrier that only some threads reach');
    assert.match(
      deadlock.message ?? '',
      /^deadlock: thread \(0, 0\) of block \(0, 0\) and thread \(3, 0\) diverge at the if in line \d+ of gemm-.*, which contains a barrier\.$/,
    );
    assert.match(lineAt(deadlock.kernel, deadlock.findings?.[0]?.line), /if \(threadIdx\.x < 3\)/);
  });

  it('span the iterations of a loop that WGSL writes out', async () => {
    const [first] = seedsOf('pipelined, prefetch', 'wgsl').filter(
      ({ bug, place }) => bug === 'shared tile read or written transposed' && place.includes('As'),
    );
    assert.ok(first !== undefined);
    const { message = '' } = await run(first.kernel);
    assert.match(message, / in lines? \d+( to \d+)? of gemm-.*\.wgsl/);
  });
});

describe('findings in an editor', () => {
  it('are those of the newest run of each backend that have a line', async () => {
    const seeds = seedsOf('shared-tile', 'cuda');
    const kernel = seeds.find(({ bug }) => bug === 'barrier omitted')?.kernel;
    assert.ok(kernel !== undefined);
    const wrong = await run(kernel);
    const [first] = newestFindings([wrong]);
    assert.equal(first?.line, wrong.findings?.[0]?.line);
    assert.match(first?.message ?? '', /^race: thread/);
    const mended: Measurement = { ...wrong, findings: [] };
    assert.deepEqual(newestFindings([wrong, mended]), []);
    assert.equal(
      newestFindings([wrong, { ...mended, backend: 'cpu' }]).length,
      wrong.findings?.length,
    );
    assert.deepEqual(newestFindings([{ ...wrong, findings: [{ id: 'race', message: 'x' }] }]), []);
  });
});
