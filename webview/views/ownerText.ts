/** Describes the owner of an element of C in sentences. */
import { t } from '@vscode/l10n';
import type { Accumulator, Element, Owner } from '../../src/core/trace/owner';

export function ownerText(element: Element, { accumulators, writer }: Owner): string {
  const [first] = accumulators;
  if (first === undefined) return '';
  const { row, column } = element;
  return [
    t('C({0}, {1}): {2}, register {3}.', row, column, placeText(first), first.register),
    ...(first.turn > 0 ? [t('Tile {0} of its persistent block.', first.turn + 1)] : []),
    ...(accumulators.length > 1
      ? [t('{0} thread blocks accumulate the element, one per split-K slice.', accumulators.length)]
      : []),
    ...(first.threadsAlongK === undefined
      ? []
      : [t('{0} threads accumulate parts of its K.', first.threadsAlongK)]),
    ...storeText(accumulators, writer),
  ].join(' ');
}

/** Returns no text if TMA or the owner of the accumulator stores the element. */
function storeText(
  [first, ...others]: Owner['accumulators'],
  { thread }: Owner['writer'],
): readonly string[] {
  if (others.length > 0) return [t('The reduction kernel stores it.')];
  return thread === null || thread === first?.thread ? [] : [t('Thread {0} stores it.', thread)];
}

function placeText({ block, warp, lane, thread }: Accumulator): string {
  const { x, y, z } = block;
  const at = z === 0 ? `(${x}, ${y})` : `(${x}, ${y}, ${z})`;
  return lane === null || thread === null
    ? t('block {0}, warp {1}', at, warp)
    : t('block {0}, warp {1}, lane {2}, thread {3}', at, warp, lane, thread);
}
