/** Determines whether a layout reaches each offset once. */
import { flatModes, size, type Layout, type Mode } from './layout';

/**
 * Coverage of a layout. `compact`: it reaches each offset below its cosize once. `injective`: it
 * reaches no offset twice.
 */
export type Coverage = 'compact' | 'injective' | 'repeating' | 'unknown';

/** Maximum number of elements to enumerate if the strides do not determine the coverage. */
const MAX_ENUMERATED = 2 ** 20;

const byStride = (layout: Layout): readonly Mode[] =>
  flatModes(layout)
    .filter(({ extent }) => extent > 1)
    .toSorted((a, b) => a.stride - b.stride);

/**
 * Tests whether a layout is compact: sorted by stride, each mode begins where the previous modes
 * end.
 */
export function isCompact(layout: Layout): boolean {
  let end = 1;
  return byStride(layout).every(({ extent, stride }) => {
    const follows = stride === end;
    end *= extent;
    return follows;
  });
}

export function coverage(layout: Layout): Coverage {
  if (isCompact(layout)) return 'compact';
  let last = 0;
  const isInjective = byStride(layout).every(({ extent, stride }) => {
    const isInjectiveByStride = stride > last;
    last += (extent - 1) * stride;
    return isInjectiveByStride;
  });
  return isInjective ? 'injective' : enumerateOffsets(layout);
}

function enumerateOffsets(layout: Layout): Coverage {
  const flat = flatModes(layout);
  if (flat.some(({ extent, stride }) => extent > 1 && stride === 0)) return 'repeating';
  if (size(layout) > MAX_ENUMERATED) return 'unknown';
  let offsets: readonly number[] = [0];
  for (const { extent, stride } of flat) {
    const steps = Array.from({ length: extent }, (_, i) => i * stride);
    offsets = steps.flatMap(step => offsets.map(offset => offset + step));
  }
  return new Set(offsets).size < offsets.length ? 'repeating' : 'injective';
}
