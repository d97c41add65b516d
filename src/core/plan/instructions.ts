/** Warp-level MMA instructions by element type (PTX ISA, "mma": target ISA notes). */
import { findDevice } from '../hardware/devices';
import type { DType } from '../types/dtype';
import type { ResolvedSpec } from '../spec/resolved';
import type { MatrixShape } from './plan';

export interface Instruction extends MatrixShape {
  readonly since: number;
}

const HALF = { m: 16, n: 8, k: 16 } as const;
const SHALLOW = { m: 16, n: 8, k: 8 } as const;

/** Instructions by element type. The first entry is the largest shape, which is the default. */
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

export const instructionsOf = (dtype: DType): readonly Instruction[] => INSTRUCTIONS[dtype] ?? [];

/** Returns the compute capability of a device id; 0 if the device has none or is unknown. */
export const capabilityOf = (device: string): number =>
  Number(findDevice(device)?.computeCapability ?? 0);

export const instructionsOn = (dtype: DType, device: string): readonly Instruction[] =>
  instructionsOf(dtype).filter(({ since }) => since <= capabilityOf(device));

/**
 * Compute capabilities without fp8 tensor-core instructions for `mma.sync`. On these, ptxas 13.0
 * emits 12 conversions and 2 f16 MMAs per instruction, which use additional registers.
 */
const WITHOUT_FP8 = ['9.0', '10.0'];

export const isConverted = (dtype: DType, device: string): boolean =>
  (dtype === 'e4m3' || dtype === 'e5m2') &&
  WITHOUT_FP8.includes(findDevice(device)?.computeCapability ?? '');

export type OnDevice = Pick<ResolvedSpec, 'problem' | 'device'>;

/**
 * Returns whether A and B have the same type and the device has tensor cores for `element`: the
 * type of the operands or of their split terms.
 */
export const hasTensorCores = (
  { problem, device }: OnDevice,
  element: DType = problem.a.dtype,
): boolean => problem.a.dtype === problem.b.dtype && instructionsOn(element, device).length > 0;

export const isShape = (one: MatrixShape, other: MatrixShape): boolean =>
  one.m === other.m && one.n === other.n && one.k === other.k;
