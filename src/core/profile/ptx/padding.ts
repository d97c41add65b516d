/** Finds the minimum row padding of a shared array that removes the observed bank conflicts. */
import type { SharedAccess } from '../../memory/access';
import { priceOf, type PricedShape } from './price';
import { declaredRow } from './sourceText';

/** Maximum row padding in elements. */
const MAX_PADDING = 8;

export function remedyPadding(
  shapes: readonly PricedShape[],
  of: {
    readonly name: string;
    readonly bytes: number;
    readonly op: SharedAccess['op'];
    readonly text: string;
    readonly elementBytes: number;
  },
): number | null {
  if (shapes.every(({ priced }) => priced.cost <= priced.unhindered)) return null;
  const row = declaredRow(of.text, of.name);
  if (row === undefined) return null;
  const rowBytes = row * of.elementBytes;
  for (let padding = 1; padding <= MAX_PADDING; padding++) {
    const more = padding * of.elementBytes;
    if ((rowBytes + more) % of.bytes !== 0) continue;
    const isConflictFree = shapes.every(({ shape }) => {
      const padded = shape.addresses.map(address => {
        const place = address + shape.from;
        return place + Math.floor(place / rowBytes) * more;
      });
      const { cost, unhindered } = priceOf(padded, 'shared', of);
      return cost <= unhindered;
    });
    if (isConflictFree) return padding;
  }
  return null;
}
