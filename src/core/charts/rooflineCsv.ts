/**
 * Writes a roofline as CSV (RFC 4180). Each ceiling, point, memory level and earlier run is a row
 * with its unit, origin and machine.
 */
import type { Interval } from '../measure/intervals';
import type { Roofline } from '../roofline/contract';
import type { DrawnCeiling } from './rooflineAxes';
import type { TrailRun } from './rooflineTrail';

const HEADER = [
  'kind',
  'name',
  'intensity',
  'intensity unit',
  'value',
  'unit',
  'percent of attainable',
  '95 % interval low',
  '95 % interval high',
  'origin',
  'machine',
  'backend',
  'kept at',
];

type Cell = string | number | undefined;

export function rooflineCsv(
  roofline: Roofline,
  trail: readonly TrailRun[],
  roofs: readonly DrawnCeiling[] = [],
): string {
  const attainable = roofline.attainable.value;
  const percent = (tflops: number): Cell =>
    attainable > 0 ? (100 * tflops) / attainable : undefined;
  const rows: readonly (readonly Cell[])[] = [
    ...[...roofline.ceilings, ...roofs.flatMap(({ ceiling }) => ceiling ?? [])].map(
      ({ kind, name, value, unit, from, machine }) => [
        `${kind} ceiling`,
        name,
        undefined,
        undefined,
        value,
        unit,
        undefined,
        undefined,
        undefined,
        from,
        machine,
        undefined,
        undefined,
      ],
    ),
    ...roofline.points.map(({ kind, name, intensity, tflops, from, machine, interval, at }) => [
      kind,
      name,
      intensity,
      'FLOP/B',
      tflops,
      'TFLOP/s',
      kind === 'measured' ? percent(tflops) : undefined,
      ...intervalCells(interval),
      from,
      machine,
      undefined,
      at,
    ]),
    ...roofs.flatMap(({ label, point }) =>
      point === undefined
        ? []
        : [
            [
              'memory level',
              label,
              point.intensity,
              'FLOP/B',
              point.tflops,
              'TFLOP/s',
              undefined,
              undefined,
              undefined,
              'derived',
              roofline.machine,
              undefined,
              undefined,
            ],
          ],
    ),
    ...trail.map(({ specKey, intensity, tflops, interval, machine, backend, at }) => [
      'earlier run',
      specKey,
      intensity,
      'FLOP/B',
      tflops,
      'TFLOP/s',
      percent(tflops),
      ...intervalCells(interval),
      'measured',
      machine,
      backend,
      at,
    ]),
  ];
  return [HEADER, ...rows].map(row => row.map(cellText).join(',')).join('\r\n') + '\r\n';
}

const intervalCells = (interval: Interval | undefined): readonly Cell[] =>
  interval ?? [undefined, undefined];

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  // Names may come from shared files, so a spreadsheet must not interpret them as formulas.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
