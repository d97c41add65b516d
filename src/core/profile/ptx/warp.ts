/**
 * Executes the 32 lanes of a warp in lockstep. Both paths of a divergent branch are executed up to
 * the reconvergence point. If a branch condition is unknown, both paths are skipped and all
 * registers that they write become unknown.
 */
import { WARP_LANES } from '../../hardware/warp';
import { SHARED_WINDOW } from './arithmetic';
import type { MemoryAccess } from './memory';
import type { Computation, Program, Step } from './program';

export interface MemoryRequest {
  readonly at: number;
  readonly access: MemoryAccess;
  readonly space: 'global' | 'shared';
  /** Byte address per lane (NaN for inactive lanes), valid until the callback returns. */
  readonly addresses: Float64Array;
}

export interface Watcher {
  readonly asked: (request: MemoryRequest) => void;
  /**
   * Called if the address or the predicate of an access is unknown, and for each instruction that
   * is skipped at an unknown branch.
   */
  readonly unknown: (at: number) => void;
  /** Called if the direction of a branch or the predicate of an exit is unknown. */
  readonly undecided: (at: number) => void;
}

export interface Followed {
  /** Number of executed instructions that affect an address or a branch. */
  readonly steps: number;
  readonly cut: boolean;
}

interface Path {
  at: number;
  readonly until: number;
  readonly lanes: number;
}

/**
 * Executes a warp. `values` holds one number per lane for each slot, ordered by slot; `alive` is
 * the mask of active lanes.
 */
export function executeWarp(
  program: Program,
  values: Float64Array,
  alive: number,
  watcher: Watcher,
  maxSteps: number,
): Followed {
  const { steps } = program;
  const addresses = new Float64Array(WARP_LANES);
  const paths: Path[] = [{ at: 0, until: steps.length, lanes: alive }];
  let left = alive;
  let count = 0;
  for (let way = paths.at(-1); way !== undefined; way = paths.at(-1)) {
    const lanes = way.lanes & left;
    const step = way.at === way.until ? undefined : steps[way.at];
    if (lanes === 0 || step === undefined) {
      paths.pop();
      continue;
    }
    if (count === maxSteps) return { steps: count, cut: true };
    count += 1;
    const taken = step.guard === undefined ? lanes : holding(step, values, lanes, false);
    const unsure = step.guard === undefined ? 0 : holding(step, values, lanes, true);
    if (step.jump === undefined) {
      way.at += 1;
      for (const computation of step.computations) {
        compute(computation, values, taken);
        if (unsure !== 0) forget(computation.to, values, unsure);
      }
      for (const access of step.accesses) {
        if (unsure !== 0 || !addressed(access, values, taken, addresses)) watcher.unknown(step.at);
        else if (taken !== 0) request(step.at, access, addresses, watcher);
      }
    } else if (unsure !== 0) {
      skip(program, step, values, lanes, watcher);
      way.at = step.jump === 'exit' ? way.at + 1 : step.meeting;
      if (step.jump === 'exit') left &= ~unsure;
    } else if (step.jump === 'exit') {
      left &= ~taken;
      way.at += 1;
    } else if (taken === lanes) {
      way.at = step.target;
    } else if (taken === 0) {
      way.at += 1;
    } else {
      const next = way.at + 1;
      const until = step.meeting;
      way.at = until;
      paths.push(
        { at: next, until, lanes: lanes & ~taken },
        { at: step.target, until, lanes: taken },
      );
    }
  }
  return { steps: count, cut: false };
}

/**
 * Returns the mask of lanes whose predicate is true; with `unknown`, the mask of lanes whose
 * predicate is unknown.
 */
function holding({ guard }: Step, values: Float64Array, lanes: number, unknown: boolean): number {
  if (guard === undefined) return 0;
  let found = 0;
  const first = guard.slot * WARP_LANES;
  for (let lane = 0; lane < WARP_LANES; lane++) {
    if (((lanes >>> lane) & 1) === 0) continue;
    const value = values[first + lane] ?? NaN;
    const isIt = unknown ? Number.isNaN(value) : (value === 1) !== guard.negated && value === value;
    if (isIt) found |= 1 << lane;
  }
  return found;
}

function compute({ to, from, by }: Computation, values: Float64Array, lanes: number): void {
  const target = to * WARP_LANES;
  const [a = -1, b = -1, c = -1, d = -1] = from;
  if (by === undefined) {
    forget(to, values, lanes);
    return;
  }
  for (let lane = 0; lane < WARP_LANES; lane++) {
    if (((lanes >>> lane) & 1) === 0) continue;
    const x = a < 0 ? 0 : (values[a * WARP_LANES + lane] ?? NaN);
    const y = b < 0 ? 0 : (values[b * WARP_LANES + lane] ?? NaN);
    const z = c < 0 ? 0 : (values[c * WARP_LANES + lane] ?? NaN);
    const w = d < 0 ? 0 : (values[d * WARP_LANES + lane] ?? NaN);
    const isKnown = x === x && y === y && z === z && w === w;
    values[target + lane] = isKnown || by.lenient === true ? by.of(x, y, z, w) : NaN;
  }
}

function forget(slot: number, values: Float64Array, lanes: number): void {
  for (let lane = 0; lane < WARP_LANES; lane++) {
    if (((lanes >>> lane) & 1) === 1) values[slot * WARP_LANES + lane] = NaN;
  }
}

/** Writes the addresses of the active lanes to `out`; returns false if an address is unknown. */
function addressed(
  { address, offset, lanes: most }: MemoryAccess,
  values: Float64Array,
  lanes: number,
  out: Float64Array,
): boolean {
  out.fill(NaN);
  for (let lane = 0; lane < most; lane++) {
    if (((lanes >>> lane) & 1) === 0) continue;
    const value = (values[address * WARP_LANES + lane] ?? NaN) + offset;
    if (Number.isNaN(value)) return false;
    out[lane] = value;
  }
  return true;
}

function request(
  at: number,
  access: MemoryAccess,
  addresses: Float64Array,
  watcher: Watcher,
): void {
  if (access.space !== 'generic') {
    watcher.asked({ at, access, space: access.space, addresses });
    return;
  }
  const inWindow = addresses.some(address => address >= SHARED_WINDOW);
  if (inWindow && addresses.some(address => address < SHARED_WINDOW)) {
    watcher.unknown(at);
    return;
  }
  const space = inWindow ? 'shared' : 'global';
  const own = inWindow ? addresses.map(address => address - SHARED_WINDOW) : addresses;
  watcher.asked({ at, access, space, addresses: own });
}

function skip(
  program: Program,
  step: Step,
  values: Float64Array,
  lanes: number,
  watcher: Watcher,
): void {
  watcher.undecided(step.at);
  if (step.jump === 'exit') return;
  const { slots, instructions } = program.undecided(step);
  for (const slot of slots) forget(slot, values, lanes);
  for (const at of instructions) watcher.unknown(at);
}
