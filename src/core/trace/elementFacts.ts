/**
 * Addresses and source lines of the elements of A, B and C at a point (row, column, k) of a GEMM.
 */
import { placesOf } from '../kernel/wgmma/layouts';
import { isLowered, type DeclaredKernel, type Kernel } from '../kernel/kernel';
import { BANK_BYTES, BANKS, SECTOR_BYTES } from '../memory/requestCost';
import { OPERANDS, type OperandName } from '../spec/resolved';
import { DTYPE_BYTES } from '../types/dtype';
import { operandLines, type UsedLines } from './operandLines';
import type { Element } from './owner';
import { indexOf, type Position } from './position';
import { stagedPlaces, type StagedPlace, type StagedPlaces } from './stagedPlaces';
import { tileAround } from './tileOfC';

/** A point of the GEMM: the product A(row, k) * B(k, column) that is added to C(row, column). */
export interface GemmPoint extends Element {
  readonly k: number;
}

export interface ElementFacts extends Position {
  readonly operand: OperandName;
  /** Byte offset in the matrix. */
  readonly byte: number;
  /** Sector of global memory. */
  readonly sector: number;
  /** Place in shared memory; null if unknown, or if the kernel does not stage the operand. */
  readonly shared: StagedPlace | null;
  readonly lines: readonly UsedLines[];
}

/** Returns a function to the facts of a point: one entry for each of A, B and C. */
export function elementFacts(kernel: Kernel): (point: GemmPoint) => readonly ElementFacts[] {
  const { problem } = kernel;
  const lines = operandLines(kernel);
  const placeOf = isLowered(kernel) ? stagedPlaces(kernel) : wgmmaPlaces(kernel);
  return point => {
    const tile = tileAround(kernel, point);
    const positions = {
      a: { row: point.row, column: point.k },
      b: { row: point.k, column: point.column },
      c: { row: point.row, column: point.column },
    };
    const inTile = {
      a: { row: point.row - tile.row, column: point.k },
      b: { row: point.k, column: point.column - tile.column },
    };
    return OPERANDS.map(operand => {
      const { dtype, batchStride } = problem[operand];
      const index = point.entry * batchStride + indexOf(problem, operand, positions[operand]);
      const byte = index * DTYPE_BYTES[dtype];
      return {
        operand,
        ...positions[operand],
        byte,
        sector: Math.floor(byte / SECTOR_BYTES),
        shared: operand === 'c' ? null : placeOf(operand, inTile[operand]),
        lines: lines.filter(used => used.operand === operand),
      };
    });
  };
}

/**
 * Places in a stage of the ring buffer, which starts at a multiple of 1,024 bytes. Tiles of FP32
 * emulation hold terms instead of elements, so that their places are unknown.
 */
function wgmmaPlaces({ model }: DeclaredKernel): StagedPlaces {
  if (model.fp32Emulation !== undefined) return () => null;
  const { tile, loads } = model;
  const bytes = DTYPE_BYTES[model.element];
  const places = {
    a: placesOf(loads.a, { side: tile.m, depth: tile.k, bytes }).read,
    b: placesOf(loads.b, { side: tile.n, depth: tile.k, bytes }).read,
  };
  return (operand, { row, column }) => {
    const [side, k] = operand === 'a' ? [row, column] : [column, row];
    const computed = model.operandOrder === 'ab' ? operand : operand === 'a' ? 'b' : 'a';
    const place = places[computed][side * tile.k + (k % tile.k)];
    if (place === undefined) return null;
    const bank = Math.floor((place * bytes) / BANK_BYTES) % BANKS;
    return { array: computed === 'a' ? 'As' : 'Bs', subscripts: null, bank };
  };
}
