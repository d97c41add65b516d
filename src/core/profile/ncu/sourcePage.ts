/**
 * Reads the `source` page of `ncu --csv --page source --print-source sass` or `cuda,sass`: counters
 * of each instruction (Nsight Compute CLI, "Page source"; columns as of 2025.3). A source row
 * repeats the totals of its instructions and quotes its text without escaping. Only its line number
 * and text are used. An inlined instruction is listed below several source rows.
 */
import { t } from '@vscode/l10n';
import type { SourceLine } from '../listing/instruction';
import { functionName } from '../../source/symbols';
import { csvRow } from './csv';
import { readNumber } from './numbers';

export type Space = 'global' | 'shared';

export interface CountedInstruction {
  readonly address: number;
  /** SASS instruction, such as `@P0 LDS.128 R20, [R40]`. */
  readonly text: string;
  /** Source lines of the instruction; empty in the `sass` view. */
  readonly places: readonly SourceLine[];
  /** Number of warp-level executions. */
  readonly executed: number;
  /** Number of predicated-on lanes, summed over all executions. */
  readonly lanes: number;
  /** Accessed memory spaces; empty for instructions that access neither space. */
  readonly spaces: readonly Space[];
  readonly op: 'load' | 'store' | 'copy';
  /** Access width in bytes per lane. */
  readonly widthBytes: number;
  readonly wavefronts: number;
  readonly sectors: number;
}

/** Instruction counters of a kernel, from its last launch in the report. */
export interface SourcePage {
  readonly entry: string;
  readonly instructions: readonly CountedInstruction[];
  readonly texts: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** True if instructions are missing, so totals would be too small. */
  readonly cut: boolean;
}

/** Matches the first line of a section, which does not occur in a raw page. */
export const SECTION = /^"(File Path|File Name|Kernel Name)",/;
/** Bytes per SASS instruction for compute capability 7.0 and later. */
const INSTRUCTION_BYTES = 16;
/** Instructions per cache line. A branch to itself and NOPs pad each kernel to full cache lines. */
const LINE_INSTRUCTIONS = 8;
const LAST = /^(NOP|BRA)\b/;

interface Draft {
  readonly instructions: Map<number, CountedInstruction>;
  readonly texts: Map<string, Map<number, string>>;
}

interface Section {
  readonly file: string;
  readonly draft: Draft;
  readonly columns: readonly string[];
}

export function sourcePagesOf(text: string, limits: string[]): readonly SourcePage[] {
  const drafts = new Map<string, Draft>();
  let file = '';
  let draft: Draft | undefined;
  let columns: readonly string[] = [];
  let line: number | undefined;
  let unreadable = 0;
  let withoutCounters = false;
  for (const [i, raw] of text.split('\n').entries()) {
    const row = raw.replace(/\r$/, '');
    if (!row.startsWith('"')) continue;
    const { cells, open } = csvRow(row, i + 1, ',');
    const [first = '', second = ''] = cells;
    if (SECTION.test(row)) {
      // Each section resets the parser state. Sections of the `cuda` view have no kernel name.
      [file, draft, columns, line] = ['', undefined, [], undefined];
      if (first === 'File Name') withoutCounters = true;
      else if (first === 'File Path') file = second;
    }
    if (first === 'Function Name' || (first === 'Kernel Name' && file === '')) {
      const entry = functionName(second);
      draft = drafts.get(entry) ?? { instructions: new Map(), texts: new Map() };
      drafts.set(entry, draft);
    } else if (first === 'Line No' || first === 'Address') {
      columns = cells;
    } else if (draft !== undefined && columns.length > 0) {
      const section = { file, draft, columns };
      if (columns[0] === 'Line No' && /^\d+$/.test(first)) {
        line = Number(first);
        noteText(section, line, second);
      } else if (
        // Dots mark omitted rows.
        !cells.includes('...') &&
        (open || cells.length !== columns.length || !noteInstruction(section, cells, line))
      ) {
        unreadable++;
      }
    }
  }
  if (withoutCounters) {
    limits.push(
      t(
        'A source page with only CUDA lines has no counters. Fix: export it with --print-source cuda,sass.',
      ),
    );
  }
  if (unreadable > 0) {
    limits.push(
      t(
        '{0} lines of the source page could not be read. Fix: export the report again.',
        unreadable,
      ),
    );
  }
  return [...drafts].map(([entry, { instructions, texts }]) => {
    const all = [...instructions.values()].sort((one, other) => one.address - other.address);
    return { entry, texts, instructions: all, cut: isCut(all) };
  });
}

function isCut(all: readonly CountedInstruction[]): boolean {
  const gap = all.some(
    ({ address }, i) => i > 0 && address !== (all[i - 1]?.address ?? 0) + INSTRUCTION_BYTES,
  );
  const isWhole = all.length % LINE_INSTRUCTIONS === 0 && LAST.test(all.at(-1)?.text ?? '');
  return gap || !isWhole;
}

function noteText({ file, draft }: Section, line: number, text: string): void {
  const texts = draft.texts.get(file) ?? new Map<number, string>();
  draft.texts.set(file, texts.set(line, text.trim()));
}

/**
 * Adds an instruction. Returns false if the row is not an instruction, or if one of its numbers
 * cannot be read.
 */
function noteInstruction(
  { file, draft, columns }: Section,
  cells: readonly string[],
  line: number | undefined,
): boolean {
  const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
  // The columns of a memory space are absent if the kernel does not access it.
  const count = (name: string): number => (columns.includes(name) ? countIn(cell(name)) : 0);
  const address = /^0x[0-9a-f]+$/i.test(cell('Address')) ? Number(cell('Address')) : NaN;
  const numbers = {
    executed: columns.includes('Instructions Executed') ? count('Instructions Executed') : NaN,
    lanes: count('Predicated-On Thread Instructions Executed'),
    wavefronts: count('L1 Wavefronts Shared'),
    sectors: count('L2 Theoretical Sectors Global'),
  };
  if (![address, ...Object.values(numbers)].every(Number.isSafeInteger)) return false;
  const named = cell('Address Space').toLowerCase().split(',');
  const spaces = (['global', 'shared'] as const).filter(space => named.includes(space));
  const ops = cell('Access Operation').toLowerCase();
  const before = draft.instructions.get(address)?.places ?? [];
  const known = before.some(place => place.file === file && place.line === line);
  draft.instructions.set(address, {
    address,
    text: textIn(cells[columns.indexOf('Address') + 1]),
    ...numbers,
    places: line === undefined || known ? before : [...before, { file, line }],
    spaces,
    op: spaces.length > 1 ? 'copy' : ops === 'store' ? 'store' : 'load',
    widthBytes: Number(cell('Access Size')) / 8,
  });
  return true;
}

const textIn = (cell = ''): string => cell.trim().replace(/\s+/g, ' ');

/** Parses an integer in any locale; returns NaN for other text. */
function countIn(text: string): number {
  const read = [readNumber(text, '.'), readNumber(text, ',')];
  return read.find(number => Number.isSafeInteger(number?.value))?.value ?? NaN;
}
