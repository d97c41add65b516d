/** Layout algebra: CuTe's coalesce, composition, complement and right inverse. */
import { isLeaf, type IntTuple } from './intTuple';
import {
  flatModes,
  fromFlat,
  LayoutError,
  layoutOf,
  modes,
  ofModes,
  packed,
  textOf,
  type Layout,
  type Mode,
} from './layout';

/** Returns a layout of the same index function with as few modes as possible. */
export function coalesce(layout: Layout): Layout {
  const merged = mergeNeighbours(flatModes(layout).filter(({ extent }) => extent > 1));
  return merged.length === 0 ? layoutOf(1, 0) : fromFlat(merged);
}

/** Coalesces each top-level mode separately, which preserves coordinates. */
export const coalesceModes = (layout: Layout): Layout => ofModes(modes(layout).map(coalesce));

function mergeNeighbours(flat: readonly Mode[]): readonly Mode[] {
  const merged: Mode[] = [];
  for (const mode of flat) {
    const last = merged.at(-1);
    if (last !== undefined && mode.stride === last.extent * last.stride) {
      merged[merged.length - 1] = { extent: last.extent * mode.extent, stride: last.stride };
    } else merged.push(mode);
  }
  return merged;
}

/**
 * Coalesces all modes but keeps the last mode, which defines how the layout extends beyond its
 * size.
 */
function openEnded(layout: Layout): readonly Mode[] {
  const flat = flatModes(layout);
  return mergeNeighbours(flat.filter(({ extent }, i) => extent > 1 || i === flat.length - 1));
}

/**
 * Computes R with R(c) = A(B(c)) for each coordinate c of B, in B's profile.
 * @throws {LayoutError} if no such layout exists
 */
export function compose(a: Layout, b: Layout): Layout {
  const target = openEnded(a);
  /**
   * Largest index that B's modes reach together in each mode of A. A layout cannot represent a
   * carry into the next mode.
   */
  const reach = target.map(() => 0);
  const composed = composeTuple(b.shape, b.stride, (extent, stride) => {
    const modesOfStep = distribute(target, extent, stride, reach);
    if (modesOfStep === null)
      throw notComposable(a, b, `mode ${extent}:${stride} of the second layout`);
    return modesOfStep;
  });
  const carries = target.findIndex(
    ({ extent }, i) => i < target.length - 1 && (reach[i] ?? 0) >= extent,
  );
  if (carries >= 0) throw notComposable(a, b, 'the combination of modes in the second layout');
  return composed;
}

const notComposable = (a: Layout, b: Layout, what: string): LayoutError =>
  new LayoutError(
    `${textOf(a)} and ${textOf(b)} do not compose: ${what} does not step evenly across ${textOf(coalesce(a))}. ` +
      'Extents and strides of the second layout must divide, or be multiples of, those of the first.',
  );

function composeTuple(
  shape: IntTuple,
  stride: IntTuple,
  leaf: (extent: number, stride: number) => Layout,
): Layout {
  if (isLeaf(shape) || isLeaf(stride)) return leaf(Number(shape), Number(stride));
  const parts = shape.map((mode, i) => composeTuple(mode, stride[i] ?? 0, leaf));
  return layoutOf(
    parts.map(part => part.shape),
    parts.map(part => part.stride),
  );
}

/**
 * Distributes `extent` steps of `stride` over the modes of a layout. Returns null if the steps are
 * not evenly spaced in each mode.
 */
function distribute(
  target: readonly Mode[],
  extent: number,
  stride: number,
  reach: number[],
): Layout | null {
  if (stride === 0) return layoutOf(extent, 0);
  const modesOfStep: Mode[] = [];
  let steps = extent;
  let step = stride;
  for (const [i, mode] of target.entries()) {
    const isLast = i === target.length - 1;
    if (!isLast && step % mode.extent === 0) {
      step /= mode.extent;
      continue;
    }
    const fits = isLast || (steps - 1) * step < mode.extent;
    if (!fits && mode.extent % step !== 0) return null;
    const here = fits ? steps : mode.extent / step;
    if (steps % here !== 0) return null;
    if (here > 1) modesOfStep.push({ extent: here, stride: step * mode.stride });
    reach[i] = (reach[i] ?? 0) + (here - 1) * step;
    steps /= here;
    if (steps === 1) break;
    step = 1;
  }
  return modesOfStep.length === 0 ? layoutOf(1, 0) : fromFlat(modesOfStep);
}

/**
 * Returns the layout of the offsets that `layout` does not reach, up to `bound` rounded up to whole
 * repetitions. Together, the two layouts reach each offset once.
 * @throws {LayoutError} if modes of the layout interleave or overlap
 */
export function complement(layout: Layout, bound: number): Layout {
  const sorted = flatModes(layout)
    .filter(({ extent, stride }) => extent > 1 && stride > 0)
    .toSorted((a, b) => a.stride - b.stride || a.extent - b.extent);
  const rest: Mode[] = [];
  let covered = 1;
  for (const { extent, stride } of sorted) {
    if (stride % covered !== 0) {
      throw new LayoutError(
        `${textOf(layout)} has no complement: its stride ${stride} is not a multiple of ${covered}, the extent covered by its smaller modes.`,
      );
    }
    rest.push({ extent: stride / covered, stride: covered });
    covered = extent * stride;
  }
  rest.push({ extent: Math.ceil(bound / covered), stride: covered });
  return coalesce(fromFlat(rest));
}

/** Computes R with L(R(i)) = i for each i below the size of R: R maps each offset to its index. */
export function rightInverse(layout: Layout): Layout {
  const flat = flatModes(coalesce(layout));
  const starts = flatModes(packed(flat.map(({ extent }) => extent)));
  const found: Mode[] = [];
  let next = 1;
  for (;;) {
    const at = flat.findIndex(({ extent, stride }) => extent > 1 && stride === next);
    const mode = flat[at];
    if (mode === undefined) break;
    found.push({ extent: mode.extent, stride: starts[at]?.stride ?? 0 });
    next *= mode.extent;
  }
  return found.length === 0 ? layoutOf(1, 0) : coalesce(fromFlat(found));
}
