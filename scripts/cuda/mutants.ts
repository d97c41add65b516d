/**
 * Formats the outcomes of the mutated kernels, and the times of the unmodified kernels afterward.
 */
import { judged, MOST_PERCENT, RIGHT } from '../mutants/judge';
import { table } from '../sections';
import type { Mutants } from './records';

const counted = (words: readonly string[]): string =>
  [...new Set(words)]
    .map(word => `${words.filter(other => other === word).length} ${word}`)
    .join(', ');
const signed = (value: number | undefined): string =>
  value === undefined ? '' : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
const cell = (text: string): string => text.replaceAll('|', '\\|');

const all = ({ tried, before }: Mutants) =>
  tried.map(one => ({ ...one, ...judged(one, before[one.base]) }));

export function mutantKinds(record: Mutants): string {
  const every = all(record);
  const rows = (Object.keys(RIGHT) as (keyof typeof RIGHT)[]).map(kind => {
    const some = every.filter(one => one.kind === kind);
    return [
      kind,
      String(some.length),
      counted(some.map(({ measurement }) => measurement.outcome)),
      String(some.filter(({ right }) => right).length),
      String(some.filter(({ timeRight }) => timeRight).length),
      Math.max(...some.map(({ percent }) => Math.abs(percent ?? NaN))).toFixed(2),
    ];
  });
  const head = [
    'kind',
    'kernels',
    'outcomes',
    'correct outcomes',
    'correct unmodified kernels',
    'max. change of median, %',
  ];
  const { device, timing } = record.before.shared;
  return [
    table(head, rows),
    '',
    `${every.filter(({ right }) => right).length} of ${every.length} outcomes are correct. After ${every.filter(({ timeRight }) => timeRight).length} mutants, the unmodified kernel was correct, with a median within ${MOST_PERCENT} % of its median before all mutants. A hanging kernel is stopped after ${record.hangMs / 1000} s. All runs took ${record.seconds} s; ${device.name}, driver ${device.driver}, SM clock ${timing?.clocks?.smMHz ?? 'unknown'} MHz; ${record.machine}; commit \`${record.commit}\`; \`${record.command}\`; raw: \`bench/h200-mutants.json\`.`,
  ].join('\n');
}

export const mutantList = (record: Mutants): string =>
  table(
    [
      'kind',
      'bug',
      'base kernel',
      'outcome',
      'message',
      'unmodified kernel afterward, ms',
      'change of median, %',
    ],
    all(record).map(({ kind, name, base, measurement, after, percent }) => [
      kind,
      name,
      base,
      measurement.outcome,
      cell(measurement.message ?? slower(record, base, measurement)),
      after.timing?.medianMs.toFixed(4) ?? after.outcome,
      signed(percent),
    ]),
  );

/**
 * Formats the time of a mutant and its ratio to the unmodified kernel; empty if a time is missing.
 */
function slower(
  { before }: Mutants,
  base: keyof Mutants['before'],
  { timing }: Mutants['tried'][number]['measurement'],
): string {
  const sound = before[base].timing;
  if (timing === undefined || sound === undefined) return '';
  return `${timing.medianMs.toFixed(4)} ms, ${(timing.medianMs / sound.medianMs).toFixed(2)} times the unmodified kernel's`;
}
