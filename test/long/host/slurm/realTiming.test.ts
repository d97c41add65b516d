/** Tunes with real timing on a real Slurm: WGSL on Dawn, beside a local search. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isFaster } from '../../../../src/core/search/tune/compare';
import type { TuneResult, TuneSummary } from '../../../../src/core/search/tune/events';
import { FINALISTS } from '../../../../src/core/search/tune/finals';
import { cli, found, inFolder, type Ran } from '../../../cli/cli';
import { missingPrograms, startOneMachine, type OneMachine } from '../../../host/slurm/oneMachine';
import { record } from './record';

const TASKS = 4;
const SPEC = JSON.stringify({ problem: { m: 128, n: 128, k: 64 }, targets: ['wgsl'] });
/** As many schedules as finalists, so that the full protocol measures each of them in both runs. */
const SPACE = JSON.stringify(
  [8, 16].flatMap(m =>
    [8, 16].map(n => ({
      algorithm: 'vectorized',
      block: { m: 4 * m, n: 4 * n, k: 8 },
      thread: { m: 4, n: 4 },
      vector: 4,
    })),
  ),
);

const missing = missingPrograms();

describe(`real timing on Slurm (needs ${missing.length === 0 ? 'Slurm and Dawn' : missing.join(', ')})`, function () {
  this.timeout(600_000);
  let slurm: OneMachine | undefined;
  before(async function () {
    if (missing.length > 0 || !(await found('webgpu'))) return this.skip();
    slurm = await startOneMachine(TASKS);
  });
  after(() => slurm?.stop());

  it('has a winner in the same statistical tie as that of a local search', async () => {
    await inFolder(async folder => {
      writeFileSync(path.join(folder, 'space.json'), SPACE);
      const options = { cwd: folder, env: slurm?.environment ?? {} };
      const search = ['tune', '-', '--backend', 'webgpu', '--space', 'space.json', '--exhaustive'];
      const run = async (...args: string[]): Promise<TuneSummary> =>
        summaryOf(await cli([...search, '--json', ...args], SPEC, options));
      const local = await run('--journal', 'local.jsonl');
      const shared = await run('--slurm', '--tasks', String(TASKS), '--gres', 'none');
      assert.deepEqual([local.ended, shared.ended], ['done', 'done']);
      assert.equal(shared.measuredCount, local.measuredCount);
      assert.equal(local.measuredCount, FINALISTS);
      const [ours] = shared.ties;
      const [theirs] = local.ties;
      assert.ok(ours !== undefined && theirs !== undefined);
      const isTiedIn = (summary: TuneSummary): boolean => {
        const [one, other] = [timeIn(summary, ours), timeIn(summary, theirs)];
        return !isFaster(one, other) && !isFaster(other, one);
      };
      record('realTiming', {
        slurm: slurm?.version,
        tasks: TASKS,
        gpu: local.measuredOn?.name,
        local: timesOf(local),
        shared: timesOf(shared),
      });
      assert.ok(
        isTiedIn(local) || isTiedIn(shared),
        JSON.stringify({ local: timesOf(local), shared: timesOf(shared) }),
      );
    });
  });
});

const summaryOf = ({ stdout, stderr }: Ran): TuneSummary => {
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as TuneSummary;
};

const allOf = ({ ties, others }: TuneSummary): readonly TuneResult[] => [...ties, ...others];

function timeIn(summary: TuneSummary, { specKey }: TuneResult): TuneResult {
  const result = allOf(summary).find(one => one.specKey === specKey);
  assert.ok(result !== undefined, specKey);
  return result;
}

const timesOf = (summary: TuneSummary) =>
  allOf(summary).map(({ specKey, medianMs, errorPercent, effort }) => ({
    specKey,
    medianMs,
    errorPercent,
    effort,
  }));
