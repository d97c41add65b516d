/** Global memory that a kernel needs besides A, B and C. */
import type { ResolvedSpec } from '../spec/resolved';
import { DTYPE_BYTES, type DType } from '../types/dtype';
import type { Geometry } from './plan';

/** Limit of the workspace of a spec that sets none. */
export const WORKSPACE_LIMIT_BYTES = 256 * 2 ** 20;

export const workspaceLimitOf = ({
  workspaceLimitBytes = WORKSPACE_LIMIT_BYTES,
}: Pick<ResolvedSpec, 'workspaceLimitBytes'>): number => workspaceLimitBytes;

/**
 * Returns the bytes of the workspace: repacked copies of `wgmma`, and the partial results of a
 * two-pass split-K reduction.
 */
export const workspaceBytes = (geometry: Geometry, accumulator: DType): number =>
  geometry.family === 'wgmma'
    ? geometry.wgmma.workspaceBytes
    : (geometry.split?.workspaceElements ?? 0) * DTYPE_BYTES[accumulator];
