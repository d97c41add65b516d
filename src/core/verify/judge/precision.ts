/**
 * Finds results of lower precision than declared. The error bound of one element is a worst case,
 * which lower precision can satisfy for large K; the root mean square of the errors cannot.
 */
import { t } from '@vscode/l10n';
import type { Verification } from '../../measure/measurement';
import { scientific } from '../../text/numbers';
import { isInteger, UNIT_ROUNDOFF, type DType } from '../../types/dtype';
import { outputRoundoff, splitErrorOf, type Checked } from '../bound';
import type { JudgeFinding } from './ids';

/**
 * Factor over the error u sqrt(K / 6) of sequential accumulation of random products, which covers
 * other orders and the emulation of FP32 with three TF32 products.
 */
const SLACK = 16;
/** Share of the magnitude of the exact values that no correct result has as error. */
const UNRELATED = 0.25;
/** Largest share of the values for the errors of an incorrect result; a lost product has more. */
const WRONG_SHARE = 0.01;
/** Largest ratio of the maximum to the root mean square of errors that are spread over C. */
const SPREAD = 8;
/** Below this number of elements, the root mean square is not reliable. */
const LEAST_ELEMENTS = 64;

/**
 * Returns the largest plausible root mean square of the errors of C. Returns undefined if it is
 * unknown: for integers, f64, 8-bit floats and epilogues.
 * @param exactRms root mean square of the exact values of C
 */
export function plausibleRms(problem: Checked, exactRms: number): number | undefined {
  const { k, alpha, accumulator, a, b, epilogue } = problem;
  // The operations of an epilogue change the distribution of the errors.
  if (epilogue !== undefined) return undefined;
  if (isInteger(accumulator) || accumulator === 'f64') return undefined;
  if ([a, b].some(({ dtype }) => dtype === 'e4m3' || dtype === 'e5m2')) return undefined;
  // Inputs are uniform in [-1, 1), so a product has the variance 1/9.
  const dot = (Math.abs(alpha) * Math.sqrt(k)) / 3;
  // Tensor cores truncate, so their error grows with K and not with its root.
  const truncates = splitErrorOf(problem) > 0 || a.dtype !== 'f32' || b.dtype !== 'f32';
  const growth = SLACK * Math.sqrt(k + 16) + (truncates ? k / 4 : 0);
  const summed = UNIT_ROUNDOFF[accumulator] * growth + 4 * splitErrorOf(problem);
  const scaled = 4 * UNIT_ROUNDOFF[accumulator] + outputRoundoff(problem);
  return dot * Math.min(UNRELATED, summed) + scaled * exactRms;
}

/** Reports errors that are spread over C and too large for the declared types. */
export function namePrecision(
  problem: Checked,
  { rms, samples, mismatches, maxError }: Verification,
): JudgeFinding | undefined {
  if (rms === undefined || maxError === null || samples < LEAST_ELEMENTS) return undefined;
  const isSpread = maxError < SPREAD * rms.error && rms.error < WRONG_SHARE * rms.exact;
  if (mismatches > 0 && !isSpread) return undefined;
  const most = plausibleRms(problem, rms.exact);
  if (most === undefined || rms.error <= most) return undefined;
  const relative = rms.error / rms.exact;
  const likely = likelyType(relative);
  const evidence = t(
    'The root mean square of the errors is {0} of the values, but accumulation in {1} has at most {2}.',
    scientific(relative),
    problem.accumulator,
    scientific(most / rms.exact),
  );
  const cause =
    likely === undefined ? '' : ` ${t('This is the error of inputs or sums in {0}.', likely)}`;
  const fix = t(
    'The kernel computes with lower precision than declared. Fix: compute in the declared types, or declare the types that it uses.',
  );
  return { id: 'low-precision', message: `${evidence}${cause} ${fix}` };
}

/** Returns the type whose rounding of both inputs has this relative error. */
function likelyType(relative: number): DType | undefined {
  const types: readonly DType[] = ['tf32', 'bf16'];
  return types.find(type => {
    const u = UNIT_ROUNDOFF[type];
    return relative > 0.3 * u && relative < 3 * u;
  });
}
