/**
 * The random cases of occupancy, and the sample of them that is committed with the answers of
 * `cuda_occupancy.h`.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { oursOf } from '../../scripts/occupancy/cases';
import type { OccupancyCase, ReferenceAnswers } from '../../scripts/occupancy/reference';

const FIXTURE = 'test/fixtures/occupancyCases.json';
export const FIXTURE_CASES = 2_000;

interface Fixture {
  readonly source: string;
  readonly columns: string;
  readonly cases: readonly string[];
}

export function assertEqual(
  cases: readonly OccupancyCase[],
  expected: ReferenceAnswers['rows'],
): void {
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

export function writeFixture(cases: readonly OccupancyCase[], answers: ReferenceAnswers): void {
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

export function caseOf(line: string): OccupancyCase {
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

export const readFixture = (): Fixture => JSON.parse(readFileSync(FIXTURE, 'utf8')) as Fixture;
