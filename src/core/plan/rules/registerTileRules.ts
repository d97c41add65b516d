/** Legality of `register-tile`: how much text a step along K becomes, and whether a quad has anything to share. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { QUAD } from '../simt/registerTile';
import { laneRule } from './familyRule';
import type { Breach, ShapeRule } from './rule';

/** Loads and multiply-adds of a thread that are written out: more only take compilers longer, some of them half a minute. */
const MOST_WRITTEN_OUT = 2048;

const unrolling: ShapeRule = ({ spec: { schedule }, geometry: { tile, thread } }) => {
  if (schedule.algorithm !== 'register-tile') return [];
  const each = thread.m * thread.n + thread.m + thread.n;
  const most = Math.max(1, Math.floor(MOST_WRITTEN_OUT / each));
  if (tile.k <= most) return [];
  const message = t(
    'A step of {0} along K writes out {1} loads and multiply-adds of a thread; {2} are enough for any compiler.',
    n(tile.k),
    n(tile.k * each),
    n(MOST_WRITTEN_OUT),
  );
  return [{ rule: 'unrolling', path: 'schedule.block.k', message, nearest: most }];
};

const sharing = laneRule(({ spec: { problem } }, { sharing: shares, lanes }, { tile }) => {
  if (shares !== 'quad') return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'sharing', path: 'schedule.sharing', message, nearest: 'none' },
  ];
  if (problem.a.layout === 'col') {
    return breach(
      t('A quad shares depths of A, which must lie side by side: A is column-major here.'),
    );
  }
  if (tile.k % QUAD !== 0) {
    return breach(
      t('Each of {0} lanes loads a quarter of a step: block.k = {1} is no multiple.', QUAD, tile.k),
    );
  }
  if (lanes.n % QUAD === 0) return [];
  return breach(
    t(
      'The {0} lanes of a quad must have the same rows: a row of C has {1} threads of a block, which is no multiple.',
      QUAD,
      lanes.n,
    ),
  );
});

export const REGISTER_TILE_RULES: readonly ShapeRule[] = [unrolling, sharing];
