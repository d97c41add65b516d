/** Limit of the global memory that a kernel needs besides A, B and C. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { workspaceBytes, workspaceLimitOf } from '../workspace';
import { repackedBytes } from '../wgmma/wgmmaTwoPass';
import type { Rule } from './rule';

/**
 * Checks the workspace: partial results of split-K slices, and repacked and split operands of
 * `wgmma`. The suggested fix is a higher limit, because it keeps the schedule.
 */
export const workspaceLimit: Rule = ({ spec, geometry }) => {
  const needed = workspaceBytes(geometry, spec.problem.accumulator);
  const limit = workspaceLimitOf(spec);
  if (needed <= limit) return [];
  const owner =
    spec.workspaceLimitBytes === undefined ? t('default limit') : t('limit of the spec');
  const bytes = [n(needed), n(limit), owner] as const;
  const { split } = geometry;
  const copied = geometry.family === 'wgmma' ? repackedBytes(geometry.wgmma) : 0;
  const message =
    split === undefined
      ? t('The repacked operands need a workspace of {0} B > {1} B ({2}).', ...bytes)
      : copied === 0
        ? t(
            'The partial results of {3} split-K slices need a workspace of {0} B > {1} B ({2}).',
            ...bytes,
            split.slices,
          )
        : t(
            'The repacked operands and the partial results of {3} split-K slices need a workspace of {0} B > {1} B ({2}).',
            ...bytes,
            split.slices,
          );
  const rule = 'workspace-limit';
  // A spec cannot have a limit above the largest safe integer.
  return Number.isSafeInteger(needed)
    ? [{ rule, path: 'workspaceLimitBytes', message, nearest: needed }]
    : split === undefined
      ? [{ rule, path: 'schedule.algorithm', message, nearest: 'mma' }]
      : [{ rule, path: 'schedule.splitK', message, nearest: 1 }];
};
