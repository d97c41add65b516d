/** Legality of f32 on tensor cores: they multiply pieces of it, and `split` says which. */
import { t } from '@vscode/l10n';
import type { ResolvedSpec } from '../../spec/resolved';
import { SPLITS } from '../pieces';
import type { Breach } from './rule';

/** Of algorithms that can split; nothing where the rest of the types is to be looked at. */
export function splitBreaches({
  problem: { a },
  schedule: { algorithm, split },
}: ResolvedSpec): readonly Omit<Breach, 'rule'>[] {
  const path = 'schedule.split';
  if (split !== undefined && a.dtype !== 'f32') {
    const message = t('{0} splits f32 into pieces; A is {1}.', split, a.dtype);
    return [{ path, message, nearest: null }];
  }
  if (split !== undefined || a.dtype !== 'f32') return [];
  const message = t(
    '{0} multiplies f32 as a sum of products of shorter types: split says which ({1}).',
    algorithm,
    Object.keys(SPLITS).join(', '),
  );
  return [{ path, message, nearest: 'bf16x6' }];
}
