/**
 * What the hand-written kernel of `wgmma` (shaders/cuda/wgmma) does, as data: which tile a block takes when, what TMA brings
 * where, what an instruction multiplies, and who holds which sum. simulate/ runs it; tests hold it against the kernel's text.
 */
import { mirroredProblem } from '../../plan/swapAB';
import type {
  BoxedOperand,
  MatrixShape,
  PiecesPlan,
  WarpGroupPlan,
  WgmmaOutput,
  WgmmaPlan,
} from '../../plan/plan';
import type { DType } from '../../types/dtype';
import type { ResolvedProblem } from '../../spec/resolved';

/** How a stage's tile of an operand is put together: by one block after the other of those that share it, box by box. */
export interface TileLoads {
  readonly major: BoxedOperand['major'];
  readonly box: readonly [inner: number, outer: number];
  readonly swizzleBytes: number;
  /** Blocks that each load a part for all of them. */
  readonly share: number;
  /** Panels beside each other along m or n; 1 where K is contiguous. */
  readonly panels: number;
  /** The copy that is read in its place. */
  readonly relaid?: NonNullable<BoxedOperand['relaid']>;
}

/** Of the product that is computed: with `ba` the transposed one, whose rows are the columns of C and whose A is B. */
export interface WgmmaModel {
  readonly kind: 'wgmma';
  readonly operandOrder: WgmmaPlan['operandOrder'];
  /** Of A and B, as the instruction takes them. */
  readonly element: DType;
  readonly tile: WarpGroupPlan['tile'];
  readonly cluster: { readonly m: number; readonly n: number };
  /** Cluster tiles that are walked together: along m in strips of rows, along n in strips of columns. */
  readonly raster: WgmmaPlan['raster'];
  readonly blocks: number;
  readonly shape: MatrixShape;
  readonly kernelSchedule: 'cooperative' | 'pingpong';
  readonly consumers: number;
  /** Of a consumer. */
  readonly groupRows: number;
  /** Buffers, and arrivals that free one: of every consumer that reads it, here and in the blocks it was brought to. */
  readonly ring: { readonly stages: number; readonly bytes: number; readonly releases: number };
  readonly loads: Readonly<Record<'a' | 'b', TileLoads>>;
  readonly output: WgmmaOutput;
  /** Blocks of a cluster that each sum a part of K. */
  readonly splitK: number;
  /** What A and B are split into before, and which products of it are summed. */
  readonly pieces?: PiecesPlan;
}

/** `plan` is of the computed product. */
export function modelOf(
  { wgmma, tile }: WarpGroupPlan,
  operandOrder: WgmmaPlan['operandOrder'],
): WgmmaModel {
  const { cluster, kernelSchedule, consumers, groupRows, shape, a, b, stages } = wgmma;
  return {
    kind: 'wgmma',
    operandOrder,
    element: wgmma.element,
    tile,
    cluster,
    raster: wgmma.raster,
    blocks: wgmma.blocks,
    shape,
    kernelSchedule,
    consumers,
    groupRows,
    output: wgmma.output,
    ring: { stages, bytes: a.bytes + b.bytes, releases: releasesOf(wgmma) },
    loads: { a: loadsOf(a, tile.m), b: loadsOf(b, tile.n) },
    splitK: wgmma.splitK,
    ...(wgmma.pieces === undefined ? {} : { pieces: wgmma.pieces }),
  };
}

/** A problem with its matrices, or whatever goes with A and B. */
export interface Posed<Of> {
  readonly problem: ResolvedProblem;
  readonly of: Of;
}

/** The product that a kernel computes for a problem: the same, or the transposed one. */
export const computed = <Of extends { readonly a: unknown; readonly b: Of['a'] }>(
  { operandOrder }: Pick<WgmmaModel, 'operandOrder'>,
  { problem, of }: Posed<Of>,
): Posed<Of> =>
  operandOrder === 'ab'
    ? { problem, of }
    : { problem: mirroredProblem(problem), of: { ...of, a: of.b, b: of.a } };

/** Of a buffer: those of a row and a column of the cluster, each consumer that reads it. */
export const releasesOf = ({
  cluster,
  kernelSchedule,
  consumers,
}: Pick<WgmmaModel, 'cluster' | 'kernelSchedule' | 'consumers'>): number =>
  (cluster.m + cluster.n - 1) * (kernelSchedule === 'pingpong' ? 1 : consumers);

const loadsOf = (
  { major, box, swizzleBytes, share, relaid }: BoxedOperand,
  side: number,
): TileLoads => ({
  major,
  box,
  swizzleBytes,
  share,
  panels: major === 'k' ? 1 : side / box[0],
  ...(relaid === undefined ? {} : { relaid }),
});
