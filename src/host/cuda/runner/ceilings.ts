/** What a GPU reaches at best, asked of its runner once: kept on disk by the GPU's own number and its driver. */
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

/** Sums of a type on the ordinary lanes, and the memory: what a roofline of these sums is drawn with. */
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

/** Undefined of a GPU whose ceilings are not known, or no more readable. */
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

/** Rejects where the folder cannot be written. */
export async function keepCeilings(
  folder: string,
  ready: Ready,
  ceilings: GpuCeilings,
): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(fileOf(folder, ready), `${JSON.stringify(ceilings)}\n`);
}
