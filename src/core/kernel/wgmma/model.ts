/**
 * Declarative model of the hand-written `wgmma` kernel (shaders/cuda/wgmma): tile order, TMA loads,
 * instructions and accumulator ownership. simulate/ executes it.
 */
import { swappedProblem } from '../../plan/swapAB';
import type { MatrixShape, Fp32Emulation, WarpGroupPlan } from '../../plan/plan';
import type { BoxedOperand, WgmmaOutput, WgmmaPlan } from '../../plan/wgmma/wgmmaPlan';
import type { DType } from '../../types/dtype';
import type { ResolvedProblem } from '../../spec/resolved';

/**
 * TMA loads of one operand tile. Each block that shares the tile loads 1 / share of it, box by box.
 */
export interface TileLoads {
  readonly major: BoxedOperand['major'];
  readonly box: readonly [inner: number, outer: number];
  readonly swizzleBytes: number;
  /** Number of blocks that share the tile; each block multicasts the slice that it loads. */
  readonly share: number;
  /** Number of panels along M or N; 1 if K is contiguous. */
  readonly panels: number;
  /** Repacked copy that TMA reads instead of the matrix. */
  readonly repacked?: NonNullable<BoxedOperand['repacked']>;
}

/**
 * Model of the computed GEMM. With `ba` (swap-AB), its rows are the columns of C and its A is the
 * caller's B.
 */
export interface WgmmaModel {
  readonly kind: 'wgmma';
  readonly operandOrder: WgmmaPlan['operandOrder'];
  readonly element: DType;
  readonly tile: WarpGroupPlan['tile'];
  readonly cluster: { readonly m: number; readonly n: number };
  readonly raster: WgmmaPlan['raster'];
  readonly blocks: number;
  readonly instruction: WgmmaPlan['instruction'];
  readonly shape: MatrixShape;
  readonly kernelSchedule: WgmmaPlan['kernelSchedule'];
  readonly consumers: number;
  readonly rowsPerConsumer: number;
  /**
   * Stage count and bytes of the ring buffer, and number of arrivals that release a stage: one per
   * consumer that reads the stage, in each block that shares its tiles.
   */
  readonly ring: { readonly stages: number; readonly bytes: number; readonly releases: number };
  readonly loads: Readonly<Record<'a' | 'b', TileLoads>>;
  readonly output: WgmmaOutput;
  /** Number of split-K slices: blocks of a cluster that each accumulate one slice of K. */
  readonly splitK: number;
  readonly twoPass?: WgmmaPlan['twoPass'];
  readonly fp32Emulation?: Fp32Emulation;
}

/** Builds the model; `plan` must describe the computed GEMM. */
export function modelOf(
  { wgmma, tile }: WarpGroupPlan,
  operandOrder: WgmmaPlan['operandOrder'],
): WgmmaModel {
  const {
    cluster,
    kernelSchedule,
    consumers,
    rowsPerConsumer: rowsPerConsumer,
    instruction,
    shape,
    a,
    b,
    stages,
  } = wgmma;
  return {
    kind: 'wgmma',
    operandOrder,
    element: wgmma.element,
    tile,
    cluster,
    raster: wgmma.raster,
    blocks: wgmma.blocks,
    instruction,
    shape,
    kernelSchedule,
    consumers,
    rowsPerConsumer: rowsPerConsumer,
    output: wgmma.output,
    ring: { stages, bytes: a.bytes + b.bytes, releases: emptyArrivalsOf(wgmma) },
    loads: { a: loadsOf(a, tile.m), b: loadsOf(b, tile.n) },
    splitK: wgmma.splitK,
    ...(wgmma.twoPass === undefined ? {} : { twoPass: wgmma.twoPass }),
    ...(wgmma.fp32Emulation === undefined ? {} : { fp32Emulation: wgmma.fp32Emulation }),
  };
}

export interface ProblemOf<Of> {
  readonly problem: ResolvedProblem;
  readonly of: Of;
}

/** Returns the GEMM that the kernel computes: the given problem, or with swap-AB its transpose. */
export const computed = <Of extends { readonly a: unknown; readonly b: Of['a'] }>(
  { operandOrder }: Pick<WgmmaModel, 'operandOrder'>,
  { problem, of }: ProblemOf<Of>,
): ProblemOf<Of> =>
  operandOrder === 'ab'
    ? { problem, of }
    : { problem: swappedProblem(problem), of: { ...of, a: of.b, b: of.a } };

/**
 * Returns the number of arrivals that release a stage: one per consumer that reads the stage, in
 * each block of the same row or column of the cluster.
 */
export const emptyArrivalsOf = ({
  cluster,
  kernelSchedule,
  consumers,
}: Pick<WgmmaModel, 'cluster' | 'kernelSchedule' | 'consumers'>): number =>
  (cluster.m + cluster.n - 1) * (kernelSchedule === 'pingpong' ? 1 : consumers);

const loadsOf = (
  { major, box, swizzleBytes, share, repacked: repacked }: BoxedOperand,
  side: number,
): TileLoads => ({
  major,
  box,
  swizzleBytes,
  share,
  panels: major === 'k' ? 1 : side / box[0],
  ...(repacked === undefined ? {} : { repacked: repacked }),
});
