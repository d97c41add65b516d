/** Legality of `register-tile`: amount of unrolled code, and requirements of quad sharing. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { QUAD } from '../simt/registerTile';
import { laneRule } from './familyRule';
import type { RuleViolation, ShapeRule } from './rule';

/**
 * Maximum number of unrolled loads and FMAs per thread. Above it, compilation takes up to half a
 * minute.
 */
const MAX_UNROLLED = 2048;

const unrolling: ShapeRule = ({ spec: { schedule }, geometry: { tile, thread } }) => {
  if (schedule.algorithm !== 'register-tile') return [];
  const each = thread.m * thread.n + thread.m + thread.n;
  const most = Math.max(1, Math.floor(MAX_UNROLLED / each));
  if (tile.k <= most) return [];
  const message = t(
    'block.k = {0} unrolls to {1} loads and FMAs per thread; the maximum is {2}.',
    n(tile.k),
    n(tile.k * each),
    n(MAX_UNROLLED),
  );
  return [{ rule: 'unrolling', path: 'schedule.block.k', message, nearest: most }];
};

const sharing = laneRule(({ spec: { problem } }, { sharing: shares, lanes }, { tile }) => {
  if (shares !== 'quad') return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'sharing', path: 'schedule.sharing', message, nearest: 'none' },
  ];
  if (problem.a.layout === 'col') {
    return breach(t('Quad sharing requires a row-major A (K contiguous); A is column-major.'));
  }
  if (tile.k % QUAD !== 0) {
    return breach(
      t('Quad sharing requires block.k to be a multiple of {0}; got {1}.', QUAD, tile.k),
    );
  }
  if (lanes.n % QUAD === 0) return [];
  return breach(
    t(
      'Quad sharing requires the number of threads along N to be a multiple of {0}; got {1}.',
      QUAD,
      lanes.n,
    ),
  );
});

export const REGISTER_TILE_RULES: readonly ShapeRule[] = [unrolling, sharing];
