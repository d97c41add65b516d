/**
 * Our occupancy beside NVIDIA's `cuda_occupancy.h`: on 200,000 random cases where the toolkit is installed, and
 * everywhere on the committed sample of them, which `UPDATE_OCCUPANCY_FIXTURE=1` writes anew.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  findReference,
  type OccupancyCase,
  type ReferenceAnswers,
} from '../../scripts/occupancyReference';
import { LIMITERS, occupancy } from '../../src/core/analysis/occupancy';
import { limitsOf, computeCapabilityNames } from '../../src/core/device/computeCapability';

const FIXTURE = 'test/fixtures/occupancyCases.json';
const CASES = 200_000;
const FIXTURE_CASES = 2_000;
const SEED = 2;

interface Fixture {
  readonly source: string;
  readonly columns: string;
  readonly cases: readonly string[];
}

/** Integers in [0, n), the same in every run (mulberry32). */
function randomIntegers(seed: number): (n: number) => number {
  let state = seed;
  return n => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Cases all over the input, with more of them at and beside the edges of allocation units and limits. */
function drawCases(count: number): OccupancyCase[] {
  const below = randomIntegers(SEED);
  const nearMultiple = (unit: number, count: number): number =>
    Math.max(0, unit * below(count + 1) + below(3) - 1);
  return Array.from({ length: count }, () => {
    const computeCapability = computeCapabilityNames[below(computeCapabilityNames.length)]!;
    const most = limitsOf(computeCapability).sharedBytesPerBlockOptIn;
    const threads = [1 + below(1100), 32 * (1 + below(33)), nearMultiple(32, 33)][below(3)]!;
    const registers = [below(260), nearMultiple(8, 33)][below(2)]!;
    const shared = [
      0,
      below(most + 4096),
      below(16384),
      nearMultiple(128, most / 128 + 8),
      nearMultiple(1024, most / 1024 + 2),
    ][below(5)]!;
    return [computeCapability, Math.max(1, threads), registers, shared];
  });
}

/** Our answer in the reference's form. */
function ours([
  computeCapability,
  threadsPerBlock,
  registersPerThread,
  sharedBytesPerBlock,
]: OccupancyCase): readonly number[] {
  const result = occupancy({
    computeCapability,
    threadsPerBlock,
    registersPerThread,
    sharedBytesPerBlock,
  });
  assert.ok(result.ok);
  const { blocksPerSm, limiters, registersPerBlockAllocated, sharedBytesAllocated } =
    result.occupancy;
  const mask = limiters.reduce((sum, limiter) => sum + 2 ** LIMITERS.indexOf(limiter), 0);
  return [blocksPerSm, mask, registersPerBlockAllocated, sharedBytesAllocated];
}

function assertEqual(cases: readonly OccupancyCase[], expected: ReferenceAnswers['rows']): void {
  assert.equal(expected.length, cases.length);
  const differing = cases
    .map((input, i) => ({ input, ours: ours(input).join(' '), reference: expected[i]!.join(' ') }))
    .filter(row => row.ours !== row.reference);
  assert.deepEqual(differing.slice(0, 5), [], `${differing.length} of ${cases.length} differ`);
}

const toolkit = (cudaVersion: number): string =>
  `cuda_occupancy.h of CUDA ${Math.floor(cudaVersion / 1000)}.${(cudaVersion % 1000) / 10}`;

function writeFixture(cases: readonly OccupancyCase[], answers: ReferenceAnswers): void {
  const fixture: Fixture = {
    source: toolkit(answers.cudaVersion),
    columns:
      'computeCapability threadsPerBlock registersPerThread sharedBytesPerBlock: ' +
      'blocksPerSm limiters(1 threads, 2 registers, 4 shared-memory, 8 blocks) registersAllocated sharedBytesAllocated',
    cases: cases
      .slice(0, FIXTURE_CASES)
      .map((input, i) => `${input.join(' ')}: ${answers.rows[i]!.join(' ')}`),
  };
  writeFileSync(FIXTURE, JSON.stringify(fixture, null, 2) + '\n');
}

describe('occupancy beside cuda_occupancy.h', () => {
  const reference = findReference();
  const title = `is the same on ${CASES} random cases`;
  if (reference.ok) {
    it(title, () => {
      const cases = drawCases(CASES);
      const answers = reference.run(cases);
      assertEqual(cases, answers.rows);
      if (process.env['UPDATE_OCCUPANCY_FIXTURE'] === '1') writeFixture(cases, answers);
    }).timeout(60_000);
  } else {
    it.skip(`${title} (skipped: ${reference.reason})`);
  }

  it('is the same on the committed sample', () => {
    const { cases } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Fixture;
    assert.equal(cases.length, FIXTURE_CASES);
    const rows = cases.map(line => line.split(': ') as [string, string]);
    const inputs = rows.map(([input]): OccupancyCase => {
      const [computeCapability, ...numbers] = input.split(' ');
      return [computeCapability!, ...(numbers.map(Number) as [number, number, number])];
    });
    const answers = rows.map(([, answer]) => answer.split(' ').map(Number));
    assertEqual(inputs, answers);
    // A sample that never meets a limit would prove nothing about it.
    const limiters = answers.reduce((seen, [, mask]) => seen | mask!, 0);
    assert.equal(limiters, 1 + 2 + 4 + 8);
    assert.ok(answers.some(([blocks]) => blocks === 0));
  });
});
