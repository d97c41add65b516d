import assert from 'node:assert/strict';
import fc from 'fast-check';
import { plan } from '../../../src/core/plan/planner';
import { applyOverrides, decodeSpec } from '../../../src/core/spec/decode';
import { resolve } from '../../../src/core/defaults/resolve';
import type { ResolvedSpec } from '../../../src/core/spec/resolved';
import type { Target } from '../../../src/core/spec/schema';
import { specs } from '../../helpers/specs';
import { violation, violations } from '../../helpers/violations';
import { runs } from '../../helpers/depth';

describe('plan: both sides of every limit', () => {
  const naive = ['schedule.algorithm=naive'];
  const tile = [
    'schedule.algorithm=thread-tile-2d',
    'schedule.block={"m":64,"n":64,"k":8}',
    'schedule.thread={"m":4,"n":4}',
  ];

  it('allows 1,024 threads per block on CUDA, and 256 in WebGPU by default', () => {
    assert.deepEqual(violations([...naive, 'schedule.block={"m":32,"n":32}']), []);
    const tooMany = violation([...naive, 'schedule.block={"m":32,"n":33}']);
    assert.equal(tooMany.rule, 'threads-per-block');
    assert.equal(tooMany.path, 'schedule.block.n');
    assert.equal(tooMany.nearest, 32);
    assert.match(tooMany.message, /32 x 33 = 1,056 threads per block > 1,024 \(.*H200.*\)/);
    assert.deepEqual(violations([...naive, 'schedule.block={"m":16,"n":16}'], 'wgsl'), []);
    assert.equal(violation([...naive, 'schedule.block={"m":16,"n":17}'], 'wgsl').nearest, 16);
    const raised = [
      'webgpuLimits={"invocations":1024}',
      ...naive,
      'schedule.block={"m":32,"n":32}',
    ];
    assert.deepEqual(violations(raised, 'wgsl'), []);
    // No one side of the tile heals this, nor do all the invocations there are: but after them one
    // does.
    const few = [
      'webgpuLimits={"invocations":1}',
      'schedule.algorithm=thread-tile-2d',
      'schedule.block={"m":128,"n":128,"k":8}',
      'schedule.thread={"m":2,"n":1}',
    ];
    const step = violation(few, 'wgsl');
    assert.deepEqual([step.path, step.nearest], ['webgpuLimits.invocations', 4096]);
    const next = violation([...few, 'webgpuLimits={"invocations":4096}'], 'wgsl');
    assert.deepEqual([next.path, next.nearest], ['schedule.block.m', 64]);
  });

  it('proposes the nearest block tile for a side that no thread tile divides', () => {
    const odd = ['schedule.algorithm=thread-tile-2d', 'schedule.block={"m":5609,"n":1,"k":8}'];
    const [first] = violations(odd);
    assert.equal(first?.path, 'schedule');
    assert.deepEqual(first.nearest, {
      algorithm: 'thread-tile-2d',
      block: { m: 5608, n: 1, k: 8 },
      thread: { m: 8, n: 1 },
    });
  });

  it('limits shared memory to 227 KiB on Hopper and 16 KiB in WebGPU, with the sum in the message', () => {
    const deep = (k: number, target: Target) =>
      violations([...tile, `schedule.block.k=${k}`], target);
    assert.deepEqual(deep(32, 'wgsl'), []);
    const [over] = deep(33, 'wgsl');
    assert.equal(
      over?.message,
      "(64 x 33 + 33 x 64) x 4 B = 16,896 B of shared memory > 16,384 B (WebGPU's default limits).",
    );
    assert.equal(over.nearest, 32);
    assert.deepEqual(deep(454, 'cuda'), []);
    assert.equal(deep(455, 'cuda')[0]?.rule, 'shared-memory');
  });

  it('requires thread tiles to divide block tiles', () => {
    const odd = violation([...tile, 'schedule.thread.m=5']);
    assert.equal(odd.rule, 'thread-tile');
    assert.equal(odd.path, 'schedule.thread.m');
    assert.equal(odd.nearest, 4);
  });

  it('fixes two fields that violate one rule separately', () => {
    const odd = violations([...tile, 'schedule.thread={"m":3,"n":5}']);
    assert.deepEqual(
      odd.filter(({ rule }) => rule === 'thread-tile').map(({ path, nearest }) => [path, nearest]),
      [
        ['schedule.thread.m', 4],
        ['schedule.thread.n', 4],
      ],
    );
  });

  it('limits minBlocksPerSm by the threads per SM', () => {
    assert.deepEqual(violations([...tile, 'schedule.minBlocksPerSm=8']), []);
    const over = violation([...tile, 'schedule.minBlocksPerSm=9']);
    assert.deepEqual([over.rule, over.nearest], ['min-blocks-per-sm', 8]);
  });

  it('requires alpha and beta to fit their type', () => {
    assert.deepEqual(violations(['problem.alpha=3e38']), []);
    assert.equal(violation(['problem.alpha=1e39']).path, 'problem.alpha');
  });

  it('caps the expected registers at the __launch_bounds__ limit', () => {
    const wide = plan(
      resolve({
        problem: { m: 1024, n: 1024, k: 1024 },
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 256, n: 256, k: 8 },
          thread: { m: 8, n: 8 },
        },
      }),
      'cuda',
    );
    assert.ok(wide.ok && wide.plan.registersEstimate === 64);
  });

  it('accepts 16 x 12 accumulators in 255 registers, and rejects 16 x 16', () => {
    const big = (m: number, n: number) =>
      violations([
        ...tile,
        'schedule.block={"m":192,"n":192,"k":8}',
        `schedule.thread={"m":${m},"n":${n}}`,
      ]);
    assert.deepEqual(big(16, 12), []);
    assert.ok(big(16, 16).some(({ rule }) => rule === 'registers'));
  });

  it('limits the grid to 65,535 blocks along y on CUDA and along x and y in WebGPU', () => {
    const tall = (rows: number, target: Target) =>
      violations(
        [...naive, 'schedule.block={"m":4,"n":8}', 'problem.k=1', `problem.n=${rows}`],
        target,
      );
    assert.deepEqual(tall(65_535 * 8, 'cuda'), []);
    const over = tall(65_535 * 8 + 1, 'cuda');
    assert.equal(over[0]?.rule, 'grid');
    assert.equal(over[0].path, 'schedule.block.n');
    assert.equal(over[0].nearest, 9);
    const wide = [
      'schedule.algorithm=coalesced',
      'schedule.block={"m":4,"n":8}',
      'problem.k=1',
      'problem.n=524281',
    ];
    assert.equal(violation(wide, 'wgsl').rule, 'grid');
    assert.deepEqual(violations(wide, 'cuda'), []);
  });

  it('limits the batch by grid.z, and requires C matrices not to overlap', () => {
    assert.deepEqual(violations(['problem.batch=65535']), []);
    assert.deepEqual(
      violations(['problem.batch=65536']).map(({ rule, nearest }) => [rule, nearest]),
      [['batch', 65_535]],
    );
    const strided = ['problem.batch=2', 'problem.a.batchStride=0'];
    assert.deepEqual(violations([...strided, 'problem.c.batchStride=1048576']), []);
    const over = violation([...strided, 'problem.c.batchStride=1048575']);
    assert.deepEqual([over.rule, over.nearest], ['batch-stride', 1_048_576]);
  });

  it('requires leading dimensions of at least the packed size', () => {
    assert.deepEqual(violations(['problem.a.ld=1024']), []);
    const short = violation(['problem.a.ld=1023']);
    assert.deepEqual(
      [short.rule, short.path, short.nearest],
      ['leading-dimension', 'problem.a.ld', 1024],
    );
    assert.equal(violation(['problem.b={"layout":"col","ld":1023}']).path, 'problem.b.ld');
  });

  it('uses 32-bit sizes, and 64-bit offsets beyond 2^31 elements', () => {
    assert.deepEqual(
      violations([...naive, 'problem.k=1', 'problem.n=8', 'problem.m=1073741824']),
      [],
    );
    assert.equal(
      violation([...naive, 'problem.k=1', 'problem.n=8', 'problem.m=1073741825']).nearest,
      2 ** 30,
    );
    const planned = plan(resolve({ problem: { m: 65536, n: 65536, k: 8 } }), 'cuda');
    assert.ok(planned.ok);
    assert.deepEqual(planned.plan.wideOffsets, ['c']);
    // Row 65,535 of C ends at element 2^31 - 1 or one behind it.
    const wide = (n: number) => {
      const c = { ld: 32768 };
      const at = plan(resolve({ problem: { m: 65536, n, k: 8, c } }), 'cuda');
      return at.ok && at.plan.wideOffsets.includes('c');
    };
    assert.deepEqual([wide(32767), wide(32768)], [false, true]);
  });

  it('rejects unused fields and unsupported algorithms, types and batches', () => {
    assert.deepEqual(
      violations([...tile, 'schedule.stages=2']).map(({ rule, path, nearest }) => [
        rule,
        path,
        nearest,
      ]),
      [['unused-field', 'schedule.stages', null]],
    );
    assert.equal(
      violation([...naive, 'schedule.block={"m":16,"n":16,"k":8}']).path,
      'schedule.block.k',
    );
    assert.deepEqual(violations([...tile, 'schedule.swizzle=none', 'schedule.splitK=1']), []);
    assert.equal(violation([...naive, 'schedule.raster.group=1']).path, 'schedule.raster.group');
    assert.equal(violation(['schedule.algorithm=wgmma']).rule, 'matrix-type');
    assert.equal(
      violation(['schedule.algorithm=shared-tile', 'schedule.variant=swap']).nearest,
      '2d',
    );
    assert.equal(violation(['problem.a.dtype=s32', 'problem.alpha=0.5']).rule, 'scalar');
    assert.equal(violation(['device=apple-m2']).path, 'device');
  });

  it('limits addresses to 49 bits on CUDA and u32 in WGSL, including the batch', () => {
    const wide = (...more: string[]) => ['problem={"m":8,"n":8,"k":8}', ...naive, ...more];
    const batched = wide('problem.batch=65535', 'problem.a.batchStride=2147483647');
    const span = 65_534 * 2_147_483_647 + 64;
    assert.ok(span < 2 ** 47);
    assert.deepEqual(violations(batched), []);
    const doubles = violation([...batched, 'problem.a.dtype=f64', 'problem.batch=65534']);
    assert.deepEqual([doubles.rule, doubles.path], ['index-range', 'problem.batch']);
    assert.equal(doubles.nearest, 1 + Math.floor((2 ** 46 - 64) / 2_147_483_647));
    assert.equal(violation(batched, 'wgsl').nearest, 2);
    assert.deepEqual(violations([...batched, 'problem.batch=2'], 'wgsl'), []);
  });

  it('fixes all violations of a field with one value', () => {
    const huge = ['problem={"m":2000000000,"n":8,"k":1}', ...naive];
    const found = violations(huge, 'wgsl').filter(
      ({ rule, path }) => rule === 'index-range' && path === 'problem.m',
    );
    assert.ok(found.length > 1, JSON.stringify(found));
    assert.equal(new Set(found.map(({ nearest }) => nearest)).size, 1);
  });

  it('accepts a batch of 65,535, and rejects 65,536', () => {
    const batch = (count: number) => [
      'problem={"m":1,"n":1,"k":1}',
      ...naive,
      `problem.batch=${count}`,
    ];
    for (const target of ['cuda', 'wgsl'] as const) {
      assert.deepEqual(violations(batch(65_535), target), []);
      const over = violation(batch(65_536), target);
      assert.deepEqual([over.rule, over.path, over.nearest], ['batch', 'problem.batch', 65_535]);
    }
  });

  it('reports rule, path and a nearest value that fixes the violation', () => {
    let healed = 0;
    fc.assert(
      fc.property(specs, fc.constantFrom<Target>('cuda', 'wgsl'), (spec, target) => {
        const planned = plan(resolve(spec), target);
        if (planned.ok) return;
        for (const { rule, path, message, nearest } of planned.violations) {
          assert.ok(rule !== '' && path !== '' && message.length > 10);
          if (nearest === null) continue;
          const value = typeof nearest === 'string' ? nearest : JSON.stringify(nearest);
          const repaired = applyOverrides(spec, [`${path}=${value}`]);
          assert.ok(repaired.ok);
          const decoded = decodeSpec(repaired.value);
          assert.ok(decoded.ok, JSON.stringify(decoded));
          const after = plan(resolve(decoded.spec), target);
          const rest = after.ok ? [] : after.violations;
          assert.ok(
            !rest.some(other => other.rule === rule && other.path === path),
            `${path}=${value}: ${JSON.stringify(rest)}`,
          );
          healed++;
        }
      }),
      { ...runs(1000, 100), seed: 7 },
    );
    assert.ok(healed > 100, `only ${healed} violations had a nearest value`);
  });
});

describe('geometry of a plan', () => {
  const planned = (spec: ResolvedSpec) => {
    const result = plan(spec, 'cuda');
    assert.ok(result.ok);
    return result.plan;
  };

  it('follows the problem and the device for a fixed schedule', () => {
    const spec = resolve({ problem: { m: 64, n: 64, k: 64 } });
    assert.equal(planned(spec).tiles.m, 1);
    const taller = { ...spec, problem: { ...spec.problem, m: 128 } };
    assert.equal(planned(taller).tiles.m, 128 / planned(taller).tile.m);
    assert.notEqual(planned({ ...spec, device: 'a100-sxm-80gb' }).tile, planned(spec).tile);
  });

  it('counts partial boundary tiles of C', () => {
    const { tiles, tile } = planned(resolve({ problem: { m: 65, n: 129, k: 8 } }));
    assert.deepEqual(tiles, { m: Math.ceil(65 / tile.m), n: Math.ceil(129 / tile.n) });
  });
});
