/**
 * Evidence for the judge on the cpu backend: runs a correct kernel again in one process, so that
 * its device variables keep their values, with repeated and with new inputs.
 */
import { randomInt } from 'node:crypto';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import type { Runnable } from '../../core/kernel/kernel';
import type { Measurement } from '../../core/measure/measurement';
import { DTYPE_BYTES } from '../../core/types/dtype';
import { checkedOf } from '../../core/verify/bound';
import { judgedCalls, type JudgedCall } from '../../core/verify/judge/calls';
import type { Evidence, LaunchEvidence } from '../../core/verify/judge/evidence';
import { verifyResult } from '../../core/verify/verify';
import { mapTile } from '../../core/verify/wrongMap';
import { buffersOf } from '../../core/spec/resolved';
import { bytesBefore, matrixOf } from './data';

/** Maximum number of FMAs of a kernel that runs again, because one process runs all blocks. */
const JUDGED_FMAS = 2 ** 21;

/** Returns whether a kernel runs again: its first result is right, and its problem is small. */
export function isJudged(
  { problem: { m, n, k, batch } }: Runnable,
  run: Pick<Measurement, 'outcome' | 'verification'> | undefined,
): boolean {
  if (run === undefined || m * n * k * batch > JUDGED_FMAS) return false;
  const { outcome, verification } = run;
  const hasResult = outcome === 'correct' || outcome === 'incorrect';
  return hasResult && verification.samples > 0 && verification.mismatches === 0;
}

interface Call extends JudgedCall {
  /** Letter of the call in the argument of the executable. */
  readonly letter: 'f' | 'k';
}

/** The calls of every job, the first with the inputs of `seed` as in the run before. */
export function callsOf(seed: number): readonly Call[] {
  return judgedCalls(seed, [freshSeed(), freshSeed()]).map(call => ({
    ...call,
    letter: call.output === 'previous' ? 'k' : 'f',
  }));
}

const freshSeed = (): number => randomInt(2 ** 31);

export const lettersOf = (calls: readonly Call[]): string =>
  calls.map(({ letter }) => letter).join('');

const fileOf = (folder: string, job: number, operand: string, call: number): string =>
  path.join(folder, `${job}.${operand}.${call}`);

/** Writes the operands of all calls. C of a call that keeps it is overwritten by the executable. */
export async function writeCalls(
  folder: string,
  job: number,
  { problem, workspaceBytes }: Runnable,
  calls: readonly Call[],
): Promise<void> {
  for (const [call, { seed }] of calls.entries()) {
    for (const operand of buffersOf(problem))
      await fs.writeFile(fileOf(folder, job, operand, call), bytesBefore(problem, operand, seed));
    const shared = new Uint8Array(workspaceBytes ?? 0).fill(0xff);
    if (workspaceBytes !== undefined)
      await fs.writeFile(fileOf(folder, job, 'workspace', call), shared);
  }
}

/** Reads and verifies the results of all calls. */
export async function readCalls(
  folder: string,
  job: number,
  runnable: Runnable,
  calls: readonly Call[],
): Promise<Evidence> {
  const { problem } = runnable;
  const launches: LaunchEvidence[] = [];
  const results: Uint8Array[] = [];
  for (const [call, { inputs, seed, earlierSeeds, output: before }] of calls.entries()) {
    const bytes = await fs.readFile(fileOf(folder, job, 'c', call));
    results.push(bytes);
    const tile = { tile: mapTile(runnable) };
    const c = matrixOf(problem, bytes);
    const output = problem.beta === 0 ? before : 'poisoned';
    const verification = verifyResult(checkedOf(runnable), seed, c, tile);
    launches.push({ inputs, seed, earlierSeeds, output, verification });
  }
  const [first, second] = results;
  return first === undefined || second === undefined
    ? { launches }
    : { launches, bits: differing(first, second, DTYPE_BYTES[problem.c.dtype]) };
}

function differing(one: Uint8Array, other: Uint8Array, elementBytes: number) {
  const places = new Set<number>();
  for (let i = 0; i < one.length; i++)
    if (one[i] !== other[i]) places.add(Math.floor(i / elementBytes));
  return { compared: one.length / elementBytes, differing: places.size };
}
