/** Values of layout expressions. */
import { coverage, type Coverage } from './coverage';
import type { IntTuple } from './intTuple';
import { cosize, LayoutError, offsetOf, size, textOf, type Layout } from './layout';
import { swizzleOffset, swizzleText, type Swizzle } from './swizzle';

/** A layout with an offset, as CuTe's tensors have one. */
export interface PlacedLayout {
  readonly kind: 'layout';
  readonly layout: Layout;
  readonly offset: number;
  /** Swizzle that is applied to offset + layout. */
  readonly swizzle?: Swizzle;
}

/** A number, a coordinate, or a layout. */
export type LayoutValue = PlacedLayout | { readonly kind: 'tuple'; readonly value: IntTuple };

/** Maximum number of elements of a swizzled layout whose largest offset is searched. */
const MAX_ENUMERATED = 2 ** 20;

/** Returns the offset of the `index`-th coordinate. */
export const offsetIn = (value: PlacedLayout, index: number): number =>
  swizzledOffset(value, offsetOf(value.layout, index));

/** Returns the offset of an element of the layout, with the offset and swizzle of `value`. */
export const swizzledOffset = (
  { offset, swizzle }: Pick<PlacedLayout, 'offset' | 'swizzle'>,
  inLayout: number,
): number =>
  swizzle === undefined ? offset + inLayout : swizzleOffset(swizzle, offset + inLayout);

/**
 * Returns the largest offset plus one, without the offset of a layout that is not swizzled.
 * @throws {LayoutError} if a swizzled layout is too large to enumerate
 */
export function cosizeOf(value: PlacedLayout): number {
  const { layout, swizzle } = value;
  if (swizzle === undefined) return cosize(layout);
  if (size(layout) > MAX_ENUMERATED) {
    throw new LayoutError(
      `${textOf(layout)} has more than ${MAX_ENUMERATED} elements, which is too large for a swizzled layout.`,
    );
  }
  let largest = 0;
  for (let i = 0; i < size(layout); i++) largest = Math.max(largest, offsetIn(value, i));
  return largest + 1;
}

/** A swizzle is a bijection, so it preserves whether offsets repeat, but it can leave gaps. */
export function coverageOf(value: PlacedLayout): Coverage {
  const inner = coverage(value.layout);
  if (value.swizzle === undefined || inner === 'repeating' || inner === 'unknown') return inner;
  return cosizeOf(value) === size(value.layout) ? 'compact' : 'injective';
}

/** Formats a layout, and a swizzled layout as CuTe prints it: `Sw<3,3,3> o 0 o (8,8):(8,1)`. */
export const valueText = (
  { offset, swizzle }: PlacedLayout,
  layout: string,
  offsetText = `${offset}`,
): string =>
  swizzle === undefined ? layout : `${swizzleText(swizzle)} o ${offsetText} o ${layout}`;
