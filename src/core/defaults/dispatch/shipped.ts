/**
 * Dispatch tables that ship with the product. scripts/dispatchTable.ts generates them from the
 * records in bench/.
 */
import * as v from 'valibot';
import { packedSchema, unpacked } from './packed';
import { tableKey, type DispatchRow } from './row';
import { tablesOf, type DispatchTable, type RowsOf } from './table';
import h200Bf16 from './tables/h200-cuda-bf16.json';
import h200E4m3 from './tables/h200-cuda-e4m3.json';
import h200F16 from './tables/h200-cuda-f16.json';
import h200Cuda from './tables/h200-cuda-f32.json';
import h200Tf32 from './tables/h200-cuda-tf32.json';
import h200Wgsl from './tables/h200-wgsl-f32.json';
import swiftShaderWgsl from './tables/swiftshader-wgsl-f32.json';

let rows: RowsOf | undefined;
let tables: readonly DispatchTable[] | undefined;

function shippedRows(): RowsOf {
  if (rows !== undefined) return rows;
  const packed = v.parse(v.array(packedSchema), [
    h200Cuda,
    h200Wgsl,
    swiftShaderWgsl,
    h200Bf16,
    h200F16,
    h200Tf32,
    h200E4m3,
  ]);
  const models = new Map(packed.map(table => [tableKey(table), table.model]));
  rows = { rows: packed.flatMap(unpacked), origin: 'shipped', models };
  return rows;
}

export const shippedTables = (): readonly DispatchTable[] => (tables ??= tablesOf(shippedRows()));

/**
 * Combines a workspace's rows with the shipped rows. A workspace row replaces shipped rows with the
 * same `pointKey`.
 */
export const tablesWith = (own: readonly DispatchRow[]): readonly DispatchTable[] =>
  own.length === 0 ? shippedTables() : tablesOf({ rows: own, origin: 'adopted' }, shippedRows());
