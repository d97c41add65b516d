/** Reads what `ptxas -v` reports of each kernel. */
import { demangle } from '../core/emit/symbols';

/** Resources of one kernel, as `compile` prints them. */
export interface KernelResources {
  readonly entry: string;
  /** As the compiler names it, and whoever loads the cubin. */
  readonly symbol: string;
  readonly arch: string;
  readonly registers: number;
  /** Static shared memory; what a launch adds is not the compiler's to know. */
  readonly sharedBytes: number;
  readonly spillStores: number;
  readonly spillLoads: number;
  readonly stackBytes: number;
  /** All constant banks; ptxas of CUDA 13 lists none unless a kernel declares constants. */
  readonly constantBytes: number;
  readonly warnings: readonly string[];
}

type Draft = { -readonly [Key in keyof KernelResources]: KernelResources[Key] };

/**
 * The kernels of a log, in its order, without those of the namespace `except`; empty when it has no such
 * lines. Never throws.
 */
export function parsePtxas(log: string, except?: string): readonly KernelResources[] {
  const kernels: Draft[] = [];
  let current: Draft | undefined;
  for (const line of log.split('\n')) {
    const entry = /Compiling entry function '([^']{1,4096})' for '([a-z0-9_]{1,20})'/.exec(line);
    if (entry !== null) {
      const [, symbol = '', arch = ''] = entry;
      current = { ...EMPTY, entry: demangle(symbol), symbol, arch };
      if (except === undefined || !isIn(except, symbol)) kernels.push(current);
    } else if (/Function properties for|Compiling function/.test(line)) {
      // Properties of a device function that was not inlined are not the kernel's own.
      const named = /Function properties for '?([^'\s]+)/.exec(line)?.[1];
      if (named === undefined || demangle(named) !== current?.entry) current = undefined;
    } else if (current !== undefined) {
      readLine(line, current);
    }
  }
  return kernels;
}

/** Whether an Itanium C++ symbol lies in a namespace of that name at the top. */
const isIn = (namespace: string, symbol: string): boolean =>
  new RegExp(`^_ZN[rVK]*${namespace.length}${namespace}(?=\\d|L)`).test(symbol);

const EMPTY = {
  registers: 0,
  sharedBytes: 0,
  spillStores: 0,
  spillLoads: 0,
  stackBytes: 0,
  constantBytes: 0,
  warnings: [],
};

function readLine(line: string, kernel: Draft): void {
  const count = (pattern: RegExp): number | undefined => {
    const text = pattern.exec(line)?.[1];
    return text === undefined ? undefined : Number(text);
  };
  kernel.stackBytes = count(/\b(\d{1,10}) bytes stack frame/) ?? kernel.stackBytes;
  kernel.spillStores = count(/\b(\d{1,10}) bytes spill stores/) ?? kernel.spillStores;
  kernel.spillLoads = count(/\b(\d{1,10}) bytes spill loads/) ?? kernel.spillLoads;
  if (!/\bUsed \d/.test(line)) return;
  kernel.registers = count(/\bUsed (\d{1,10}) registers/) ?? 0;
  kernel.sharedBytes = count(/\b(\d{1,10}) bytes smem/) ?? 0;
  kernel.constantBytes = [...line.matchAll(/\b(\d{1,10}) bytes cmem\[\d+\]/g)].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  );
}
