/** Computes the initial state of a warp: its indices and the values of the kernel parameters. */
import type { Argument, Launch } from '../../kernel/kernel';
import { WARP_LANES } from '../../hardware/warp';
import type { Dim3 } from '../../plan/plan';
import type { ResolvedProblem, GlobalOperand } from '../../spec/resolved';
import { numberOf } from './operands';
import type { Parameter, SharedVariable } from './variables';
import { type ArgumentRole, parametersOf } from '../../kernel/ir/arguments';

/**
 * Distance between the simulated base addresses of the matrices, which are 256-byte aligned as with
 * `cudaMalloc`.
 */
const REGION_BYTES = 2 ** 40;
const REGIONS: readonly GlobalOperand[] = ['a', 'b', 'c', 'workspace'];

/** Returns the matrix or workspace that contains an address; undefined for other addresses. */
export const operandAt = (address: number): GlobalOperand | undefined =>
  REGIONS[Math.floor(address / REGION_BYTES) - 1];

export interface WarpPlace {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly index: Dim3;
  readonly warp: number;
}

const FLOAT = new DataView(new ArrayBuffer(4));

function bitsOf(value: number, type: string): number {
  if (!type.startsWith('f')) return Number.isSafeInteger(value) ? value : NaN;
  if (value === 0) return 0;
  if (type !== 'f32') return NaN;
  FLOAT.setFloat32(0, value);
  return FLOAT.getInt32(0);
}

/** Returns the value of each kernel parameter by symbol; NaN if unknown. */
export function parameterValues(
  parameters: readonly Parameter[],
  { arguments: roles }: Pick<Launch, 'arguments'>,
  problem: ResolvedProblem,
): ReadonlyMap<string, number> {
  const values = parametersOf(problem);
  const valueOf = (role: ArgumentRole): number => {
    const region = REGIONS.findIndex(name => name === role);
    return region < 0 ? (values[role] ?? NaN) : (region + 1) * REGION_BYTES;
  };
  return new Map(
    parameters.map(({ symbol, type }, i) => {
      const role: Argument | undefined = roles[i];
      const value = typeof role === 'string' && type !== undefined ? valueOf(role) : NaN;
      // PTX may declare a float parameter as `.b32`; the type of the problem then identifies it.
      const isFraction = role === 'alpha' || role === 'beta';
      const as = isFraction && type?.endsWith('32') === true ? floatType(type, problem) : type;
      return [symbol, bitsOf(value, as ?? '')];
    }),
  );
}

const floatType = (type: string, { accumulator }: ResolvedProblem): string =>
  accumulator === 'f32' && type === 'b32' ? 'f32' : type;

export function activeLanes({ block, warp }: WarpPlace): number {
  const left = block.x * block.y * block.z - warp * WARP_LANES;
  return left >= WARP_LANES ? -1 : left <= 0 ? 0 : 2 ** left - 1;
}

/** Returns a function that maps a lane to the initial value of the slot. */
export function initial(
  name: string,
  place: WarpPlace,
  parameters: ReadonlyMap<string, number>,
  shared: readonly SharedVariable[],
): (lane: number) => number {
  const special = specialRegister(name, place);
  if (special !== undefined) return special;
  const [symbol = '', plus = '0'] = name.split('+');
  const value =
    parameters.get(name) ??
    shared.find(variable => variable.symbol === symbol)?.start ??
    (name === 'WARP_SZ' ? WARP_LANES : numberOf(name));
  return () => value + (parameters.has(name) ? 0 : Number(plus));
}

function specialRegister(
  name: string,
  { grid, block, index, warp }: WarpPlace,
): ((lane: number) => number) | undefined {
  const [, register = '', axis] = /^%(\w+?)(?:\.([xyz]))?$/.exec(name) ?? [];
  if (axis === 'x' || axis === 'y' || axis === 'z') {
    const uniform = { ntid: block, ctaid: index, nctaid: grid }[register]?.[axis];
    if (uniform !== undefined) return () => uniform;
    if (register === 'tid') return lane => threadIndex(warp * WARP_LANES + lane, block)[axis];
    return undefined;
  }
  if (register === 'laneid') return lane => lane;
  if (register === 'warpid') return () => warp;
  return undefined;
}

const threadIndex = (linear: number, { x, y }: Dim3): Dim3 => ({
  x: linear % x,
  y: Math.floor(linear / x) % y,
  z: Math.floor(linear / (x * y)),
});
