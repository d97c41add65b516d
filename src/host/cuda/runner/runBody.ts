/**
 * Builds the request to run a kernel: its launches, its problem, and the error bound of a correct
 * result.
 */
import { launchesOf, type Launch, type Runnable } from '../../../core/kernel/kernel';
import type { Effort, RunRequest } from '../../../core/measure/backend';
import { plan } from '../../../core/plan/planner';
import { epilogueOperands, isActivation, namedOps } from '../../../core/spec/epilogue';
import { isInteger, UNIT_ROUNDOFF } from '../../../core/types/dtype';
import type { ResolvedOperand, ResolvedProblem } from '../../../core/spec/resolved';
import {
  checkedOf,
  flushedOf,
  gammaOf,
  outputRoundoff,
  overflowOf,
  type Checked,
} from '../../../core/verify/bound';
import { activationError } from '../../../core/verify/epilogue';
import { inputBits } from '../../../core/verify/inputs';
import { vectorOf, type RunBody } from './protocol';

export interface Loaded {
  readonly cubin: string;
  /** Mangled names of the kernels, one per launch, in order. */
  readonly symbols: readonly string[];
  readonly cache: RunBody['cache'];
}

/** Maximum numbers of FMAs for which every element is compared, by effort and phase. */
const EVERY_ELEMENT = 2 ** 36;
const SOME_ELEMENTS = 2 ** 32;

/** Timing parameters per effort; `full` uses the defaults of the runner. */
const EFFORT_TIMING: Readonly<
  Record<Effort, Pick<RunBody, 'timing' | 'verifyLimit' | 'recheckLimit'>>
> = {
  quick: {
    timing: { warmUpMs: 6, settleMs: 25, batchMs: 4, budgetMs: 30, samples: 4 },
    verifyLimit: EVERY_ELEMENT,
    recheckLimit: SOME_ELEMENTS,
  },
  longer: {
    timing: { warmUpMs: 40, settleMs: 300, batchMs: 12, budgetMs: 250, samples: 12 },
    verifyLimit: SOME_ELEMENTS,
    recheckLimit: SOME_ELEMENTS,
  },
  full: {},
};

/**
 * Duration of the energy measurement in milliseconds. The counter of an H200 advances every 20 to
 * 100 ms.
 */
const ENERGY_MS = 1000;

export function runBody(request: RunRequest, loaded: Loaded): RunBody {
  const body = bodyOf(request, loaded);
  const { mode, effort = 'full', energy = effort === 'full' } = request;
  if (mode !== 'time' || !energy) return body;
  return { ...body, timing: { ...body.timing, energyMs: ENERGY_MS } };
}

function bodyOf(
  { runnable, mode, seed, baselines = [], effort = 'full', judges = effort === 'full' }: RunRequest,
  { cubin, symbols, cache }: Loaded,
): RunBody {
  const { problem, workspaceBytes = 0 } = runnable;
  const { m, n, k, batch, alpha, beta, accumulator, a, b, c } = problem;
  const bits = { a: inputBits(a.dtype), b: inputBits(b.dtype), c: inputBits(c.dtype) };
  return {
    type: 'run',
    mode,
    seed: seed >>> 0,
    cache,
    cubin,
    workspaceBytes,
    inputBits: bits,
    problem: {
      m,
      n,
      k,
      batch,
      alpha,
      beta,
      accumulator,
      a: matrix(a),
      b: matrix(b),
      c: matrix(c),
    },
    bound: boundOf(checkedOf(runnable)),
    ...epilogueOf(problem),
    launches: launchesOf<Launch>(runnable).map((launch, index) => ({
      symbol: symbols[index] ?? launch.entry,
      grid: vectorOf(launch.grid),
      block: vectorOf(launch.block),
      dynamicSharedBytes: launch.dynamicSharedBytes,
      arguments: launch.arguments.flat(),
      ...(launch.tensorMaps === undefined ? {} : { tensorMaps: launch.tensorMaps }),
      ...(launch.programmatic === undefined ? {} : { programmatic: true as const }),
    })),
    baselines: mode === 'time' ? baselines : [],
    tile: tileOf(runnable),
    // Candidates of a search are judged when they are timed with full effort.
    judges,
    ...EFFORT_TIMING[effort],
  };
}

function epilogueOf(problem: ResolvedProblem): Pick<RunBody, 'epilogue'> {
  if (problem.epilogue === undefined) return {};
  const operands = epilogueOperands(problem);
  const steps = namedOps(problem.epilogue).map(({ op, operand: name }) => {
    if (isActivation(op)) return { op: op.op, error: activationError(op.op, problem) };
    const operand = operands.find(each => each.name === name);
    if (operand === undefined) throw new Error(`The epilogue has no operand for ${op.op}`);
    const { rows, columns, dtype } = operand;
    return {
      op: op.op,
      ...(op.op === 'gate' ? { act: op.act, error: activationError(op.act, problem) } : {}),
      operand: { ...matrix(operand), rows, columns, inputBits: inputBits(dtype) },
    };
  });
  return { epilogue: { unit: UNIT_ROUNDOFF[problem.accumulator], steps } };
}

const matrix = ({
  dtype,
  layout,
  ld,
  batchStride,
}: Pick<ResolvedOperand, 'dtype' | 'layout' | 'ld' | 'batchStride'>) => ({
  dtype,
  layout,
  ld,
  batchStride,
});

function boundOf(problem: Checked): RunBody['bound'] {
  const { alpha, beta, k, c } = problem;
  const smallest = flushedOf(problem);
  const overflow = overflowOf(problem);
  return {
    gamma: gammaOf(problem),
    outputRoundoff: outputRoundoff(problem),
    smallestSum: smallest.sum,
    smallestStored: smallest.stored,
    overflowSum: overflow.sum,
    overflowStored: overflow.stored,
    // The absolute values of floating-point inputs are at most 1.
    mayOverflow: !isInteger(c.dtype) && Math.abs(alpha) * k + Math.abs(beta) >= overflow.stored,
  };
}

/** Maximum extent of a tile in the error map. */
const MAX_TILE = 1024;

/**
 * Returns the tile of C per thread block. For a hand-written kernel, derives it from the grid,
 * whose x axis is assumed to run along the columns.
 */
function tileOf({ spec, problem, grid }: Runnable): RunBody['tile'] {
  const planned = spec === undefined ? undefined : plan(spec, 'cuda');
  if (planned?.ok === true) return { m: planned.plan.tile.m, n: planned.plan.tile.n };
  const side = (size: number, blocks: number): number =>
    Math.min(MAX_TILE, Math.max(1, Math.ceil(size / blocks)));
  return { m: side(problem.m, grid.y), n: side(problem.n, grid.x) };
}
