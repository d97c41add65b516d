/** Lists the WGSL benchmarks of raceOnDawn.ts: one problem and its specs each. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Adapter } from '../../../src/core/defaults/dispatch/adapterFamily';
import { resolve } from '../../../src/core/defaults/resolve';
import { wgslCandidates } from '../../../src/core/defaults/wgsl/wgslCandidates';
import { findDevice } from '../../../src/core/hardware/devices';
import { planIfLegal } from '../../../src/core/plan/planner';
import { decodeSpec } from '../../../src/core/spec/decode';
import type { ResolvedSpec } from '../../../src/core/spec/resolved';
import { choicesOf } from '../../../scripts/grid/choices';
import { selectShapes, shapeText, type Selection } from '../random/shapes';

export interface DawnContest {
  readonly title: string;
  /** Fields that identify the problem in the record. */
  readonly identity: Readonly<Record<string, unknown>>;
  readonly specs: readonly ResolvedSpec[];
}

/** WebGPU limits `INVOCATIONSxBYTES`; if undefined, WebGPU's default limits apply. */
export type Limits = string | undefined;

const limitsIn = (limits: Limits): object => {
  if (limits === undefined) return {};
  const [invocations, workgroupStorageBytes] = limits.split('x').map(Number);
  return { webgpuLimits: { invocations, workgroupStorageBytes } };
};

function resolved(problem: unknown, own: object, adapter?: Adapter): ResolvedSpec {
  const decoded = decodeSpec({ problem, targets: ['wgsl'], ...own });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
  return resolve(decoded.spec, undefined, adapter);
}

export interface Sampling {
  readonly limits: Limits;
  readonly adapter: Adapter | undefined;
  /** Number of random candidates beside the default schedule. */
  readonly sample: number;
}

/**
 * Lists random shapes with the default schedule for this adapter, as `bench` chooses it, and random
 * candidates.
 */
export function randomContests(
  selection: Selection,
  { limits, adapter, sample }: Sampling,
): readonly DawnContest[] {
  return selectShapes(selection).map(({ index, key, problem }) => {
    const own = resolved(problem, limitsIn(limits), adapter);
    const { multiprocessors = 1 } = findDevice(adapter?.device ?? '') ?? {};
    const others = [...wgslCandidates(own.problem, multiprocessors)]
      .map(schedule => resolved(problem, { schedule, ...limitsIn(limits) }))
      .filter(spec => planIfLegal(spec, 'wgsl') !== null);
    const { pick } = choicesOf(index);
    const picked = Array.from({ length: others.length === 0 ? 0 : sample }, () => pick(others));
    return {
      title: `${key}: ${shapeText(problem)}`,
      identity: { key, problem },
      specs: [own, ...new Set(picked)],
    };
  });
}

export interface Listed {
  readonly candidates: string;
  readonly shapes: string;
  readonly layouts: string;
  readonly dtype: string;
  readonly accumulator?: string | undefined;
  readonly limits?: Limits;
}

export const readCandidates = (file: string): readonly unknown[] =>
  v.parse(v.array(v.unknown()), JSON.parse(readFileSync(file, 'utf8')));

/** Lists the given shapes and layouts, each with all schedules of the file `candidates`. */
export function listedContests(given: Listed): readonly DawnContest[] {
  const { dtype, accumulator, limits } = given;
  const schedules = readCandidates(given.candidates);
  const layoutOf = (letter: string | undefined): string => (letter === 'c' ? 'col' : 'row');
  return given.shapes.split(',').flatMap(shape =>
    given.layouts.split(',').map((layouts): DawnContest => {
      const [m, n, k] = shape.split('x').map(Number);
      const operand = (i: number) => ({ dtype, layout: layoutOf(layouts[i]) });
      const c = { layout: layoutOf(layouts[2]) };
      const sums = accumulator === undefined ? {} : { accumulator };
      const problem = { m, n, k, a: operand(0), b: operand(1), c, ...sums };
      const specs = schedules.map(schedule => resolved(problem, { schedule, ...limitsIn(limits) }));
      return { title: `${shape} ${layouts}`, identity: { shape, layouts }, specs };
    }),
  );
}
