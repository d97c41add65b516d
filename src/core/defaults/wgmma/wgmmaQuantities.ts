/** Quantities that all candidate `wgmma` schedules of a computed GEMM share. */
import { compulsoryBytes } from '../../plan/traffic';
import { REPACKED_PITCH_BYTES } from '../../plan/wgmma/wgmma';
import { sourceOf } from '../../plan/wgmma/wgmmaSource';
import { TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmmaUnits';
import { alignmentOf, isAligned, LINE_BYTES, type LoadedRows } from '../../cost/wgmma/wgmmaKernel';
import { flops, type ResolvedProblem } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import { SWIZZLED_BYTES } from './wgmmaDefaults';

/** Tile widths in columns. */
export const COLUMNS = { step: 8, panel: 32, widePanel: 64, least: 32, most: 256 } as const;

export type Quantities = ReturnType<typeof quantitiesOf>;

/** Returns the quantities that all candidates of a computed GEMM share. */
export function quantitiesOf(problem: ResolvedProblem) {
  const { a, b, c, m, n, k, batch, beta } = problem;
  const element = DTYPE_BYTES[a.dtype];
  const outputBytes = DTYPE_BYTES[c.dtype];
  const isTransposable = element === 2;
  const unit = TMA_STRIDE_BYTES / element;
  const copyOf = (
    ld: number,
    stride: number,
    {
      isKMajor,
      outer,
      inner,
    }: { readonly isKMajor: boolean; readonly outer: number; readonly inner: number },
  ) => {
    const isTurned = !isKMajor && !isTransposable;
    const isOff = ld % unit !== 0 || (batch > 1 && stride % unit !== 0);
    if (!isTurned && !isOff) return { alignment: alignmentOf(ld, element), launches: 0, bytes: 0 };
    const pitch = REPACKED_PITCH_BYTES / element;
    const [rows, columns] = isTurned ? [inner, outer] : [outer, inner];
    const copied = rows * Math.ceil(columns / pitch) * pitch;
    return {
      alignment: LINE_BYTES as LoadedRows['alignment'],
      launches: 1,
      bytes: batch * (outer * inner + copied) * element,
    };
  };
  const aIsK = a.layout === 'row';
  const bIsK = b.layout === 'col';
  const ofA = copyOf(a.ld, a.batchStride, {
    isKMajor: aIsK,
    outer: aIsK ? m : k,
    inner: aIsK ? k : m,
  });
  const ofB = copyOf(b.ld, b.batchStride, {
    isKMajor: bIsK,
    outer: bIsK ? n : k,
    inner: bIsK ? k : n,
  });
  const storesAligned = isAligned(c.ld, outputBytes);
  const source =
    outputBytes === 2 && storesAligned ? sourceOf(problem, TMA_STRIDE_BYTES) : undefined;
  const isStaged = outputBytes === 2 && (beta === 0 || source === 'c');
  return {
    problem,
    k: SWIZZLED_BYTES / element,
    element,
    outputBytes,
    a: ofA.alignment,
    b: ofB.alignment,
    panel: bIsK || !isTransposable ? COLUMNS.step : COLUMNS.panel,
    storesAligned,
    isStaged,
    source,
    limits: { storesColumns: c.layout === 'col' && !(isStaged && storesAligned) },
    prePass: { launches: ofA.launches + ofB.launches, bytes: ofA.bytes + ofB.bytes },
    compulsoryBytes: compulsoryBytes(problem),
    flops: flops(problem),
  };
}
