/**
 * Evidence for the judge on WebGPU: launches a correct kernel again on the same buffers, so that a
 * workspace keeps its values, with repeated and with new inputs.
 */
import type { Runnable } from '../core/kernel/kernel';
import { buffersOf, operandOf, type BufferName } from '../core/spec/resolved';
import { judgedCalls, type JudgedCall } from '../core/verify/judge/calls';
import type { Evidence, LaunchEvidence } from '../core/verify/judge/evidence';
import type { MatrixData } from '../core/verify/inputs';
import { bytesOf } from '../core/verify/matrixBytes';
import { DTYPE_BYTES } from '../core/types/dtype';
import { verifyResult } from '../core/verify/verify';
import { mapTile } from '../core/verify/wrongMap';
import type { Buffers } from './arguments';
import { delay } from './environment';
import { contents, fill, readBuffer, readResult } from './matrices';
import type { Work } from './pipeline';
import type { Session } from './session';

/** Maximum number of FMAs of a kernel that runs every call. A larger kernel runs one of them. */
const MAX_FMAS = 2 ** 27;

export interface Judgeable {
  readonly runnable: Runnable;
  readonly buffers: Buffers;
  readonly work: Work;
}

const freshSeed = (): number => Math.floor(Math.random() * 2 ** 31);

/**
 * Returns the evidence after the first launch, which is verified. Only a correct kernel runs again.
 * @param seed seed of the first launch
 */
export async function observe(
  session: Session,
  subject: Judgeable,
  seed: number,
  isCorrect: boolean,
): Promise<Evidence> {
  const { problem } = subject.runnable;
  const changedInputs = await countChanged(session, subject, seed);
  if (!isCorrect) return { launches: [], changedInputs };
  const calls = judgedCalls(seed, [freshSeed(), freshSeed()]);
  const isSmall = problem.m * problem.n * problem.k * problem.batch <= MAX_FMAS;
  const launches: LaunchEvidence[] = [];
  const results: MatrixData[] = [];
  for (const call of isSmall ? calls : calls.slice(2, 3)) {
    const { result, evidence } = await launchAgain(session, subject, call);
    launches.push(evidence);
    results.push(result);
  }
  const [one, other] = results;
  const bits =
    isSmall && one !== undefined && other !== undefined
      ? { bits: { compared: one.length, differing: differing(subject, one, other) } }
      : {};
  return { launches, changedInputs, ...bits };
}

/** Returns the evidence after the timing: one launch on new inputs. */
export async function observeAfterTiming(
  session: Session,
  subject: Judgeable,
  seed: number,
): Promise<Evidence> {
  const call = { inputs: 'fresh', output: 'poisoned', seed: freshSeed() } as const;
  const { evidence } = await launchAgain(session, subject, { ...call, earlierSeeds: [seed] });
  return { launches: [evidence] };
}

async function launchAgain(
  session: Session,
  { runnable, buffers, work }: Judgeable,
  call: JudgedCall,
): Promise<{ readonly result: MatrixData; readonly evidence: LaunchEvidence }> {
  const { problem } = runnable;
  const { seed } = call;
  // If beta is not 0, C is an input.
  const output = problem.beta === 0 ? call.output : 'poisoned';
  const operands = buffersOf(problem).filter(name => name !== 'c' || output === 'poisoned');
  await fill(session, problem, buffers, seed, operands, true);
  const result = await readResult(session, work, problem, buffers.c);
  await delay(session.env, 0);
  session.guard.check();
  const verification = verifyResult(problem, seed, result, { tile: mapTile(runnable) });
  return { result, evidence: { ...call, output, verification } };
}

/** Counts the elements of A, B and the operands of the epilogue that the kernel changed. */
async function countChanged(
  session: Session,
  { runnable: { problem }, buffers }: Judgeable,
  seed: number,
): Promise<number> {
  let count = 0;
  for (const name of buffersOf(problem)) {
    const buffer = buffers[name];
    if (name === 'c' || buffer === undefined) continue;
    const before = contents(problem, name, seed);
    const after = await readBuffer(session, buffer, before.length);
    count += differingElements(before, after, bytesPerElement(problem, name));
  }
  return count;
}

const bytesPerElement = (problem: Runnable['problem'], name: BufferName): number =>
  DTYPE_BYTES[operandOf(problem, name).dtype];

function differing(
  { runnable: { problem } }: Judgeable,
  one: MatrixData,
  other: MatrixData,
): number {
  const [left, right] = [one, other].map(data => bytesOf(problem.c.dtype, data));
  return left === undefined || right === undefined
    ? 0
    : differingElements(left, right, bytesPerElement(problem, 'c'));
}

function differingElements(one: Uint8Array, other: Uint8Array, bytes: number): number {
  let count = 0;
  for (let at = 0; at < one.length; at += bytes) {
    let isEqual = true;
    for (let byte = at; byte < at + bytes; byte++) isEqual &&= one[byte] === other[byte];
    if (!isEqual) count++;
  }
  return count;
}
