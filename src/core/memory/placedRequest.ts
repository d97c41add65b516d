/**
 * Places the lanes of a global-memory request on the matrix: an actual request of a block, with the
 * element that each lane accesses.
 */
import { operandOf } from '../spec/resolved';
import { fixed, withCounter, type Affine, type Counter } from '../kernel/ir/affine';
import type { Kernel } from '../kernel/kernel';
import type { Layout } from '../spec/schema';
import type { AccessSite } from './accessSite';
import type { SiteName } from './access';
import { requestedSite } from './accesses';
import { drawnFrom, worstRequest, type DrawnRequest } from './drawnRequest';
import { createMemo, evaluate } from './lanes';
import { LINE_BYTES } from './requestCost';
import { addressOf, periodOfUnit, type RequestedSite } from './requests';
import { shiftedPoint } from './shifts';

/** The first element that a lane accesses. */
export interface PlacedLane {
  readonly row: number;
  readonly column: number;
  /** Element index in the buffer. */
  readonly element: number;
}

export interface PlacedRequest {
  readonly request: DrawnRequest;
  /** Contiguous dimension: columns of a row-major matrix, rows of a column-major one. */
  readonly layout: Layout;
  /** Elements per lane, along the contiguous dimension. */
  readonly width: number;
  /** Batch entry; 0 for the workspace. */
  readonly entry: number;
  /**
   * Element of each lane; null for inactive lanes. Elements of boundary tiles may be outside of the
   * matrix, because sectors are counted as if C extended to the end of its last tile.
   */
  readonly lanes: readonly (PlacedLane | null)[];
}

/**
 * Returns the request that `drawnRequest` selects, or the worst-case request of one warp of the
 * block. Returns null if the site is absent or in shared memory, or if the warp never executes it.
 * Lines of the workspace are reported as rows.
 */
export function placedRequest(
  kernel: Kernel,
  name: SiteName,
  warp: number | null = null,
): PlacedRequest | null {
  const whole = requestedSite(kernel, name);
  if (whole?.access.space !== 'global') return null;
  const asked = warp === null ? whole : ofWarp(whole, warp);
  const found = asked === null ? null : worstRequest(asked);
  if (asked === null || found === null) return null;
  const { access } = asked;
  const address = addressOf(asked);
  const shifting = shiftedPoint(
    address,
    access.masks,
    periodOfUnit(asked, LINE_BYTES),
    found.shift,
  );
  if (shifting === null) throw new Error(`${name.site}: no request has the shift ${found.shift}.`);
  const point = new Map([...found.point, ...shifting]);
  const known = createMemo();
  const lanesOf = (of: Affine): Float64Array => evaluate(of, point, known);
  const [outer, inner, offset, elements] = [
    lanesOf(access.outer),
    lanesOf(access.inner),
    lanesOf(access.offset),
    lanesOf(address),
  ];
  const { operand } = access.site;
  const matrix = operand === 'workspace' ? null : operandOf(kernel.problem, operand);
  const isByRow = matrix === null || matrix.layout === 'row';
  const request = drawnFrom(asked, found);
  const start = offset[0] ?? 0;
  return {
    request,
    layout: isByRow ? 'row' : 'col',
    width: access.width,
    entry:
      matrix === null || start === 0 || matrix.batchStride === 0 ? 0 : start / matrix.batchStride,
    lanes: request.addresses.map((active, lane): PlacedLane | null => {
      if (active === null) return null;
      const [line, at] = [outer[lane] ?? 0, (inner[lane] ?? 0) - (offset[lane] ?? 0)];
      const [row, column] = isByRow ? [line, at] : [at, line];
      return { row, column, element: elements[lane] ?? 0 };
    }),
  };
}

/** Returns the number of warps per block of the launch that has the site; 0 without the site. */
export function warpsOf(kernel: Kernel, name: SiteName): number {
  const asked = requestedSite(kernel, name);
  if (asked === undefined) return 0;
  return warpCounter(asked.access)?.count ?? 1;
}

function warpCounter({ warp }: AccessSite): Counter | null {
  const atom = warp.terms[0]?.atom;
  return atom?.kind === 'counter' ? atom : null;
}

/** Returns the site as one warp of each block executes it; null if the block has no such warp. */
function ofWarp(asked: RequestedSite, warp: number): RequestedSite | null {
  const { access } = asked;
  const counter = warpCounter(access);
  if (warp < 0 || warp >= (counter?.count ?? 1)) return null;
  if (counter === null) return asked;
  const fix = (of: Affine): Affine => withCounter(of, counter, warp);
  return {
    ...asked,
    access: {
      ...access,
      outer: fix(access.outer),
      inner: fix(access.inner),
      offset: fix(access.offset),
      masks: access.masks.map(fix),
      warp: fixed(warp),
    },
  };
}
