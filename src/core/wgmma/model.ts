/**
 * What the hand-written kernel of `wgmma` (shaders/cuda/wgmma) does, as data: which tile a block takes when, what TMA brings
 * where, what an instruction multiplies, and who holds which sum. simulate/ runs it; tests hold it against the kernel's text.
 */
import type { BoxedOperand, MatrixShape, PiecesPlan, Plan, WgmmaOutput } from '../plan/plan';

/** How a stage's tile of an operand is put together: by one block after the other of those that share it, box by box. */
export interface TileLoads {
  readonly major: BoxedOperand['major'];
  readonly box: readonly [inner: number, outer: number];
  readonly swizzleBytes: number;
  /** Blocks that each load a part for all of them. */
  readonly share: number;
  /** Panels beside each other along m or n; 1 where K is contiguous. */
  readonly panels: number;
}

export interface WgmmaModel {
  readonly kind: 'wgmma';
  readonly tile: Plan['tile'];
  readonly cluster: { readonly m: number; readonly n: number };
  /** Cluster tiles along m that are walked together. */
  readonly raster: number;
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

export function modelOf({ wgmma, tile }: Plan): WgmmaModel {
  if (wgmma === undefined) throw new Error('only wgmma has a declared model');
  const { cluster, kernelSchedule, consumers, groupRows, shape, a, b, stages } = wgmma;
  return {
    ...{ kind: 'wgmma', tile, cluster, raster: wgmma.raster, blocks: wgmma.blocks, shape },
    ...{ kernelSchedule, consumers, groupRows, output: wgmma.output },
    ring: { stages, bytes: a.bytes + b.bytes, releases: releasesOf(wgmma) },
    loads: { a: loadsOf(a, tile.m), b: loadsOf(b, tile.n) },
    splitK: wgmma.splitK,
    ...(wgmma.pieces === undefined ? {} : { pieces: wgmma.pieces }),
  };
}

/** Of a buffer: those of a row and a column of the cluster, each consumer that reads it. */
export const releasesOf = ({
  cluster,
  kernelSchedule,
  consumers,
}: Pick<WgmmaModel, 'cluster' | 'kernelSchedule' | 'consumers'>): number =>
  (cluster.m + cluster.n - 1) * (kernelSchedule === 'pingpong' ? 1 : consumers);

const loadsOf = ({ major, box, swizzleBytes, share }: BoxedOperand, side: number): TileLoads => ({
  ...{ major, box, swizzleBytes, share },
  panels: major === 'k' ? 1 : side / box[0],
});
