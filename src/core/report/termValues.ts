/** Values of glossary terms for one kernel: fields of its spec, and figures of its analysis. */
import type { ResolvedSpec } from '../spec/resolved';
import type { Analysis } from './analysis';

export interface KernelFigures extends Partial<Pick<Analysis, 'occupancy' | 'waves' | 'roofline'>> {
  readonly threads?: number;
  readonly sharedBytes?: number;
}

const rounded = (value: number): string => String(Number(value.toPrecision(3)));

/**
 * Returns a function that maps a glossary placeholder, such as `schedule.block.m` or
 * `occupancyPercent`, to its text, or to undefined if the kernel has no such value.
 */
export function termValueOf(
  spec: ResolvedSpec | undefined,
  figures: KernelFigures,
): (key: string) => string | undefined {
  const known = figuresOf(figures);
  return key => known[key] ?? (spec === undefined ? undefined : fieldOf(spec, key));
}

function figuresOf(figures: KernelFigures): Readonly<Record<string, string>> {
  const { threads, sharedBytes, occupancy = null, waves = null, roofline } = figures;
  const known: Record<string, string> = {};
  if (threads !== undefined) known['threads'] = String(threads);
  if (sharedBytes !== undefined) known['sharedKiB'] = rounded(sharedBytes / 1024);
  if (occupancy !== null) {
    known['registers'] = String(occupancy.registers.value);
    known['blocksPerSm'] = String(occupancy.blocksPerSm);
    known['occupancyPercent'] = String(Math.round(100 * occupancy.occupancy));
  }
  if (waves !== null) known['waves'] = String(waves.waves);
  if (roofline === undefined) return known;
  const { attainable, problemRatio } = roofline;
  if (Number.isFinite(attainable.value)) known['attainableTflops'] = rounded(attainable.value);
  if (Number.isFinite(problemRatio.value)) known['intensity'] = rounded(problemRatio.value);
  return known;
}

function fieldOf(spec: ResolvedSpec, path: string): string | undefined {
  const value = path
    .split('.')
    .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), spec);
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
