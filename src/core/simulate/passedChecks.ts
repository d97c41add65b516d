/** Describes the checks of a correct Simulate run that concern accesses instead of values. */
import { t } from '@vscode/l10n';
import { hasWarpGroups } from '../plan/wgmma/tmaMma';
import type { Measurement } from '../measure/measurement';

/**
 * Returns the checks that every access of the run passed; undefined for other backends and
 * outcomes. The model of warp groups has no accesses of single threads, so it has fewer checks.
 */
export function passedChecks({
  backend,
  outcome,
  resolved,
}: Pick<Measurement, 'backend' | 'outcome' | 'resolved'>): string | undefined {
  if (backend !== 'simulate' || outcome !== 'correct' || resolved === null) return undefined;
  return hasWarpGroups(resolved.schedule)
    ? t('no uninitialized reads in shared memory; races and bounds were not checked')
    : t(
        'no races, out-of-bounds or misaligned accesses, uninitialized shared memory or divergent barriers',
      );
}
