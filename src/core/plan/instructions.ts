/** Instructions of tensor cores that a warp multiplies matrices with, by type (PTX ISA, "mma": target ISA notes). */
import { findDevice } from '../hardware/devices';
import type { DType } from '../types/dtype';
import type { ResolvedSpec } from '../spec/resolved';
import type { MatrixShape } from './plan';

export interface Instruction extends MatrixShape {
  /** Compute capability from which a GPU has it. */
  readonly since: number;
}

const HALF = { m: 16, n: 8, k: 16 } as const;
const SHALLOW = { m: 16, n: 8, k: 8 } as const;

/** The largest first: it is the default where a GPU has it. */
const INSTRUCTIONS: Readonly<Partial<Record<DType, readonly Instruction[]>>> = {
  f16: [
    { ...HALF, since: 8 },
    { ...SHALLOW, since: 7.5 },
  ],
  bf16: [
    { ...HALF, since: 8 },
    { ...SHALLOW, since: 8 },
  ],
  tf32: [
    { ...SHALLOW, since: 8 },
    { m: 16, n: 8, k: 4, since: 8 },
  ],
  s8: [{ m: 16, n: 8, k: 32, since: 8 }],
  e4m3: [{ m: 16, n: 8, k: 32, since: 8.9 }],
  e5m2: [{ m: 16, n: 8, k: 32, since: 8.9 }],
};

/** Of a type of A and B, on any GPU. */
export const instructionsOf = (dtype: DType): readonly Instruction[] => INSTRUCTIONS[dtype] ?? [];

/** Of a device by its id; 0 where it is no GPU of NVIDIA's. */
export const capabilityOf = (device: string): number =>
  Number(findDevice(device)?.computeCapability ?? 0);

/** Of a type, those that a device has. */
export const instructionsOn = (dtype: DType, device: string): readonly Instruction[] =>
  instructionsOf(dtype).filter(({ since }) => since <= capabilityOf(device));

/** Without `mma.sync` for floats of 8 bits: ptxas 13.0 makes 12 conversions and 2 products of f16 of each, which take registers. */
const WITHOUT_FP8 = ['9.0', '10.0'];

export const isConverted = (dtype: DType, device: string): boolean =>
  (dtype === 'e4m3' || dtype === 'e5m2') &&
  WITHOUT_FP8.includes(findDevice(device)?.computeCapability ?? '');

/** What decides which instructions a problem has. */
export type OnDevice = Pick<ResolvedSpec, 'problem' | 'device'>;

/**
 * Whether tensor cores of the spec's device multiply its type, or what it is split into: what computes on them leaves
 * everything else far behind.
 */
export const hasTensorCores = (
  { problem, device }: OnDevice,
  element: DType = problem.a.dtype,
): boolean => problem.a.dtype === problem.b.dtype && instructionsOn(element, device).length > 0;

export const isShape = (one: MatrixShape, other: MatrixShape): boolean =>
  one.m === other.m && one.n === other.n && one.k === other.k;
