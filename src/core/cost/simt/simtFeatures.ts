/** Features of a SIMT kernel that correct its predicted time (simtCorrection.ts). */
import { WARP_LANES } from '../../hardware/warp';
import { tileCount } from '../../plan/tileCount';
import type { CopiedTile, SimtKernel, SimtPrediction } from './simtModel';

const WIDTHS = { 4: 0, 2: 1, 1: 2, transposed: 3, strided: 4 } as const;
const log2 = Math.log2;
const flag = (is: boolean): number => (is ? 1 : 0);

/** Maximum alignment of rows that matters, in elements: a line of 128 bytes. */
const LINE = 32;
/** Returns the largest power of two, up to `LINE`, that divides a leading dimension. */
const alignmentOf = (ld: number): number => {
  let alignment = 1;
  while (alignment < LINE && ld % (2 * alignment) === 0) alignment *= 2;
  return alignment;
};

const widthOf = (copied: CopiedTile | undefined): number => WIDTHS[copied?.width ?? 4];
const instructionsOf = ({ width, elements }: CopiedTile): number =>
  elements / (typeof width === 'number' ? width : 1);

/** Returns the features by name. They do not depend on the power limit. */
export function simtFeatures(
  { problem, tile, thread, steps, splitK, blocksPerSm, copied, storesVectors }: SimtKernel,
  { atBoostClock: milliseconds, parts, block, perSm, round }: SimtPrediction,
) {
  const { m, n, k, a, b, c } = problem;
  const tiles = tileCount(problem, tile);
  const rounds = perSm.average / blocksPerSm;
  const tileFmas = tile.m * tile.n * tile.k;
  const [ofA, ofB] = copied;
  const sum = (of: (one: CopiedTile) => number): number =>
    copied.reduce((total, one) => total + of(one), 0);
  return {
    problemM: log2(m),
    problemN: log2(n),
    problemK: log2(k),
    tileM: tile.m,
    tileN: tile.n,
    tileK: tile.k,
    tileElements: tile.m * tile.n,
    threadM: thread.m,
    threadN: thread.n,
    warps: (tile.m * tile.n) / (thread.m * thread.n * WARP_LANES),
    blocksPerSm,
    splitK,
    steps,
    tilesM: tiles.m,
    tilesN: tiles.n,
    rounds,
    lastRound: rounds - Math.floor(rounds),
    blocksOfSm: perSm.average,
    bytesInFlight: log2(sum(({ bytes }) => bytes) * Math.min(perSm.average, blocksPerSm)),
    unevenBlocks: perSm.most / perSm.average,
    residentBlocks: perSm.resident,
    restBlocks: perSm.rest,
    milliseconds: log2(milliseconds),
    multiprocessorShare: parts.multiprocessors / milliseconds,
    dramShare: parts.dram / milliseconds,
    launchShare: parts.launch / milliseconds,
    reductionShare: parts.reduction / milliseconds,
    copyShare: block.copies / block.busy,
    arrivalPerBusy: block.arrival / block.busy,
    alonePerBusy: block.alone / block.busy,
    fmaShare: (perSm.resident * steps * block.fmas) / round.steps,
    stepCycles: log2(round.steps / steps),
    overheadPerSteps: round.overhead / round.steps,
    bytesPerFma: sum(({ bytes }) => bytes) / tileFmas,
    copiesPerFma: sum(instructionsOf) / tileFmas,
    widthA: widthOf(ofA),
    widthB: widthOf(ofB),
    isRegularA: flag(ofA?.isRegular ?? true),
    isRegularB: flag(ofB?.isRegular ?? true),
    storesVectors: flag(storesVectors),
    alignmentA: alignmentOf(a.ld),
    alignmentB: alignmentOf(b.ld),
    alignmentC: alignmentOf(c.ld),
    isRowA: flag(a.layout === 'row'),
    isRowB: flag(b.layout === 'row'),
    isRowC: flag(c.layout === 'row'),
    paddingM: (tiles.m * tile.m) / m,
    paddingN: (tiles.n * tile.n) / n,
    paddingK: (steps * splitK * tile.k) / k,
  };
}
