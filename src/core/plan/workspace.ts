/** Global memory that a kernel needs besides A, B and C. */
import { DTYPE_BYTES, type DType } from '../types/dtype';
import type { Geometry } from './plan';

/** Default limit of the workspace. Schedules that the user sets may exceed it. */
export const WORKSPACE_LIMIT_BYTES = 256 * 2 ** 20;

/**
 * Returns the bytes of the workspace: repacked copies of `wgmma`, or the partial results of a
 * two-pass split-K reduction.
 */
export const workspaceBytes = (geometry: Geometry, accumulator: DType): number =>
  geometry.family === 'wgmma'
    ? geometry.wgmma.workspaceBytes
    : (geometry.split?.workspaceElements ?? 0) * DTYPE_BYTES[accumulator];
