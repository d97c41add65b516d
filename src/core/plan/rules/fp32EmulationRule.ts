/** Legality of f32 operands on tensor cores, which require FP32 emulation (`split`). */
import { t } from '@vscode/l10n';
import type { ResolvedSpec } from '../../spec/resolved';
import { SPLITS } from '../fp32Emulation';
import type { RuleViolation } from './rule';

/**
 * Checks `split` for algorithms that support it. If the result is empty, the caller applies the
 * other type rules.
 */
export function splitViolations({
  problem: { a },
  schedule: { algorithm, split },
}: ResolvedSpec): readonly Omit<RuleViolation, 'rule'>[] {
  const path = 'schedule.split';
  if (split !== undefined && a.dtype !== 'f32') {
    const message = t(
      '{0} requires f32 operands; A is {1}. Fix: remove split or use f32.',
      split,
      a.dtype,
    );
    return [{ path, message, nearest: null }];
  }
  if (split !== undefined || a.dtype !== 'f32') return [];
  const message = t(
    '{0} requires FP32 emulation for f32. Fix: set split to one of {1}.',
    algorithm,
    Object.keys(SPLITS).join(', '),
  );
  return [{ path, message, nearest: 'bf16x6' }];
}
