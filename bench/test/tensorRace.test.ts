/**
 * What races kernels of tensor cores: its shapes, candidates and random specs; and its session on
 * the CPU shim, with kernels of another algorithm.
 */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contestKey, CONTESTS, readShapes } from '../../scripts/tensor/candidates';
import { legalKernels, RANDOM } from '../src/tensor/randomSpecs';
import { kindsOf, QUOTAS, sanitizedKernels } from '../src/tensor/sanitizedKernels';
import { openRecord, type Head } from '../src/tensor/record';
import { fastestBaseline, openSession, prepare, race, verifySeeded } from '../src/tensor/session';
import { inTurn } from '../src/tensor/turns';
import { plan } from '../../src/core/plan/planner';
import { isTransposedCopy } from '../../src/core/plan/wgmma/wgmma';
import { decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/defaults/resolve';
import { tensorRungs } from '../../src/core/search/ladder/tensorRungs';
import type { GemmSpec } from '../../src/core/spec/schema';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { hostileFolder } from '../../test/host/support';
import { onWholeMachine } from '../../test/host/cuda/wholeMachine';

describe('the fastest baseline', () => {
  it('is not one that was dropped, because its batches were short', () => {
    const kept = { gflops: 718_220 };
    assert.equal(fastestBaseline([{ gflops: 729_610, behind: true }, kept]), 718_220);
    assert.equal(fastestBaseline([{ gflops: 729_610, behind: false }, kept]), 729_610);
    assert.equal(fastestBaseline([{}]), 0);
  });
});

describe('shapes and specs to race', () => {
  const shapes = readShapes('bench/shapes.json');

  it('are five squares and twenty products of language models, each with its source', () => {
    const squares = shapes.filter(({ m, n, k }) => m === n && n === k && m >= 2048);
    assert.deepEqual(
      squares.map(({ m }) => m),
      [2048, 4096, 6144, 8192, 16384],
    );
    const models = shapes.filter(shape => !squares.includes(shape));
    assert.equal(models.length, 20);
    for (const { name, m, n, k, from } of models) {
      assert.ok(m >= 1 && m <= 8192 && n >= 1024 && n <= 28672 && k >= 1024 && k <= 28672, name);
      assert.match(from, /^Llama 3 .*2024, table 3\): /);
    }
  });

  it('are raced in both types and orders, with schedules that are specs', () => {
    const contests = CONTESTS.wgmma(shapes);
    // Squares in tf32 and e4m3, too, and two of them in f32.
    assert.equal(contests.length, 2 * (25 * 2 + 5 * 2 + 2));
    assert.equal(new Set(contests.map(contestKey)).size, contests.length);
    for (const { specs, shape } of contests) {
      assert.ok(specs.length >= 5, shape.name);
      for (const spec of specs) {
        assert.ok(decodeSpec(spec).ok, JSON.stringify(spec));
        assert.ok(plan(resolve(spec), 'cuda').ok, JSON.stringify(spec));
      }
    }
  });

  it('include enough kernels of every kind for compute-sanitizer', () => {
    const count = 40;
    const kernels = sanitizedKernels(500, count);
    assert.equal(new Set(kernels.map(({ seed }) => seed)).size, count);
    for (const [kind, share] of Object.entries(QUOTAS)) {
      const found = kernels.filter(({ kernel }) =>
        kindsOf(kernel.plan).some(one => one === kind),
      ).length;
      assert.ok(found >= share * count, `${kind}: ${found}`);
    }
  }).timeout(60_000);

  it("are raced with mma's kernels at one square in every layout", () => {
    const contests = CONTESTS.mma(shapes);
    assert.deepEqual(new Set(contests.map(({ shape }) => shape.name)), new Set(['square 8192']));
    assert.deepEqual(
      contests.map(({ order }) => order),
      ['TN', 'NN', 'A col, B col', 'A col, B row'],
    );
    for (const { specs } of contests) {
      assert.ok(specs.length >= 5, JSON.stringify(specs));
      assert.ok(specs.every(spec => plan(resolve(spec), 'cuda').ok));
    }
  });

  it('are raced as rungs of the ladder: all of those on tensor cores, in their order', () => {
    const contests = CONTESTS.ladder(shapes);
    assert.deepEqual(contests.map(contestKey), [
      'square 4096, bf16 NN, ladder',
      'square 8192, bf16 NN, ladder',
    ]);
    for (const { specs } of contests) {
      assert.deepEqual(
        specs.map(({ schedule }) => schedule),
        tensorRungs('bf16', 'h200').map(({ schedule }) => schedule),
      );
    }
  });

  it("of mma are the grid's draws, on one GPU", () => {
    const drawn = Array.from({ length: 200 }, (_, seed) => RANDOM.mma(seed));
    assert.ok(drawn.every(spec => decodeSpec(spec).ok && spec.device === 'h200'));
    const legal = drawn.filter(spec => plan(resolve(spec), 'cuda').ok);
    assert.ok(legal.length > 50 && legal.length < 200, String(legal.length));
    const types = new Set(legal.map(({ problem }) => problem.a?.dtype));
    assert.deepEqual([...types].sort(), ['bf16', 'e4m3', 'e5m2', 'f16', 'f32', 's8', 'tf32']);
    const splits = new Set(legal.flatMap(({ schedule }) => schedule?.split ?? []));
    assert.equal(splits.size, 4);
  });

  it('are drawn by seeds: the same ones each time, all of them specs', () => {
    const types = new Set<string | undefined>();
    let legal = 0;
    let turned = 0;
    for (let seed = 0; seed < 300; seed++) {
      const spec = RANDOM.wgmma(seed);
      assert.ok(decodeSpec(spec).ok, JSON.stringify(spec));
      assert.deepEqual(spec, RANDOM.wgmma(seed));
      types.add(spec.problem.a?.dtype);
      const planned = plan(resolve(spec), 'cuda');
      if (!planned.ok) continue;
      legal++;
      assert.ok(planned.plan.family === 'wgmma');
      if (isTransposedCopy(planned.plan.wgmma.a) || isTransposedCopy(planned.plan.wgmma.b))
        turned++;
    }
    // Enough of them to run, and enough that are not to come near every limit.
    assert.ok(legal > 100 && legal < 250, String(legal));
    assert.ok(turned > 25, String(turned));
    assert.deepEqual([...types].sort(), ['bf16', 'e4m3', 'e5m2', 'f16', 'f32', 'tf32']);
  });
});

describe('the record of a race', () => {
  const head: Head = {
    type: 'head',
    commit: 'one',
    device: 'NVIDIA H200',
    driver: '580',
    compiler: 'nvcc 13',
  };

  it('continues after truncation, and restarts if conditions have changed', () => {
    const { path: folder, remove } = hostileFolder();
    try {
      const file = path.join(folder, 'race.jsonl');
      const first = openRecord(file, head);
      first.write({ type: 'race', key: 'a' });
      appendFileSync(file, '{"type":"race","key":"b"');
      const again = openRecord(file, head);
      assert.deepEqual([again.has('a'), again.has('b')], [true, false]);
      again.write({ type: 'race', key: 'b' });
      assert.equal(readFileSync(file, 'utf8').split('\n').length, 4);
      const other = openRecord(file, { ...head, commit: 'two' });
      assert.ok(!other.has('a'));
      assert.ok(!openRecord(file, { ...head, commit: 'two' }).has('b'));
      assert.equal(readFileSync(file, 'utf8').match(/"head"/g)?.length, 2);
    } finally {
      remove();
    }
  });

  it('ends before its time limit: no item starts that would not fit', async () => {
    const done: number[] = [];
    const run = async (item: number, leftMs: number): Promise<boolean> => {
      assert.ok(leftMs > 0);
      await new Promise(resolve => setTimeout(resolve, item));
      done.push(item);
      return item !== 3;
    };
    const within = (ms: number) => performance.now() + ms;
    const left = await inTurn({ items: [1, 60, 61, 62], run, endsAt: within(110) });
    assert.deepEqual(
      [done, left],
      [
        [1, 60],
        [61, 62],
      ],
    );
    assert.deepEqual(await inTurn({ items: [1, 3, 4], run, endsAt: within(5000) }), [3, 4]);
    assert.deepEqual(await inTurn({ items: [1], run, endsAt: within(-1) }), [1]);
  });
});

describe('a session of races, on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(120_000);
  let folder: string;
  let nvcc: string;
  after(endRunners);
  onWholeMachine((...made) => {
    [folder, nvcc] = made;
  });
  const open = () =>
    openSession({
      workers: 2,
      signal: new AbortController().signal,
      options: {
        search: { setting: nvcc, environment: { PATH: path.dirname(nvcc) } },
        where: 'cli',
        cacheFolder: path.join(folder, 'cache', 'build'),
        ceilings: false,
      },
    });
  const tiled = (side: number): GemmSpec => ({
    problem: { m: 33, n: 20, k: 21 },
    schedule: { algorithm: 'shared-tile', block: { m: side, n: side, k: 8 }, variant: '2d' },
    targets: ['cuda'],
  });

  it('verifies the legal draws', async () => {
    const session = await open();
    assert.deepEqual([session.machine.device, session.machine.driver], ['CPU shim', '1.2.3']);
    // Seed 0 has too many threads.
    const [one, two] = legalKernels(0, seed => tiled(seed === 0 ? 64 : 8 * seed));
    assert.deepEqual([one?.seed, two?.seed], [1, 2]);
    assert.ok(one !== undefined);
    const line = await verifySeeded(one, session);
    assert.deepEqual([line.outcome, line.samples, line.registers], ['correct', 33 * 20, 40]);
    const source = one.kernel.source.replace('acc;', 'acc + (row == 3);');
    const wrong = await verifySeeded({ seed: 1, kernel: { ...one.kernel, source } }, session);
    assert.equal(wrong.outcome, 'incorrect');
    assert.deepEqual(wrong.schedule, one.kernel.spec.schedule);
  });

  /** As the runner has them (shaders/cuda/runner/race.cuh). */
  const HEATS = 3;

  it('races each legal schedule once, and reports why the others were not', async () => {
    const session = await open();
    const candidates = await prepare([tiled(8), tiled(64), tiled(8), tiled(16)], session);
    assert.equal(candidates.length, 3);
    const options = {
      timing: { warmUpMs: 0.1, settleMs: 1, batchMs: 0.1, budgetMs: 10, samples: 3 },
      behind: Infinity,
      deadlineMs: 60_000,
      baselines: ['cublaslt'] as const,
    };
    const line = await race(candidates, session, options);
    assert.ok(typeof line !== 'string', typeof line === 'string' ? line : '');
    assert.deepEqual(
      line.kernels.map(({ outcome }) => outcome),
      ['correct', 'illegal', 'correct'],
    );
    const rates = line.kernels.map(one => ('gflops' in one ? one.gflops : undefined) ?? 0);
    assert.deepEqual([Math.max(...rates), rates[1]], [line.best, 0]);
    assert.equal(line.ratio, null);
    assert.match(line.notes.join(), /^cublaslt: cuBLASLt was not found/);
    // What is left behind was timed in heats alone, and is no best, whatever its times were.
    const close = await race(candidates, session, { ...options, behind: 1 + 1e-9 });
    assert.ok(typeof close !== 'string');
    const timed = close.kernels.flatMap(one => ('gflops' in one ? [one] : []));
    assert.deepEqual(timed.map(({ behind }) => behind).sort(), [false, true]);
    assert.equal(timed.find(({ behind }) => behind)?.samples, HEATS);
    assert.equal(close.best, timed.find(({ behind }) => !behind)?.gflops);
    const none = await race(await prepare([tiled(64)], session), session, options);
    assert.ok(typeof none === 'string');
    assert.match(none, /^no candidate is legal and compiles: schedule/);
  });
});
