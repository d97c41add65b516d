/** Stores the measured ceilings of a GPU on disk, by GPU UUID and driver version. */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { measurementSchema, type MeasuredCeilings } from '../../../core/measure/measurement';
import type { DType } from '../../../core/types/dtype';
import { contentKey } from '../../cache';
import { replaceFile } from '../../files';
import type { Ready, RunnerCeilings } from './protocol';

const schema = v.required(measurementSchema.entries.ceilings.wrapped, ['list']);
export type GpuCeilings = v.InferOutput<typeof schema>;

export const ceilingsOf = ({ ceilings, how, clocks }: RunnerCeilings): GpuCeilings => ({
  how,
  list: ceilings,
  ...(clocks === undefined ? {} : { clocks }),
});

/**
 * Selects the ceilings for a roofline: the FMA rate of the accumulator type on CUDA cores, and the
 * DRAM bandwidth.
 */
export function ceilingsFor({ list, how }: GpuCeilings, accumulator: DType): MeasuredCeilings {
  const valueOf = (id: string): number | undefined => list.find(one => one.id === id)?.value;
  const [gflops, bandwidthGBps] = [valueOf(`fma.${accumulator}`), valueOf('dram')];
  return {
    how,
    list,
    ...(gflops === undefined ? {} : { gflops }),
    ...(bandwidthGBps === undefined ? {} : { bandwidthGBps }),
  };
}

const fileOf = (folder: string, { device }: Ready): string =>
  path.join(folder, `ceilings-${contentKey(device.uuid, device.driver ?? '')}.json`);

/** Reads the stored ceilings of a GPU. Returns undefined if they are missing or unreadable. */
export async function readCeilings(folder: string, ready: Ready): Promise<GpuCeilings | undefined> {
  try {
    const decoded = v.safeParse(
      schema,
      JSON.parse(await fs.readFile(fileOf(folder, ready), 'utf8')),
    );
    return decoded.success ? decoded.output : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the ceilings of a GPU. Rejects if the folder is not writable. */
export async function keepCeilings(
  folder: string,
  ready: Ready,
  ceilings: GpuCeilings,
): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(fileOf(folder, ready), `${JSON.stringify(ceilings)}\n`);
}
