/** The winner of a tuning run as a dispatch row of the GPU that measured it. */
import assert from 'node:assert/strict';
import { dispatched } from '../../../../src/core/defaults/dispatch/dispatched';
import { tablesWith } from '../../../../src/core/defaults/dispatch/shipped';
import { parseAdopted, rowLine } from '../../../../src/core/defaults/dispatch/rowLines';
import { tablesOf } from '../../../../src/core/defaults/dispatch/table';
import { resolve, resolveWithOrigin, withoutTables } from '../../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { adoptedText, rowOfTune } from '../../../../src/core/search/tune/adopted';
import type { TuneSummary } from '../../../../src/core/search/tune/events';
import { SMALL } from '../../defaults/dispatch/tables';
import { fakeBench } from './fakeBench';
import { play } from './playing';

const measuredBy = async (name: string, adapter = 'fake'): Promise<TuneSummary> => {
  const summary = await play(fakeBench({ timeOf: () => 1 }), { schedules: 2 });
  const measuredOn = { name, adapter, driver: '580', where: 'test' };
  return { ...summary, measuredOn };
};

/** As if an adapter had measured it. */
const onAdapter = async (name: string, adapter: string): Promise<TuneSummary> => {
  const summary = await measuredBy(name, adapter);
  const { winner, place } = summary;
  assert.ok(winner !== null);
  return {
    ...summary,
    winner: { ...winner, schedule: SMALL },
    place: { ...place, backend: 'webgpu', target: 'wgsl' },
  };
};

describe('the adopted winner of a tuning run', () => {
  it('applies to specs of the measuring GPU', async () => {
    for (const [name, device] of [
      ['NVIDIA H200', 'h200'],
      ['NVIDIA A100-SXM4-80GB', 'a100-sxm-80gb'],
    ] as const) {
      const summary = await measuredBy(name);
      const row = rowOfTune(summary, 'tune.jsonl');
      assert.equal(row?.device, device);
      const problem = { m: 512, n: 512, k: 512 };
      const spec: GemmSpec = { problem, device, targets: ['cuda'] };
      const found = dispatched(withoutTables(spec), spec, tablesWith([row]));
      assert.deepEqual(found?.schedule, resolve({ ...spec, schedule: row.schedule }).schedule);
      assert.match(adoptedText(summary), /^Adopted: specs with this or a similar shape/);
    }
  });

  it('applies to no spec if the device is not in the table, and reports it', async () => {
    const summary = await onAdapter('Rogue GX6250', 'img-tec rogue');
    assert.equal(rowOfTune(summary, 'tune.jsonl')?.device, 'Rogue GX6250');
    assert.match(adoptedText(summary), /no spec uses .* Rogue GX6250 is not in/);
    // A name tells nothing of what CUDA ran on.
    assert.equal(rowOfTune(await measuredBy('NVIDIA X'), '')?.family, undefined);
  });

  it('applies to adapters of its family, preferring the measuring one', async () => {
    const summary = await onAdapter('SwiftShader (software)', 'google swiftshader');
    const row = rowOfTune(summary, 'tune.jsonl');
    assert.deepEqual([row?.device, row?.family], ['SwiftShader (software)', 'swiftshader']);
    assert.match(adoptedText(summary), /^Adopted for .* another SwiftShader adapter/);
    assert.ok(row !== null);
    const read = parseAdopted({ lines: rowLine({ revision: 1, row }), old: undefined });
    assert.deepEqual(read.problems, []);
    const { m, n, k } = row.shape;
    const spec: GemmSpec = { problem: { m, n, k } };
    const own = tablesOf({ rows: read.rows, origin: 'adopted' });
    const on = (device: string) =>
      resolveWithOrigin(spec, own, { family: 'swiftshader', device }).found;
    const [same, other] = [on('SwiftShader (software)'), on('SwiftShader of another name')];
    assert.deepEqual([same?.how, other?.how], ['measured', 'measured']);
    assert.deepEqual(same?.schedule, resolve({ ...spec, schedule: row.schedule }).schedule);
    assert.deepEqual(
      [same, other].map(found => found?.how === 'measured' && found.kin),
      ['device', 'family'],
    );
    assert.equal(resolveWithOrigin(spec, own, { family: 'arm' }).found, null);
    // Without an adapter nobody takes it: the answer must not depend on the machine.
    assert.equal(resolveWithOrigin(spec, own).found, null);
  });
});
