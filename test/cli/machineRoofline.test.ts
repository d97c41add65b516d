/** The roof of a kernel is the same on the page, in the CLI and in the Runs view. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import type { Ceiling, Roofline } from '../../src/core/roofline/contract';
import { machineOf } from '../../src/core/roofline/roofline';
import { emit } from '../../src/core/kernel/emit';
import { sourceHashOf } from '../../src/core/text/hash';
import { measurementSchema, type Measurement } from '../../src/core/measure/measurement';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { rooflineFraction } from '../../src/extension/runs/runFacts';
import { derive } from '../../webview/derive';
import { initialState } from '../../webview/state';
import { cli, inFolder, jsonOf } from './cli';
import { CUDA_VIEW } from '../helpers/cudaView';
import { timed } from '../helpers/measurements';

const size = { m: 1024, n: 1024, k: 1024 };
const [f16, bf16] = [{ dtype: 'f16' }, { dtype: 'bf16' }] as const;
const SPECS: Readonly<Record<string, GemmSpec>> = {
  'f32 on ordinary lanes': { problem: size, schedule: { algorithm: 'warp-tile' } },
  'f16 on mma': { problem: { ...size, a: f16, b: f16 }, schedule: { algorithm: 'mma' } },
  'bf16 on wgmma': { problem: { ...size, a: bf16, b: bf16 }, schedule: { algorithm: 'wgmma' } },
  'f32 split on mma': { problem: size, schedule: { algorithm: 'mma', split: 'bf16x6' } },
  'f32 split on wgmma': { problem: size, schedule: { algorithm: 'wgmma', split: 'tf32x3' } },
};
const MACHINES = ['NVIDIA H200', 'GPU X'] as const;

const fixture: unknown = JSON.parse(readFileSync('test/fixtures/h200-ceilings.json', 'utf8'));
const CEILINGS = v.parse(measurementSchema.entries.ceilings.wrapped, fixture);

type Roof = Pick<Roofline, 'ceilings' | 'attainable'>;

/** Returns a roof as JSON has it, where a missing number is null. */
const roofIn = (rooflines: readonly Roofline[], run: Measurement): Roof => {
  // The analysed device has its own name, every other machine that of its runs.
  const names = [run.device.name, machineOf(run)];
  const found = rooflines.find(({ machine }) => names.includes(machine));
  assert.ok(found, `no roofline of ${run.device.name}`);
  const { ceilings, attainable } = found;
  return JSON.parse(JSON.stringify({ ceilings, attainable })) as Roof;
};

function onPage(spec: GemmSpec, runs: readonly Measurement[]): readonly Roofline[] {
  const { shown } = derive({ ...initialState(CUDA_VIEW), spec, runs });
  assert.ok(shown.ok);
  return shown.rooflines;
}

async function inCli(spec: GemmSpec, runs: readonly Measurement[]): Promise<readonly Roofline[]> {
  const rooflines: Roofline[] = [];
  await inFolder(async folder => {
    const file = path.join(folder, 'runs.jsonl');
    writeFileSync(file, runs.map(run => JSON.stringify(run)).join('\n'));
    const args = ['analyze', '-', '--estimate', '--runs', file, '--json'];
    const ran = await cli(args, JSON.stringify(spec));
    assert.equal(ran.code, 0, ran.stderr);
    const { roofline, machineRooflines } = jsonOf(ran) as {
      readonly roofline: Roofline;
      readonly machineRooflines: readonly Roofline[];
    };
    rooflines.push(roofline, ...machineRooflines);
  });
  return rooflines;
}

describe('the roof of a kernel', () => {
  for (const [title, partial] of Object.entries(SPECS)) {
    const spec: GemmSpec = { ...partial, device: 'h200', targets: ['cuda'] };
    const planned = plan(resolve(spec), 'cuda');
    const runOn = (name: string, sourceHash: string): Measurement =>
      timed({ gflops: 9000, resolved: resolve(spec), name, sourceHash, ceilings: CEILINGS });

    for (const name of MACHINES) {
      it(`is one for page, CLI and Runs view: ${title}, ${name}`, async () => {
        assert.ok(planned.ok, JSON.stringify(planned));
        const run = runOn(name, sourceHashOf(emit(planned.plan)));
        const page = roofIn(onPage(spec, [run]), run);
        assert.deepEqual(roofIn(await inCli(spec, [run]), run), page);
        const fraction = rooflineFraction(run);
        const attainable = page.attainable.value as number | null;
        assert.equal(fraction, attainable === null ? undefined : 9 / attainable);
        const names = page.ceilings.map((ceiling: Ceiling) => ceiling.name);
        assert.ok(names.includes('L2 reads, measured on this GPU'), names.join());
        // A machine that ran another kernel has the same ceilings for this one.
        const other = runOn(name, 'b'.repeat(64));
        assert.deepEqual(roofIn(onPage(spec, [other]), other), page);
      });
    }
  }
});
