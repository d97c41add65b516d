/** bench/reports/seeded-bugs.md from the recorded rows. */
import { harmless, isCaught } from './harmless';
import type { Caught, Row } from '../../../scripts/bugs/table';

export interface Record {
  readonly what: string;
  readonly command: string;
  readonly compiler: string;
  /** Null where there was none. */
  readonly adapter: string | null;
  readonly rows: readonly Row[];
}

export function page({ compiler, adapter, rows }: Record): string {
  const caught = rows.filter(isCaught);
  const others = rows.filter(row => !isCaught(row));
  const on = (of: (row: Row) => Caught | undefined): string => {
    const run = rows.filter(row => of(row) !== undefined && isCaught(row));
    return `${run.filter(row => of(row) !== null).length} of ${run.length}`;
  };
  const seen: string[] = [
    `simulate caught ${on(row => row.simulate)} that its IR can have, cpu ${on(row => row.cpu)}`,
    ...(adapter === null
      ? []
      : [`WebGPU ${on(row => row.webgpu)} of those that its text can have`]),
  ];
  return `# Seeded bugs

Made by \`node out/bench/seededBugs.js\` from its record, bench/seeded-bugs.json; a test runs some of them again and compares.

Each bug is seeded in the loop IR of a sound kernel, one place at a time, so that the backends get the same bug: simulate
interprets the IR, the cpu backend (${compiler}) compiles the CUDA text that is printed from it, and WebGPU
(${adapter ?? 'not run'}) runs the WGSL text of some. alpha is 2, beta -2, and no tile divides the sizes unless it says so.

${rows.length} changes, of which ${caught.length} are bugs, and every one of these is caught: ${seen.join('; ')}. WebGPU keeps
accesses within their buffers and runs the threads of a block in one order, so it sees wrong results only.
The other ${others.length} change nothing; they stand at the end, with the reason.

| algorithm | bug | place | simulate | cpu | WebGPU |
| --- | --- | --- | --- | --- | --- |
${caught.map(line).join('\n')}

## What changes nothing

| algorithm | change | place | why |
| --- | --- | --- | --- |
${others.map(row => `| ${[row.algorithm, row.bug, code(row.place), harmless(row) ?? '**not caught**'].join(' | ')} |`).join('\n')}
`;
}

const line = ({ algorithm, bug, place, simulate, cpu, webgpu }: Row): string =>
  `| ${[algorithm, bug, code(place), cell(simulate), cell(cpu), cell(webgpu)].join(' | ')} |`;

const cell = (caught: Caught | undefined): string =>
  caught === undefined ? '' : (caught ?? 'not seen');

const code = (place: string): string => (place === '' ? '' : `\`${place}\``);
