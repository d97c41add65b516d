/** Parses the resources of each kernel from the output of `ptxas -v`. */
import { demangle } from '../core/source/symbols';
import { printable } from './text';

export interface KernelResources {
  readonly entry: string;
  /** Mangled name, which is required to load the kernel from the cubin. */
  readonly symbol: string;
  readonly arch: string;
  readonly registers: number;
  /** Static shared memory in bytes. */
  readonly sharedBytes: number;
  readonly spillStores: number;
  readonly spillLoads: number;
  readonly stackBytes: number;
  /**
   * Bytes of all constant banks. ptxas of CUDA 13 reports constant banks only for kernels that
   * declare constants.
   */
  readonly constantBytes: number;
  readonly warnings: readonly string[];
}

export interface PtxasReport {
  /** Kernels with a register count and no invalid line, in the order of the log. */
  readonly kernels: readonly KernelResources[];
  /** Reasons why the resources of the remaining kernels are unknown, one sentence per kernel. */
  readonly unread: readonly string[];
}

interface Draft extends Omit<KernelResources, 'registers'> {
  readonly registers: number | undefined;
  /** The last line with an invalid item, if any. */
  readonly unreadable?: string;
}

/** Parses a log, without the kernels in the namespace `except`. */
export function parsePtxas(log: string, except?: string): PtxasReport {
  const drafts: Draft[] = [];
  let current: number | undefined;
  for (const line of log.split('\n')) {
    const entry = /Compiling entry function '([^']{1,4096})' for '([a-z0-9_]{1,20})'/.exec(line);
    const draft = current === undefined ? undefined : drafts[current];
    if (entry !== null) {
      const [, symbol = '', arch = ''] = entry;
      current = except !== undefined && isIn(except, symbol) ? undefined : drafts.length;
      if (current !== undefined) drafts.push({ ...EMPTY, entry: demangle(symbol), symbol, arch });
    } else if (/Function properties for|Compiling function/.test(line)) {
      // The properties of a device function that was not inlined do not belong to the kernel.
      const named = /Function properties for '?([^'\s]+)/.exec(line)?.[1];
      if (named === undefined || demangle(named) !== draft?.entry) current = undefined;
    } else if (current !== undefined && draft !== undefined) {
      drafts[current] = { ...draft, ...readLine(line) };
    }
  }
  return {
    kernels: drafts.flatMap(({ unreadable, registers, ...rest }) =>
      unreadable !== undefined || registers === undefined ? [] : [{ ...rest, registers }],
    ),
    unread: drafts.flatMap(whyUnread),
  };
}

function whyUnread({ entry, registers, unreadable }: Draft): readonly string[] {
  const name = printable(entry, 200);
  if (unreadable !== undefined) {
    return [`ptxas reported invalid resources of ${name}: "${unreadable}".`];
  }
  return registers === undefined ? [`ptxas did not report the registers of ${name}.`] : [];
}

/** Returns whether a mangled C++ name (Itanium ABI) is in the top-level namespace `namespace`. */
const isIn = (namespace: string, symbol: string): boolean =>
  new RegExp(`^_ZN[rVK]*${namespace.length}${namespace}(?=\\d|L)`).test(symbol);

const EMPTY = {
  registers: undefined,
  sharedBytes: 0,
  spillStores: 0,
  spillLoads: 0,
  stackBytes: 0,
  constantBytes: 0,
  warnings: [],
} as const;

// Plausible maximum values: registers per thread and bytes per kernel.
const MAX_REGISTERS = 255;
const MAX_BYTES = 2 ** 30;

const ITEMS = {
  registers: /^Used (\d+) registers$/,
  stackBytes: /^(\d+) bytes stack frame$/,
  spillStores: /^(\d+) bytes spill stores$/,
  spillLoads: /^(\d+) bytes spill loads$/,
  sharedBytes: /^(\d+) bytes smem$/,
  constantBytes: /^(\d+) bytes cmem\[\d+\]$/,
} as const;
const LIKE_ONE = /^Used\b|^\S+ bytes (?:stack frame|spill stores|spill loads|smem|cmem)\b/;

/**
 * Parses the comma-separated items of a line. An unreadable or implausible item makes the line
 * invalid.
 */
function readLine(line: string): Partial<Draft> {
  const parsed: Partial<Record<keyof typeof ITEMS, number>> = {};
  for (const item of line.replace(/^ptxas info\s*:/, '').split(',')) {
    const text = item.trim();
    if (!LIKE_ONE.test(text)) continue;
    const [name, value] = valueOf(text);
    const most = name === 'registers' ? MAX_REGISTERS : MAX_BYTES;
    if (name === undefined || value > most || (name === 'registers' && value < 1)) {
      return { unreadable: printable(line, 200) };
    }
    parsed[name] = (parsed[name] ?? 0) + value;
  }
  return parsed;
}

function valueOf(item: string): readonly [keyof typeof ITEMS | undefined, number] {
  for (const name of Object.keys(ITEMS) as (keyof typeof ITEMS)[]) {
    const digits = ITEMS[name].exec(item)?.[1];
    if (digits !== undefined) return [name, Number(digits)];
  }
  return [undefined, NaN];
}
