/**
 * Operands of `wgmma` that are copied before: those that TMA cannot address, and those that the
 * instruction cannot transpose.
 */
import assert from 'node:assert/strict';
import { analyze } from '../../../../src/core/report/analyze';
import { statementLines } from '../../../../src/core/kernel/print/statementLines';
import { plan } from '../../../../src/core/plan/planner';
import type { WgmmaPlan } from '../../../../src/core/plan/wgmma/wgmmaPlan';
import { simulateBackend } from '../../../../src/core/simulate/backend';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { CONTEXT } from '../../../helpers/context';
import { declaredFor, warpGroups } from '../../../helpers/warpGroupSpecs';

type Problem = Partial<GemmSpec['problem']>;
const F16 = { dtype: 'f16', layout: 'row' } as const;

const specOf = (schedule: Schedule, problem: Problem): GemmSpec =>
  warpGroups(
    { m: 1024, n: 1024, k: 1024, a: { dtype: 'bf16' }, b: { layout: 'col' }, ...problem },
    schedule,
  );

function planOf(spec: GemmSpec): { readonly wgmma: WgmmaPlan } {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(found.ok && found.plan.family === 'wgmma', JSON.stringify(found));
  return { wgmma: found.plan.wgmma };
}

describe('operands of wgmma that are copied before', () => {
  it('have rows of whole cache lines, one behind the other', () => {
    const { wgmma } = planOf(specOf({}, { m: 100, n: 60, k: 33, b: { layout: 'row', ld: 61 } }));
    assert.deepEqual(wgmma.a.repacked, { ld: 64, batchStride: 6400, offsetBytes: 0, why: 'ld' });
    assert.deepEqual(wgmma.b.repacked, {
      ld: 64,
      batchStride: 33 * 64,
      offsetBytes: 12_800,
      why: 'ld',
    });
    assert.equal(wgmma.workspaceBytes, 12_800 + 33 * 64 * 2);
  });

  it('are transposed where the instruction cannot, as the main loop then sees them', () => {
    const turned = { a: { dtype: 'e4m3', layout: 'col' }, b: { layout: 'row', ld: 61 } } as const;
    const { wgmma } = planOf(specOf({}, { m: 100, n: 60, k: 33, ...turned }));
    assert.deepEqual(wgmma.a.repacked, {
      ld: 128,
      batchStride: 12_800,
      offsetBytes: 0,
      why: 'transposed',
    });
    assert.deepEqual(wgmma.b.repacked, {
      ld: 128,
      batchStride: 60 * 128,
      offsetBytes: 12_800,
      why: 'transposed',
    });
    assert.deepEqual([wgmma.a.major, wgmma.b.major], ['k', 'k']);
    assert.equal(wgmma.workspaceBytes, 160 * 128);
    const whys = (schedule: Schedule, problem: Problem) => {
      const { a, b } = planOf(specOf(schedule, problem)).wgmma;
      return [a.repacked?.why, b.repacked?.why, a.major, b.major];
    };
    const f32 = { a: { dtype: 'f32' }, b: { layout: 'row' } } as const;
    assert.deepEqual(whys({ split: 'tf32x3' }, f32), ['split', 'transposed', 'k', 'k']);
    // The instruction transposes pieces of 16 bits itself.
    assert.deepEqual(whys({ split: 'bf16x3' }, f32), ['split', 'split', 'k', 'mn']);
    assert.deepEqual(whys({}, { b: { layout: 'row' } }), [undefined, undefined, 'k', 'mn']);
    assert.deepEqual(whys({}, { ...f32, a: { dtype: 'tf32' } }), [
      undefined,
      'transposed',
      'k',
      'k',
    ]);
  });

  it('are copied with several short rows per thread block', () => {
    const { before = [] } = declaredFor(
      specOf({}, { m: 100, n: 60, k: 33, a: { ...F16, ld: 33 } }),
    );
    // 32 threads copy the 33 elements of a row, so 256 threads copy 8 of the 100 rows.
    assert.deepEqual(
      before.map(({ entry, grid }) => [entry, grid.x, grid.y]),
      [
        ['gemm_wgmma_repack_a', 13, 1],
        ['gemm_wgmma_repack_b', 8, 1],
      ],
    );
    const long = declaredFor(specOf({}, { m: 100, n: 64, k: 4097, a: F16, b: F16 }));
    assert.deepEqual(
      long.before?.map(({ grid }) => [grid.x, grid.y]),
      [[100, 3]],
    );
  });

  it('overlap their launches if the launch is programmatic, and end before the main kernel', () => {
    const problem = { m: 100, n: 61, k: 33, a: F16, b: F16 };
    const { before = [], source } = declaredFor(specOf({ launch: 'programmatic' }, problem));
    const [a, b] = before.map(({ ir, programmatic }) => {
      const ops = ir.body.flatMap(({ op, ...rest }) => ('action' in rest ? [rest.action] : [op]));
      return { first: ops.find(op => op !== 'comment'), last: ops.at(-1), programmatic };
    });
    assert.deepEqual(a, { first: 'wait', last: 'for', programmatic: true });
    assert.deepEqual(b, { first: 'launch', last: 'wait', programmatic: true });
    assert.equal(source.match(/cudaLaunchKernelEx/g)?.length, 3);
    const serial = declaredFor(specOf({ launch: 'serial' }, problem));
    assert.ok(serial.before?.every(({ programmatic }) => programmatic === undefined));
    assert.doesNotMatch(serial.source, /griddepcontrol/);
  });

  it('are copied for the stride of a batch, too', () => {
    const batched = (stride: number) =>
      planOf(specOf({}, { batch: 2, a: { dtype: 'bf16', batchStride: stride } })).wgmma.a.repacked
        ?.why;
    assert.equal(batched(1024 * 1024 + 8), undefined);
    assert.equal(batched(1024 * 1024 + 4), 'batchStride');
  });

  it('are transposed in whole sectors, without a bank conflict', () => {
    for (const [dtype, lda, sectors] of [
      ['tf32', 1024, 4],
      ['f32', 1024, 4],
      ['e4m3', 1024, 1],
      // Rows begin anywhere: 31 of 32 places, and 7 of 8, touch a sector more.
      ['e5m2', 1023, 1 + 31 / 32],
      ['tf32', 1023, 4 + 7 / 8],
    ] as const) {
      const problem = { m: 1000, n: 1000, k: 512, a: { dtype, layout: 'col', ld: lda } } as const;
      const kernel = declaredFor(warpGroups(problem, dtype === 'f32' ? { split: 'tf32x3' } : {}));
      const { globalMemory, sharedMemory, notes } = analyze(kernel, { device: 'h200' });
      const site = (name: string) => globalMemory.find(one => one.site === name);
      const [load, store] = [site('A repack load'), site('workspace store')];
      assert.ok(load !== undefined && store !== undefined, dtype);
      assert.equal(load.sectorsPerRequest, sectors, dtype);
      assert.equal(store.widthBytes, 4, dtype);
      assert.equal(store.sectorsPerRequest, 4, dtype);
      assert.deepEqual(
        sharedMemory.map(({ conflictsPerRequest }) => conflictsPerRequest),
        sharedMemory.map(() => 0),
      );
      assert.ok(sharedMemory.some(({ site: name, op }) => name === 'As store' && op === 'store'));
      const said = notes.map(({ text }) => text).join('\n');
      assert.doesNotMatch(said, /uncoalesced/);
      assert.equal(said.includes('With lda = 1023, rows are not aligned'), lda === 1023, said);
      const turned = /Transposed before each GEMM: A, B \(([\d.]+) MB\)/;
      const megabytes = dtype === 'tf32' ? '4.1' : '1';
      assert.equal(turned.exec(said)?.[1], dtype === 'f32' ? undefined : megabytes, said);
    }
  });

  it('stand in the file with their lines, helpers once', () => {
    const turned = { a: { dtype: 'e4m3', layout: 'col' }, b: { layout: 'row' } } as const;
    const kernel = declaredFor(specOf({}, turned));
    assert.equal(kernel.source.match(/ void copy4\(/g)?.length, 1);
    for (const launch of kernel.before ?? []) {
      const stored = launch.ir.body.at(-1);
      const lines = stored === undefined ? undefined : statementLines(kernel, launch).get(stored);
      assert.match(
        kernel.source.split('\n')[(lines?.first ?? 0) - 1] ?? '',
        /^ {2}#pragma unroll$/,
      );
    }
    assert.equal(kernel.before?.length, 2);
  });

  it('are repacked by the widest words that all rows are multiples of', async () => {
    const copiesOf = (a: Problem['a'], k: number, batch = 1) =>
      declaredFor(
        specOf({}, { m: 70, n: 40, k, batch, a: { dtype: 'bf16', ...a }, b: { layout: 'col' } }),
      );
    for (const [k, ld, words] of [
      [52, 52, 'A_WORD = 4; '],
      [50, 50, 'A_WORD = 2; '],
      [50, 52, 'A_WORD = 2; '],
      [51, 52, 'A_WORD = 2; '],
      [51, 51, 'A_WORD = 2; '],
    ] as const) {
      const kernel = copiesOf({ ld }, k);
      assert.ok(kernel.source.includes(words), `${k} ${ld}`);
      const isAligned = k % 2 === 0;
      assert.equal(kernel.source.includes('&A['), isAligned);
      assert.equal(kernel.source.includes('lda % '), isAligned);
      const run = await simulateBackend.run({ runnable: kernel, mode: 'verify', seed: 3 }, CONTEXT);
      assert.equal(run.outcome, 'correct', run.message);
    }
  });

  it('race in simulation where they lack their barrier', async () => {
    const small = { m: 70, n: 40, k: 52, a: { dtype: 'tf32', layout: 'col' } } as const;
    const kernel = declaredFor(specOf({}, small));
    const [copy, ...others] = kernel.before ?? [];
    assert.ok(copy !== undefined && others.length === 0);
    const run = (runnable: typeof kernel) =>
      simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);
    assert.equal((await run(kernel)).outcome, 'correct');
    const body = copy.ir.body.filter(({ op }) => op !== 'barrier');
    const { outcome, message = '' } = await run({
      ...kernel,
      before: [{ ...copy, ir: { ...copy.ir, body } }],
    });
    assert.notEqual(outcome, 'correct');
    assert.match(message, /As load, load.* without a barrier in between/);
  });
});
