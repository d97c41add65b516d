/** The winner of a tune as a dispatch row: of the GPU that measured it, whatever device the spec names. */
import assert from 'node:assert/strict';
import { dispatched } from '../../../src/core/dispatch/dispatched';
import { tablesWith } from '../../../src/core/dispatch/shipped';
import { resolve, withoutTables } from '../../../src/core/spec/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { adoptedText, rowOfTune } from '../../../src/core/tune/adopted';
import type { TuneSummary } from '../../../src/core/tune/events';
import { fakeBench } from './fakeBench';
import { play } from './playing';

const measuredBy = async (name: string): Promise<TuneSummary> => {
  const summary = await play(fakeBench({ timeOf: () => 1 }), { schedules: 2 });
  const measuredOn = { name, adapter: 'fake', driver: '580', where: 'test' };
  return { ...summary, measuredOn };
};

describe('the winner of a tune, adopted', () => {
  it('is of the GPU that measured it, and taken by specs of that device', async () => {
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
      assert.match(adoptedText(summary), /^Adopted: specs of this shape/);
    }
  });

  it('is taken by nobody where the device is in no table, and that is said', async () => {
    const summary = await measuredBy('SwiftShader (software)');
    assert.equal(rowOfTune(summary, 'tune.jsonl')?.device, 'SwiftShader (software)');
    assert.match(adoptedText(summary), /no spec takes .* SwiftShader \(software\) is not in/);
  });
});
