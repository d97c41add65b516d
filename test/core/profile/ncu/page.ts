/** Raw pages as Nsight Compute writes them, for tests. */

const LAUNCH = [
  'ID',
  'Process ID',
  'Process Name',
  'Host Name',
  'Kernel Name',
  'Context',
  'Stream',
];
export const COLUMNS = [...LAUNCH, 'Block Size', 'Grid Size', 'Device', 'CC'];

export const line = (cells: readonly string[]): string => cells.map(cell => `"${cell}"`).join(',');

/** By name, each with its unit and one number a launch. */
export type Printed = Readonly<Record<string, readonly [string, ...string[]]>>;

export interface Launched {
  readonly name: string;
  readonly block: string;
  readonly grid: string;
  readonly capability: string;
}

const GEMM: Launched = {
  name: 'gemm(const float *, int)',
  block: '(256, 1, 1)',
  grid: '(32, 16, 1)',
  capability: '9.0',
};

/** The cells of a launch behind its number. */
export const cellsOf = ({ name, block, grid, capability }: Launched = GEMM): readonly string[] => [
  '4711',
  'runner',
  '127.0.0.1',
  name,
  '1',
  '7',
  block,
  grid,
  '0',
  capability,
];

export function page(metrics: Printed, launched: Launched = GEMM): string {
  const names = Object.keys(metrics);
  const launches = Math.max(...Object.values(metrics).map(cells => cells.length - 1));
  const rows = Array.from({ length: launches }, (_, i) =>
    line([String(i), ...cellsOf(launched), ...names.map(name => metrics[name]?.[i + 1] ?? '')]),
  );
  const units = [
    ...COLUMNS.map(column => (column === 'Block Size' ? 'block' : '')),
    ...names.map(name => metrics[name]?.[0] ?? ''),
  ];
  return [
    '==PROF== Connected to process 4711 (/tmp/runner)',
    line([...COLUMNS, ...names]),
    line(units),
    ...rows,
    '',
  ].join('\n');
}
