import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../src/core/report/analyze';
import { occupancy, type OccupancyInput } from '../../../src/core/occupancy/occupancy';
import { occupancyCurves, stepOf } from '../../../src/core/occupancy/occupancyCurves';
import { occupancyEdits, type OccupancyEdits } from '../../../src/core/occupancy/occupancyEdits';
import { nextStep } from '../../../src/core/occupancy/occupancySteps';
import { computeCapabilityNames } from '../../../src/core/hardware/computeCapability';
import { deviceOf, type DeviceId } from '../../../src/core/hardware/devices';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { toSpec } from '../../../src/core/spec/toSpec';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { applyChanges } from '../../../webview/edit';
import { specs } from '../../helpers/specs';
import { runs } from '../../helpers/depth';

const inputs: fc.Arbitrary<OccupancyInput> = fc.record({
  computeCapability: fc.constantFrom(...computeCapabilityNames),
  threadsPerBlock: fc.integer({ min: 1, max: 1024 }),
  registersPerThread: fc.integer({ min: 1, max: 255 }),
  sharedBytesPerBlock: fc.integer({ min: 0, max: 65_536 }),
});

const blocks = (input: OccupancyInput): number => {
  const result = occupancy(input);
  assert.ok(result.ok);
  return result.occupancy.blocksPerSm;
};

describe('occupancy curves', () => {
  it('are the calculator at every value, without gaps', () => {
    fc.assert(
      fc.property(inputs, fc.double({ min: 0, max: 1, noNaN: true }), (input, part) => {
        const curves = occupancyCurves(input);
        assert.equal(curves.length, 3);
        for (const curve of curves) {
          const [first, last] = [curve.steps[0], curve.steps.at(-1)];
          assert.ok(first !== undefined && last !== undefined);
          for (const [index, step] of curve.steps.entries()) {
            assert.equal(step.from, (curve.steps[index - 1]?.to ?? first.from - 1) + 1);
          }
          const value = Math.round(first.from + part * (last.to - first.from));
          const result = occupancy({ ...input, [curve.parameter]: value });
          assert.ok(result.ok);
          const { blocksPerSm, activeWarps } = result.occupancy;
          const step = stepOf(curve, value);
          assert.deepEqual([step?.blocksPerSm, step?.activeWarps], [blocksPerSm, activeWarps]);
        }
      }),
      { ...runs(500) },
    );
  });

  it('show what is handed out: whole warps, registers by 8, shared memory with its reserve', () => {
    const [threads, registers, shared] = occupancyCurves({
      computeCapability: '9.0',
      threadsPerBlock: 100,
      registersPerThread: 97,
      sharedBytesPerBlock: 8192,
    });
    assert.deepEqual([threads?.current, threads?.allocated, threads?.unit], [100, 128, 32]);
    assert.deepEqual([registers?.current, registers?.allocated, registers?.unit], [97, 104, 8]);
    assert.deepEqual([shared?.allocated, shared?.reserved, shared?.unit], [9216, 1024, 128]);
  });

  it('are none of an unknown compute capability', () => {
    const input = { threadsPerBlock: 1, registersPerThread: 1, sharedBytesPerBlock: 0 };
    assert.deepEqual(occupancyCurves({ ...input, computeCapability: '3.0' }), []);
  });
});

describe('the next step of occupancy', () => {
  const FIELD = {
    threads: 'threadsPerBlock',
    registers: 'registersPerThread',
    'shared-memory': 'sharedBytesPerBlock',
  } as const;

  it('is reached by giving just that, and by giving no less', () => {
    fc.assert(
      fc.property(inputs, input => {
        const step = nextStep(input);
        assert.ok(step !== null);
        if (!step.reachable) return;
        const given = step.needs.reduce(
          (at, { resource, need }) => ({ ...at, [FIELD[resource]]: need }),
          input,
        );
        assert.ok(blocks(given) >= step.blocksPerSm);
        assert.equal(step.blocksPerSm, blocks(input) + 1);
        for (const { resource, have, need } of step.needs) {
          assert.ok(need < have);
          const less = { ...given, [FIELD[resource]]: need + 1 };
          assert.ok(blocks(less) < step.blocksPerSm, `${resource} ${need + 1} does too`);
        }
      }),
      { ...runs(1000) },
    );
  });

  it('is none where every warp is active, and where the block slots are taken', () => {
    const input = { computeCapability: '9.0', registersPerThread: 32, sharedBytesPerBlock: 0 };
    assert.deepEqual(nextStep({ ...input, threadsPerBlock: 256 }), {
      reachable: false,
      why: 'full',
    });
    assert.deepEqual(nextStep({ ...input, threadsPerBlock: 32 }), {
      reachable: false,
      why: 'block-slots',
    });
  });

  it('names the registers of the default tile: 104 give 2 blocks, 80 would give 3', () => {
    const step = nextStep({
      computeCapability: '9.0',
      threadsPerBlock: 256,
      registersPerThread: 104,
      sharedBytesPerBlock: 8192,
    });
    assert.deepEqual(step, {
      reachable: true,
      blocksPerSm: 3,
      needs: [{ resource: 'registers', have: 104, need: 80 }],
    });
  });
});

describe('edits that raise occupancy', () => {
  const editsOf = (spec: GemmSpec, device: DeviceId, registers?: number) => {
    const resolved = resolve({ ...spec, device });
    const planned = plan(resolved, 'cuda');
    if (!planned.ok) return null;
    const { sharedBytes } = planned.plan;
    const { occupancy: report } = analyze(emit(planned.plan), {
      device,
      ...(registers === undefined ? {} : { resources: { registers, sharedBytes } }),
    });
    assert.ok(report !== null);
    const input = { plan: planned.plan, device: deviceOf(device), report };
    return { resolved, report, found: occupancyEdits(input) };
  };
  const words = ({ edits }: OccupancyEdits) =>
    edits.map(({ changes }) => changes.map(({ path, from, to }) => `${path} ${from} ${to}`).join());
  const tile = (m: number, n: number): GemmSpec => ({
    problem: { m: 2048, n: 2048, k: 2048 },
    schedule: {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m, n },
    },
  });

  it('are legal, give the occupancy they promise, and each is passed by no cheaper one', () => {
    fc.assert(
      fc.property(specs, fc.constantFrom('h200', 't4', 'rtx-4090'), (spec, device) => {
        const result = editsOf(spec, device);
        if (result === null) return;
        const { resolved, report, found } = result;
        for (const [index, edit] of found.edits.entries()) {
          assert.ok(edit.activeWarps > report.activeWarps);
          assert.ok(edit.activeWarps > (found.edits[index - 1]?.activeWarps ?? 0));
          const changes = Object.fromEntries(edit.changes.map(({ path, to }) => [path, to]));
          const applied = applyChanges(toSpec(resolved), resolved, changes);
          assert.ok(applied.ok, JSON.stringify(applied));
          const planned = plan(resolve(applied.spec), 'cuda');
          assert.ok(planned.ok, JSON.stringify(planned));
          const after = analyze(emit(planned.plan), { device }).occupancy;
          assert.deepEqual(
            [after?.blocksPerSm, after?.activeWarps, after?.registers.value, after?.threads],
            [edit.blocksPerSm, edit.activeWarps, edit.registers, edit.threads],
          );
        }
      }),
      { ...runs(60) },
    );
  }).timeout(60_000);

  it('halve the thread tile with the block tile: 8x8 to 4x8 gives 3 blocks of 256 threads', () => {
    const found = editsOf(tile(8, 8), 'h200')?.found;
    assert.ok(found);
    const [first] = found.edits;
    assert.equal(words(found)[0], 'schedule.block.m 128 64,schedule.thread.m 8 4');
    assert.deepEqual([first?.blocksPerSm, first?.threads, first?.registers], [3, 256, 68]);
    assert.ok(first !== undefined && first.cost.ratio < found.cost.ratio, 'more traffic');
    assert.deepEqual([found.cost.resultsPerThread, first.cost.resultsPerThread], [64, 32]);
  });

  it('carry over what the compiler needed beyond the estimate', () => {
    const found = editsOf(tile(8, 8), 'h200', 120)?.found;
    assert.equal(found?.edits[0]?.registers, 68 + (120 - 104));
  });

  it('say where the compiler would have to spill', () => {
    const edits = editsOf(tile(8, 8), 'h200', 128)?.found.edits ?? [];
    const forced = edits.filter(edit => edit.forced);
    assert.ok(forced.length > 0);
    for (const edit of forced) {
      assert.deepEqual(
        edit.changes.map(({ path }) => path),
        ['schedule.minBlocksPerSm'],
      );
    }
  });

  it('are none where every warp is active', () => {
    const spec: GemmSpec = {
      problem: { m: 512, n: 512, k: 512 },
      schedule: { algorithm: 'naive', block: { m: 16, n: 16 } },
    };
    assert.deepEqual(editsOf(spec, 'h200')?.found.edits, []);
  });
});
