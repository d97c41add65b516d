/** Legality of f32 on tensor cores, which requires FP32 emulation as selected by `split`. */
import { t } from '@vscode/l10n';
import type { ResolvedSpec } from '../../spec/resolved';
import { SPLITS } from '../fp32Emulation';
import type { RuleViolation } from './rule';

/**
 * Checks `split` of algorithms that support it; an empty result means that the other type rules
 * apply.
 */
export function splitViolations({
  problem: { a },
  schedule: { algorithm, split },
}: ResolvedSpec): readonly Omit<RuleViolation, 'rule'>[] {
  const path = 'schedule.split';
  if (split !== undefined && a.dtype !== 'f32') {
    const message = t('{0} requires f32 operands; A is {1}.', split, a.dtype);
    return [{ path, message, nearest: null }];
  }
  if (split !== undefined || a.dtype !== 'f32') return [];
  const message = t(
    '{0} requires FP32 emulation for f32. Set split to one of {1}.',
    algorithm,
    Object.keys(SPLITS).join(', '),
  );
  return [{ path, message, nearest: 'bf16x6' }];
}
