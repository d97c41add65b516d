/**
 * Features that kernels enable: which are asked for, and what is said of those that an adapter
 * lacks.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { dawnBackend, validateWgsl } from '../../src/host/dawn/backend';
import { openDawnBench } from '../../src/host/tune/dawnBench';
import { runOnWebgpu } from '../../src/webgpu/run';
import { fakeGpu, type FakeOptions } from './fakeGpu';
import { CORRECT, PAST_ITS_END, problemOf, runnableOf } from './fixtures';

const MATRIX = 'chromium-experimental-subgroup-matrix';
const quiet = () => ({ abort: new AbortController().signal, progress: () => undefined });
const requestOf = (source: string) => ({
  runnable: runnableOf(source, problemOf(16, 16, 16)),
  ...({ mode: 'verify', seed: 7 } as const),
});

describe('Features of a kernel', () => {
  const run = async (options: FakeOptions, source: string) => {
    const { env, log } = fakeGpu(options);
    return { log, measurement: await runOnWebgpu(env, requestOf(source), quiet()) };
  };

  it('are exactly those that its text enables', async () => {
    const features = ['timestamp-query', 'shader-f16', 'subgroups', MATRIX];
    const asked = async (head: string): Promise<readonly string[]> =>
      (await run({ features }, `${head}\n${CORRECT}`)).log.features;
    assert.deepEqual(await asked(''), ['timestamp-query']);
    assert.deepEqual(await asked('// enable f16;\n/* enable\nsubgroups; */'), ['timestamp-query']);
    const extensions = ['f16', 'subgroups', 'chromium_experimental_subgroup_matrix'];
    assert.deepEqual(await asked(`enable ${extensions.join(', ')};`), features);
    assert.deepEqual(await asked(`enable ${extensions.join('; enable ')}; enable f16;`), features);
  });

  it('are reported with a remedy if missing, before anything is created', async () => {
    const source = `enable chromium_experimental_subgroup_matrix;\nenable subgroups;\n${CORRECT}`;
    const withheld = { [MATRIX]: 'Start it with a switch.' };
    const { measurement, log } = await run({ withheld }, source);
    assert.deepEqual([measurement.outcome, log.devices], ['constraint', 0]);
    assert.deepEqual(measurement.message?.split('\n'), [
      `The kernel enables ${MATRIX}, which this adapter does not support. Start it with a switch.`,
      'The kernel enables subgroups, which this adapter does not support. Fix: use a different adapter.',
    ]);
  });
});

describe('experimental Dawn features', function () {
  this.timeout(30_000);
  const options = { worker: path.resolve('dist/dawnWorker.js'), where: 'cli' };

  it('are enabled by a switch, recorded in measurements', async function () {
    const backend = dawnBackend(options);
    if (!existsSync(options.worker) || !(await backend.probe()).available) this.skip();
    const request = requestOf(`enable chromium_experimental_subgroup_matrix;\n${CORRECT}`);
    const withheld = await backend.run(request, quiet());
    assert.equal(withheld.outcome, 'constraint');
    assert.match(withheld.message ?? '', /chromium-experimental-subgroup-matrix.*--experimental/);
    assert.equal(withheld.device.experimental, undefined);
    const offered = await dawnBackend({ ...options, experimental: true }).run(request, quiet());
    assert.deepEqual(offered.device, { ...withheld.device, experimental: true });
    // Drivers without cooperative matrices have none to offer.
    if (offered.outcome === 'constraint') assert.match(offered.message ?? '', /different adapter/);
    else assert.equal(offered.outcome, 'correct', offered.message);
    // Neither switch takes the other back.
    const both = dawnBackend({ ...options, experimental: true, robustness: 'off' });
    const past = await both.run(requestOf(PAST_ITS_END), quiet());
    assert.deepEqual([past.outcome, past.device.experimental], ['incorrect', true]);
  });

  it('are tried again with the switch despite an earlier rejection in the journal', async function () {
    const [without, withSwitch] = [
      await openDawnBench(options),
      await openDawnBench({ ...options, experimental: true }),
    ];
    if (!without.ok || !withSwitch.ok) return void this.skip();
    const keysOf = (dtype: 'f32' | 'f16') => {
      const operand = { dtype };
      const problem = { m: 16, n: 16, k: 16, a: operand, b: operand, c: operand };
      const planned = plan(resolve({ problem, schedule: { algorithm: 'naive' } }), 'wgsl');
      assert.ok(planned.ok);
      const kernel = emit(planned.plan);
      return [without.bench.keyOf(kernel), withSwitch.bench.keyOf(kernel)];
    };
    const [once, again] = keysOf('f32');
    assert.equal(once, again);
    const [refused, offered] = keysOf('f16');
    assert.notEqual(refused, offered);
    assert.deepEqual(without.identity, withSwitch.identity);
  });

  it("are checked on every machine despite Dawn's warnings", async function () {
    if (!existsSync(options.worker)) this.skip();
    const matrices = (body: string) => `enable chromium_experimental_subgroup_matrix;
@group(0) @binding(0) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(32) fn main() {
  let m = subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>>(&b, 0, false, 8);
  ${body}
}`;
    // Deprecated: for each of them a warning and a copy of its line, some 90 kB.
    const warned = 'subgroupMatrixStore(&b, 0, m, false, 8);\n'.repeat(1000);
    const texts = [{ source: matrices(warned) }, { source: matrices('missing();') }];
    const validated = await validateWgsl(options, texts);
    assert.ok(validated.ok, JSON.stringify(validated));
    const [none, broken] = validated.messages;
    assert.deepEqual(none, []);
    assert.match(broken?.[0]?.message ?? '', /unresolved call target 'missing'/);
  });
});
