/**
 * Compares our WGSL kernels with WebGPU libraries, from the record of bench/src/besideLibraries.ts.
 */
import * as v from 'valibot';
import { isOurs, recordSchema, type BesideRecord } from '../besideLibraries/record';
import { figuresOf, TIMERS } from '../besideLibraries/figures';
import { sizeText } from '../besideLibraries/size';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const NAMES = { wall: 'wall clock', timestamp: 'timestamps' } as const;

function unitOf(all: readonly number[]): { readonly name: string; readonly gflops: number } {
  return Math.max(...all) >= 1000
    ? { name: 'TFLOP/s', gflops: 1000 }
    : { name: 'GFLOP/s', gflops: 1 };
}

function rates({ runs, libraries }: BesideRecord, table: Table): string {
  const sizes = [...new Set(runs.map(({ size }) => size))];
  const entrants = [...new Set(runs.map(({ entrant }) => entrant))];
  const unit = unitOf(runs.flatMap(figuresOf).map(({ gflops }) => gflops));
  const nameOf = (entrant: string): string => {
    const version = libraries.find(({ name }) => name === entrant)?.version;
    return version === undefined ? entrant : `${entrant} ${version}`;
  };
  const rows = entrants.flatMap(entrant =>
    TIMERS.flatMap(timer => {
      const cells = sizes.map(size => {
        const here = runs.find(run => run.entrant === entrant && run.size === size);
        const figure = here && figuresOf(here).find(one => one.timer === timer);
        return figure === undefined ? '' : (figure.gflops / unit.gflops).toFixed(2);
      });
      const timed = cells.some(cell => cell !== '');
      return timed ? [[nameOf(entrant), NAMES[timer], ...cells]] : [];
    }),
  );
  return table([unit.name, 'timer', ...sizes.map(sizeText)], rows);
}

function ratios({ closest }: BesideRecord): string {
  return closest
    .map(({ size, ours, library, timer, ratio, rounds }) => {
      const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
      const range = `${low.toFixed(2)} to ${high.toFixed(2)} in single rounds`;
      return `at ${sizeText(size)} ${ours} has ${ratio.toFixed(2)} times the rate of ${library} (${NAMES[timer]}; ${range})`;
    })
    .join('; ');
}

export function besideWebgpuLibraries(file: string, given: unknown, table: Table): string {
  const record = v.parse(recordSchema, given);
  const { device, machine, dawn, rounds, failed, commit, command, runs } = record;
  const others = runs.flatMap(run => run.rounds.map(({ times }) => times.others));
  const keys = runs.flatMap(({ entrant, size, rounds: [first] }) =>
    isOurs(entrant) && first !== undefined
      ? [
          `\`${first.times.specKey ?? ''}\`${entrant === 'ours' ? '' : ` (${entrant}, ${sizeText(size)})`}`,
        ]
      : [],
  );
  return [
    `### ${device.name}`,
    '',
    rates(record, table),
    '',
    `Our rate relative to the fastest library, with a timer that both support: ${ratios(record)}.`,
    '',
    `Ours: ${keys.join(', ')}. ${rounds} rounds, ${failed.length} runs failed; driver ${device.driver}; ${dawn}; ${machine}, ` +
      `other processes used at most ${(100 * Math.max(...others)).toFixed(0)} % of the CPU time; commit \`${commit.slice(0, 12)}\`; ` +
      `\`${command}\`; raw: \`bench/${file}\`.`,
  ].join('\n');
}
