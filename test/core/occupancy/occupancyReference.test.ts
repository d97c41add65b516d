/**
 * Our occupancy beside NVIDIA's `cuda_occupancy.h`: on 200,000 random cases where the toolkit is installed, and
 * everywhere on the committed sample of them, which `UPDATE_OCCUPANCY_FIXTURE=1` writes anew.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { drawCases, oursOf } from '../../../scripts/occupancy/cases';
import {
  findReference,
  type OccupancyCase,
  type ReferenceAnswers,
} from '../../../scripts/occupancy/reference';

const FIXTURE = 'test/fixtures/occupancyCases.json';
const CASES = 200_000;
const FIXTURE_CASES = 2_000;
const SEED = 2;

interface Fixture {
  readonly source: string;
  readonly columns: string;
  readonly cases: readonly string[];
}

function assertEqual(cases: readonly OccupancyCase[], expected: ReferenceAnswers['rows']): void {
  assert.equal(expected.length, cases.length);
  const differing = cases
    .map((input, i) => ({
      input,
      ours: oursOf(input).join(' '),
      reference: expected[i]!.join(' '),
    }))
    .filter(row => row.ours !== row.reference);
  assert.deepEqual(differing.slice(0, 5), [], `${differing.length} of ${cases.length} differ`);
}

const toolkit = (cudaVersion: number): string =>
  `cuda_occupancy.h of CUDA ${Math.floor(cudaVersion / 1000)}.${(cudaVersion % 1000) / 10}`;

function writeFixture(cases: readonly OccupancyCase[], answers: ReferenceAnswers): void {
  const fixture: Fixture = {
    source: toolkit(answers.cudaVersion),
    columns:
      'computeCapability threadsPerBlock registersPerThread sharedBytesPerBlock carveOutPercent(- none) staticBytes: ' +
      'blocksPerSm limiters(1 threads, 2 registers, 4 shared-memory, 8 blocks) registersAllocated sharedBytesAllocated',
    cases: cases
      .slice(0, FIXTURE_CASES)
      .map((input, i) => `${lineOf(input)}: ${answers.rows[i]!.join(' ')}`),
  };
  writeFileSync(FIXTURE, JSON.stringify(fixture, null, 2) + '\n');
}

function lineOf(given: OccupancyCase): string {
  const { computeCapability, threadsPerBlock, registersPerThread, sharedBytesPerBlock } = given;
  const kernel = [computeCapability, threadsPerBlock, registersPerThread, sharedBytesPerBlock];
  return [...kernel, given.carveOutPercent ?? '-', given.staticBytes].join(' ');
}

function caseOf(line: string): OccupancyCase {
  const [computeCapability = '', threads, registers, shared, carveOut, declared] = line.split(' ');
  return {
    computeCapability,
    threadsPerBlock: Number(threads),
    staticBytes: Number(declared),
    registersPerThread: Number(registers),
    sharedBytesPerBlock: Number(shared),
    ...(carveOut === '-' ? {} : { carveOutPercent: Number(carveOut) }),
  };
}

describe('occupancy beside cuda_occupancy.h', () => {
  const reference = findReference();
  const title = `is the same on ${CASES} random cases`;
  if (reference.ok) {
    it(title, () => {
      const cases = drawCases(CASES, SEED);
      const answers = reference.ask(run => run(cases));
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
    const inputs = rows.map(([input]) => caseOf(input));
    const answers = rows.map(([, answer]) => answer.split(' ').map(Number));
    assertEqual(inputs, answers);
    // A sample that never meets a limit would prove nothing about it.
    const limiters = answers.reduce((seen, [, mask]) => seen | mask!, 0);
    assert.equal(limiters, 1 + 2 + 4 + 8);
    assert.ok(answers.some(([blocks]) => blocks === 0));
  });
});
