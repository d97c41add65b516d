/** Describes the owner of an element of C in sentences. */
import { t } from '@vscode/l10n';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Accumulator, Element, Owner } from '../../src/core/trace/owner';
import { DTYPE_BYTES } from '../../src/core/types/dtype';
import { SECTOR_BYTES } from '../../src/core/memory/requestCost';
import { formatNumber } from '../format';

export function ownerText(
  kernel: Kernel,
  element: Element,
  { accumulators, writer }: Owner,
): string {
  const [first] = accumulators;
  if (first === undefined) return '';
  const { row, column } = element;
  const byte = byteOf(kernel, element);
  return [
    t('C({0}, {1}): {2}, register {3}.', row, column, placeText(first), first.register),
    ...(first.turn > 0 ? [t('Tile {0} of its persistent block.', first.turn + 1)] : []),
    ...(accumulators.length > 1
      ? [t('{0} thread blocks accumulate the element, one per split-K slice.', accumulators.length)]
      : []),
    writer.thread === null
      ? t('TMA stores the element.')
      : writer.line === null
        ? t('Thread {0} stores the element.', writer.thread)
        : t('Thread {0} stores the element in line {1}.', writer.thread, writer.line),
    t(
      'Byte offset in C: {0} (sector {1}).',
      formatNumber(byte),
      formatNumber(Math.floor(byte / SECTOR_BYTES)),
    ),
  ].join(' ');
}

function placeText({ block, warp, lane, thread }: Accumulator): string {
  const { x, y, z } = block;
  const at = z === 0 ? `(${x}, ${y})` : `(${x}, ${y}, ${z})`;
  return lane === null || thread === null
    ? t('thread block {0}, warp {1}', at, warp)
    : t('thread block {0}, warp {1}, lane {2} (thread {3})', at, warp, lane, thread);
}

function byteOf({ problem }: Kernel, { entry, row, column }: Element): number {
  const { layout, ld, batchStride, dtype } = problem.c;
  const [outer, inner] = layout === 'row' ? [row, column] : [column, row];
  return (entry * batchStride + outer * ld + inner) * DTYPE_BYTES[dtype];
}
