/** Collects partial results of a run, and converts them to a Measurement. */
import { kernelKey } from '../core/text/hash';
import type { Evidence } from '../core/verify/judge/evidence';
import type { Runnable } from '../core/kernel/kernel';
import { sourceHashOf } from '../core/text/hash';
import {
  NOT_VERIFIED,
  type MeasuredCeilings,
  type Measurement,
  type Outcome,
  type Timing,
  type Verification,
} from '../core/measure/measurement';

export interface Findings {
  device: Measurement['device'];
  verification: Verification;
  timing?: Timing;
  ceilings?: MeasuredCeilings;
  message?: string;
  /** Evidence for the judge; missing if the kernel is not judged. */
  evidence?: Evidence;
}

export const initialFindings = (where: string): Findings => ({
  device: { name: 'none', adapter: 'none', driver: 'unknown', where },
  verification: NOT_VERIFIED,
});

/** Compiler name in the measurements; the version of the WGSL compiler cannot be queried. */
export const WGSL_COMPILER = 'tint';

export const toMeasurement = (
  runnable: Runnable,
  outcome: Outcome,
  findings: Omit<Findings, 'evidence'>,
): Measurement => ({
  specKey: runnable.specKey,
  kernelKey: kernelKey({
    source: runnable.source,
    architecture: findings.device.adapter,
    compiler: WGSL_COMPILER,
    flags: [],
  }),
  sourceHash: sourceHashOf(runnable),
  resolved: runnable.spec ?? null,
  backend: 'webgpu',
  outcome,
  ...findings,
});
