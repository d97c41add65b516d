/**
 * Legality of `layout`: each thread layout must be compact and divide its tile, and all must have
 * the same number of threads.
 */
import { t } from '@vscode/l10n';
import { isCompact } from '../../layout/coverage';
import { size } from '../../layout/layout';
import type { ResolvedSchedule } from '../../spec/resolved';
import type { RuleViolation, ShapeRule } from './rule';
import {
  DEFAULT_THREAD_LAYOUTS,
  parseThreadLayout,
  threadLayoutsOf,
  type ThreadLayout,
} from '../threadLayout';

/** Tile dimensions that the two modes of each thread layout cover. */
const MODES = { a: ['m', 'k'], b: ['n', 'k'], c: ['m', 'n'] } as const;

const undivided = (
  operand: 'a' | 'b' | 'c',
  { shape }: ThreadLayout,
  tile: Readonly<Record<'m' | 'n' | 'k', number>>,
) => MODES[operand].flatMap((mode, i) => (tile[mode] % (shape[i] ?? 1) === 0 ? [] : [{ mode, i }]));

export const threadLayouts: ShapeRule = ({ spec: { schedule }, geometry: { tile } }) => {
  if (schedule.algorithm !== 'layout') return [];
  const breaches = (['a', 'b', 'c'] as const).flatMap(operand => {
    const text = schedule.threadLayout?.[operand] ?? '';
    const breach = (message: string, nearest: string | null): readonly RuleViolation[] => {
      const other = nearest === null ? null : parseThreadLayout(nearest);
      const isFixed = other !== null && undivided(operand, other, tile).length === 0;
      const path = `schedule.threadLayout.${operand}`;
      return [{ rule: 'thread-layout', path, message, ...(isFixed ? { nearest } : {}) }];
    };
    const layout = parseThreadLayout(text);
    if (layout === null) {
      return breach(
        t('Expected a layout of two modes such as (32,8):(1,32), got "{0}".', text),
        DEFAULT_THREAD_LAYOUTS[operand],
      );
    }
    const [s0, s1] = layout.shape;
    if (!isCompact(layout)) {
      return breach(
        t('Thread layout {0} skips or repeats threads. Fix: use {1}.', text, packedText(s0, s1)),
        packedText(s0, s1),
      );
    }
    return undivided(operand, layout, tile).flatMap(({ mode, i }) =>
      breach(
        t(
          'The thread layout must divide the block tile: block.{0} = {1} is not a multiple of {2}.',
          mode,
          tile[mode],
          layout.shape[i] ?? 1,
        ),
        null,
      ),
    );
  });
  return breaches.length > 0 ? breaches : threadCounts(schedule);
};

const packedText = (s0: number, s1: number): string => `(${s0},${s1}):(1,${s0})`;

function threadCounts(schedule: ResolvedSchedule): readonly RuleViolation[] {
  const layouts = threadLayoutsOf(schedule);
  if (layouts === null) return [];
  const threads = size(layouts.c);
  return (['a', 'b'] as const)
    .filter(operand => size(layouts[operand]) !== threads)
    .map(operand => ({
      rule: 'thread-layout-size',
      path: `schedule.threadLayout.${operand}`,
      message: t(
        'All thread layouts must have the same number of threads: {0} has {1}, the layout of C has {2}.',
        schedule.threadLayout?.[operand] ?? '',
        size(layouts[operand]),
        threads,
      ),
    }));
}
