/** Readout texts for ceilings, points and runs in the chart. */
import { t } from '@vscode/l10n';
import type { Roofline } from '../../src/core/roofline/contract';
import type { TrailRun } from '../../src/core/charts/rooflineTrail';
import { backendName } from '../../src/core/measure/backendName';
import { scheduleName } from '../../src/core/plan/specKey';
import { formatNumber, formatRate } from '../format';
import { intervalText, ofAttainable, whenText } from './rooflineTexts';

export interface Item {
  readonly key: string;
  readonly name: string;
  readonly facts: readonly string[];
}

/**
 * Returns readout items: measured points (newest first), derived points, ceilings, and earlier runs
 * (newest first).
 */
export function itemsOf(
  roofline: Roofline,
  trail: readonly TrailRun[],
  sourceHash: string,
  roofs: readonly Item[] = [],
): readonly Item[] {
  const points = roofline.points.map((_, index) => pointItem(roofline, index));
  const measured = points.filter((_, index) => roofline.points[index]?.kind === 'measured');
  const derived = points.filter((_, index) => roofline.points[index]?.kind !== 'measured');
  const runs = trail.flatMap((run, index) =>
    run.sourceHash === sourceHash ? [] : [runItem(run, index, roofline)],
  );
  const ceilings = roofline.ceilings.map((_, index) => ceilingItem(roofline, index));
  return [...measured.reverse(), ...derived, ...ceilings, ...roofs, ...runs.reverse()];
}

function pointItem(roofline: Roofline, index: number): Item {
  const key = `point:${index}`;
  const point = roofline.points[index];
  if (point === undefined) return { key, name: '', facts: [] };
  const { kind, name, intensity, tflops, from, machine, interval, at } = point;
  const where = t('{0} at {1} FLOP/B', formatRate(tflops * 1000), formatNumber(intensity));
  if (kind === 'measured') {
    const made = [intervalText(interval), originText(from, machine), whenText(at)];
    const facts = [where, ...ofAttainable(tflops, roofline), ...made];
    return { key, name: t('measured: {0}', scheduleName(name)), facts };
  }
  const { title, why } = derivedPoint(kind);
  return { key, name: title, facts: [where, why, originText(from, machine)] };
}

function derivedPoint(kind: 'attainable' | 'without-caches' | 'predicted'): {
  readonly title: string;
  readonly why: string;
} {
  switch (kind) {
    case 'attainable':
      return { title: t('attainable'), why: t('compulsory traffic only') };
    case 'without-caches':
      return {
        title: t('without caches'),
        why: t('all accesses served by DRAM: an estimate, not a bound'),
      };
    case 'predicted':
      return { title: t('predicted by the time model'), why: t('an estimate, not a bound') };
  }
}

function ceilingItem(roofline: Roofline, index: number): Item {
  const key = `ceiling:${index}`;
  const ceiling = roofline.ceilings[index];
  if (ceiling === undefined) return { key, name: '', facts: [] };
  const { name, kind, value, unit, from, machine } = ceiling;
  const rate = unit === 'TFLOP/s' ? formatRate(value * 1000) : `${formatNumber(value)} ${unit}`;
  const what = kind === 'compute' ? t('compute ceiling') : t('memory ceiling');
  const origin =
    from === 'measured' ? t('measured on {0}', machine) : t('datasheet of {0}', machine);
  return { key, name, facts: [rate, what, origin] };
}

function runItem(run: TrailRun, index: number, roofline: Roofline): Item {
  const { specKey, backend, intensity, tflops, interval, machine, at } = run;
  return {
    key: `run:${index}`,
    name: t('earlier run: {0}, {1}', scheduleName(specKey), backendName(backend)),
    facts: [
      t('{0} at {1} FLOP/B', formatRate(tflops * 1000), formatNumber(intensity)),
      ...ofAttainable(tflops, roofline),
      intervalText(interval),
      originText('measured', machine),
      whenText(at),
    ],
  };
}

const originText = (from: 'spec' | 'derived' | 'compiler' | 'measured', machine: string): string =>
  from === 'measured' ? t('measured on {0}', machine) : t('derived');
