/**
 * CuTe layouts: functions from coordinates to offsets, written shape:stride. The first mode varies
 * fastest. Extents are at least 1, strides at least 0 (CuTe's negative strides are not supported).
 */
import {
  congruent,
  flatten,
  isLeaf,
  modesOf,
  product,
  tupleOf,
  tupleText,
  type IntTuple,
} from './intTuple';

export interface Layout {
  readonly shape: IntTuple;
  /** Strides in the shape's profile: one per extent. */
  readonly stride: IntTuple;
}

export interface Mode {
  readonly extent: number;
  readonly stride: number;
}

export class LayoutError extends Error {}

export function layoutOf(shape: IntTuple, stride: IntTuple): Layout {
  if (!congruent(shape, stride)) {
    throw new LayoutError(
      `${tupleText(shape)} and ${tupleText(stride)} have different profiles: each extent needs a stride.`,
    );
  }
  const layout = { shape, stride };
  if (!Number.isSafeInteger(product(shape)) || !Number.isSafeInteger(cosize(layout))) {
    throw new LayoutError(`${textOf(layout)} is larger than 2^53 elements.`);
  }
  return layout;
}

/** Returns the packed layout of a shape with a contiguous first mode, CuTe's default. */
export const packed = (shape: IntTuple): Layout => layoutOf(shape, prefixProducts(shape, 1)[0]);

/** Returns the packed layout of a shape with a contiguous last mode. */
export const packedRight = (shape: IntTuple): Layout => {
  const reversed = packed(reverse(shape));
  return layoutOf(shape, reverse(reversed.stride));
};

const reverse = (tuple: IntTuple): IntTuple =>
  isLeaf(tuple) ? tuple : tuple.map(reverse).reverse();

function prefixProducts(shape: IntTuple, first: number): readonly [IntTuple, number] {
  if (isLeaf(shape)) return [first, first * shape];
  let next = first;
  const strides = shape.map(mode => {
    const [stride, after] = prefixProducts(mode, next);
    next = after;
    return stride;
  });
  return [strides, next];
}

export const size = ({ shape }: Layout): number => product(shape);

export const cosize = (layout: Layout): number =>
  flatModes(layout).reduce((last, { extent, stride }) => last + (extent - 1) * stride, 1);

export function flatModes({ shape, stride }: Layout): readonly Mode[] {
  const strides = flatten(stride);
  return flatten(shape).map((extent, i) => ({ extent, stride: strides[i] ?? 0 }));
}

export const rank = ({ shape }: Layout): number => modesOf(shape).length;

export function modes(layout: Layout): readonly Layout[] {
  const strides = modesOf(layout.stride);
  return modesOf(layout.shape).map((shape, i) => ({ shape, stride: strides[i] ?? 0 }));
}

export const ofModes = (parts: readonly Layout[]): Layout =>
  layoutOf(tupleOf(parts.map(({ shape }) => shape)), tupleOf(parts.map(({ stride }) => stride)));

export const fromFlat = (parts: readonly Mode[]): Layout =>
  ofModes(parts.map(({ extent, stride }) => ({ shape: extent, stride })));

/**
 * Returns the offset of the `index`-th coordinate. Beyond the size, the last mode continues, as in
 * CuTe.
 */
export function offsetOf(layout: Layout, index: number): number {
  const flat = flatModes(layout);
  let rest = index;
  let offset = 0;
  for (const [i, { extent, stride }] of flat.entries()) {
    const digit = i === flat.length - 1 ? rest : rest % extent;
    offset += digit * stride;
    rest = Math.floor(rest / extent);
  }
  return offset;
}

/** Returns the coordinate of an index, in the shape's profile. */
export function coordinateOf(shape: IntTuple, index: number): IntTuple {
  if (isLeaf(shape)) return index % shape;
  let rest = index;
  return shape.map(mode => {
    const extent = product(mode);
    const coordinate = coordinateOf(mode, rest % extent);
    rest = Math.floor(rest / extent);
    return coordinate;
  });
}

export const textOf = ({ shape, stride }: Layout): string =>
  `${tupleText(shape)}:${tupleText(stride)}`;
