/**
 * Races with the real runner, both ends of their protocol, and their record: on the CPU, where a
 * shim stands for the GPU.
 */
import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { raceSections, readRace } from '../../scripts/dispatch/race';
import { startRacing, type Racing } from '../src/dispatch/racing';
import type { ResolvedSchedule } from '../../src/core/spec/resolved';
import { endRunners } from '../../src/host/cuda/runner/runners';
import { onWholeMachine } from '../../test/host/cuda/wholeMachine';

const tile = (m: number, n: number, k: number): ResolvedSchedule => ({
  algorithm: 'shared-tile',
  block: { m, n, k },
  variant: '2d',
});
const EIGHT = tile(8, 8, 8);
const ODD = tile(8, 16, 4);
/** Of no device: too many threads. */
const ILLEGAL = tile(64, 64, 8);

describe('races of schedules, on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(120_000);
  let folder: string;
  let nvcc: string;
  after(endRunners);
  onWholeMachine((...made) => {
    [folder, nvcc] = made;
  });

  const racing = (name: string, over: Partial<Racing> = {}): Racing => ({
    candidates: [EIGHT, ILLEGAL, ODD],
    shapes: [
      { shape: { m: 33, n: 20, k: 21, batch: 1 }, layouts: 'rrr' },
      { shape: { m: 16, n: 48, k: 8, batch: 2 }, layouts: 'ccr' },
    ],
    out: path.join(folder, `${name}.jsonl`),
    command: 'a test',
    behind: Infinity,
    workers: 2,
    timing: { warmUpMs: 0.1, settleMs: 1, batchMs: 0.1, budgetMs: 10, samples: 3 },
    options: {
      search: { setting: nvcc, environment: { PATH: path.dirname(nvcc) } },
      where: 'cli',
      cacheFolder: path.join(folder, 'cache', 'build'),
      ceilings: false,
    },
    ...over,
  });
  const runAll = async (of: Racing): Promise<readonly string[]> => {
    const said: string[] = [];
    for (const turn of await startRacing(of)) said.push((await turn.run()).text);
    return said;
  };
  const sectionsOf = ({ out }: Racing) => raceSections(readFileSync(out, 'utf8'), out);

  it('time every legal schedule of every shape, and record why others were not', async () => {
    const of = racing('whole');
    assert.equal((await runAll(of)).length, 2);
    const [section, ...others] = sectionsOf(of);
    assert.ok(section !== undefined);
    assert.equal(others.length, 0);
    assert.deepEqual(section.head.candidates, of.candidates);
    assert.deepEqual([section.head.name, section.head.driver], ['CPU shim', '1.2.3']);
    for (const { gflops, why, blocksPerSm, behind } of section.shapes) {
      assert.deepEqual(
        gflops.map(rate => rate !== null && rate > 0),
        [true, false, true],
      );
      assert.deepEqual(why, { 1: 'not legal for this shape' });
      assert.deepEqual([typeof blocksPerSm[0], blocksPerSm[1], behind], ['number', null, []]);
    }
    const rows = readRace(of.out);
    assert.deepEqual(
      rows.map(({ schedule, layouts, shape }) => [schedule.block?.n, layouts, shape.batch]),
      [
        [8, 'rrr', 1],
        [16, 'rrr', 1],
        [8, 'ccr', 2],
        [16, 'ccr', 2],
      ],
    );
  });

  it('continue after a kill, and lose at most the line being written', async () => {
    const of = racing('resumed');
    await runAll(of);
    const whole = readFileSync(of.out, 'utf8');
    assert.deepEqual(await startRacing(of), []);
    truncateSync(of.out, whole.length - 20);
    const again = await startRacing(of);
    assert.deepEqual(
      again.map(({ input }) => input.layouts),
      ['ccr'],
    );
    for (const turn of again) assert.ok((await turn.run()).ok);
    const [section] = sectionsOf(of);
    assert.deepEqual(
      section?.shapes.map(({ layouts }) => layouts),
      ['rrr', 'ccr'],
    );
    // Other candidates are another section of the same record.
    const more = { ...of, candidates: [ODD], shapes: of.shapes.slice(0, 1) };
    assert.equal((await runAll(more)).length, 1);
    assert.deepEqual(
      sectionsOf(of).map(({ shapes }) => shapes.length),
      [2, 1],
    );
  });

  it('reject records of another GPU, driver or compiler', async () => {
    const of = racing('mixed');
    await runAll(of);
    const text = readFileSync(of.out, 'utf8');
    writeFileSync(of.out, text.replace('"driver":"1.2.3"', '"driver":"9"'));
    await assert.rejects(
      startRacing(of),
      /recorded with driver 9, but the current value is 1\.2\.3\. Fix: choose/,
    );
  });

  it('drop slow candidates from the race, and keep their rate', async () => {
    const of = racing('behind', {
      // One thread a block, and far more of them.
      candidates: [tile(1, 1, 1), tile(16, 16, 16)],
      shapes: [{ shape: { m: 64, n: 64, k: 64, batch: 1 }, layouts: 'rrr' }],
      behind: 1.5,
    });
    await runAll(of);
    const [shape] = sectionsOf(of)[0]?.shapes ?? [];
    assert.equal(shape?.behind.length, 1);
    assert.ok(shape.gflops.every(rate => rate !== null && rate > 0));
  });
});
