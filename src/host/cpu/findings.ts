/** Formats the findings of the cpu backend as sentences, and derives the outcome of a run. */
import type { Measurement, Outcome } from '../../core/measure/measurement';
import { DTYPE_BYTES } from '../../core/types/dtype';
import { spanElements, type ResolvedProblem } from '../../core/spec/resolved';
import type { CpuFinding } from './output';

type Position = readonly [number, number, number];

const FAULTS: readonly CpuFinding['kind'][] = [
  'out-of-bounds',
  'misaligned',
  'deadlock',
  'fault',
  'trap',
  'written-input',
];
/**
 * Kinds of findings that are undefined behavior in C++ but defined on GPUs. They are reported only
 * if the result is not correct.
 */
const NOTES: readonly CpuFinding['kind'][] = ['overflow', 'index'];

export const isNote = ({ kind }: CpuFinding): boolean => NOTES.includes(kind);

export function outcomeOf(findings: readonly CpuFinding[]): Outcome | undefined {
  if (findings.some(({ kind }) => kind === 'timeout')) return 'timeout';
  if (findings.some(({ kind }) => FAULTS.includes(kind))) return 'launch-error';
  return findings.some(finding => !isNote(finding)) ? 'incorrect' : undefined;
}

/**
 * Formats the four most severe findings: timeouts and faults first, then findings that invalidate
 * the result, then notes.
 */
export function described(
  findings: readonly CpuFinding[],
  problem: ResolvedProblem,
  lines: ReadonlyMap<number, number>,
): NonNullable<Measurement['findings']> {
  const grave = (finding: CpuFinding): number =>
    finding.kind === 'timeout' || FAULTS.includes(finding.kind) ? 0 : isNote(finding) ? 2 : 1;
  return [...findings]
    .sort((left, right) => grave(left) - grave(right))
    .slice(0, 4)
    .map(finding => {
      const { kind, line: own, pc } = finding;
      const line = own > 0 ? own : lines.get(pc);
      const message = sentence(finding, problem, lines);
      return { id: kind, message, ...(line === undefined ? {} : { line }) };
    });
}

const point = ([x, y, z]: Position): string => (z === 0 ? `(${x}, ${y})` : `(${x}, ${y}, ${z})`);
const who = (thread: Position | undefined, block: Position | undefined): string =>
  thread === undefined || block === undefined
    ? 'another thread'
    : `thread ${point(thread)} of block ${point(block)}`;

function sentence(
  finding: CpuFinding,
  problem: ResolvedProblem,
  lines: ReadonlyMap<number, number>,
): string {
  const { thread, block, other, otherBlock, bytes, detail } = finding;
  const at = (line: number, pc: number): string => {
    const known = line > 0 ? line : lines.get(pc);
    return known === undefined ? '' : ` in line ${known}`;
  };
  const here = at(finding.line, finding.pc);
  const there = at(finding.otherLine, finding.otherPc);
  const me = who(thread, block);
  const does = `${finding.store ? 'writes' : 'reads'} ${bytes} bytes`;
  const where = place(finding, problem);
  switch (finding.kind) {
    case 'out-of-bounds':
      return `${me} ${does} of ${where}${here}, which is out of bounds.`;
    case 'misaligned':
      return `${me} accesses ${bytes} bytes at an address that is not a multiple of ${bytes}${here} (${detail}).`;
    case 'uninitialized':
      return `${me} ${does} of ${where}${here}, which are uninitialized.`;
    case 'race': {
      const otherDoes = finding.otherStore ? 'writes' : 'reads';
      return `${me} ${does} of ${where}${here}; ${who(other, otherBlock)} ${otherDoes} the same location${there} without a barrier between the accesses.`;
    }
    case 'in-flight':
      return `${me} ${does} of ${where}${here} before waiting for the asynchronous copy of ${who(other, otherBlock)}${there} to the same location.`;
    case 'deadlock': {
      const scope = detail === 'warp' ? 'warp' : 'block';
      const state = there === '' ? 'has ended' : `waits${there}`;
      return `${me} waits for its ${scope}${here}, but ${who(other, otherBlock)} never arrives: it ${state}.`;
    }
    case 'written-input':
      return `${me} ${does} of ${where}${here}, which is an input.`;
    case 'timeout':
      return `the kernel exceeded the time limit; ${me} was${here === '' ? there : here}.`;
    case 'fault':
      return `${detail} by ${me}${here === '' ? there : here}.`;
    default:
      return `${detail}, ${me}${here}.`;
  }
}

function place({ space, offset }: CpuFinding, problem: ResolvedProblem): string {
  if (space === 'a' || space === 'b' || space === 'c') {
    const element = Math.floor(offset / DTYPE_BYTES[problem[space].dtype]);
    return `${space.toUpperCase()} at element ${element} of ${spanElements(problem, space)}`;
  }
  return space === 'none'
    ? 'no operand'
    : `${space === 'shared' ? 'shared memory' : space} at byte ${offset}`;
}
