/**
 * Compares access sites derived from PTX with access sites of the loop IR: totals per kernel, by
 * memory space, operation and matrix.
 */
import { warpAccesses } from '../../src/core/memory/accesses';
import type { GlobalAccess, SharedAccess } from '../../src/core/memory/access';
import { readPtx } from '../../src/core/profile/listing/ptx';
import { loweredLaunches, type Kernel, type KernelLaunch } from '../../src/core/kernel/kernel';
import { traceWarps } from '../../src/core/profile/ptx/traceWarps';
import { compiledAccesses } from '../../src/core/profile/ptx/sites';

export interface Sum {
  /** Memory space, operation and matrix, such as `global load a`. */
  readonly what: string;
  /** Total number of sectors (global) or wavefronts (shared). */
  readonly cost: number;
  readonly requests: number;
}

export interface Difference {
  readonly what: string;
  readonly ir: number;
  readonly ptx: number;
  readonly irRequests: number;
  readonly ptxRequests: number;
  /** Explanation of the difference; empty if it is not explained. */
  readonly why: string;
}

export interface Compared {
  readonly sums: number;
  readonly differences: readonly Difference[];
  readonly limits: readonly string[];
}

const MOST_STEPS = 20_000_000;

export function compareWithIr(kernel: Kernel, ptx: string): Compared {
  const listings = readPtx(ptx);
  const read = loweredLaunches(kernel).map(launch => {
    const listing = listings.find(({ entry }) => entry === launch.entry);
    if (listing === undefined) throw new Error(`the PTX has no ${launch.entry}`);
    const runnable = { ...kernel, ...launch };
    return compiledAccesses(
      { ptx, listing, runnable, file: 'kernel.cu' },
      { all: true, mostSteps: MOST_STEPS },
    );
  });
  const ir = warpAccesses(kernel);
  const told = sumsOf(ir.global, ir.shared);
  const found = sumsOf(
    read.flatMap(({ global }) => global),
    read.flatMap(({ shared }) => shared),
  );
  const parted = loweredLaunches(kernel).some(launch => hasPartial(kernel, launch, ptx));
  const names = [...new Set([...told.keys(), ...found.keys()])];
  const differences = names.flatMap(what => {
    const [one, other] = [told.get(what), found.get(what)];
    const [ir, ptx] = [one?.cost ?? 0, other?.cost ?? 0];
    if (Math.abs(ir - ptx) <= 1e-6 * Math.max(ir, ptx)) return [];
    const [irRequests, ptxRequests] = [one?.requests ?? 0, other?.requests ?? 0];
    return [{ what, ir, ptx, irRequests, ptxRequests, why: whyOf(one, other, parted) }];
  });
  return { sums: names.length, differences, limits: read.flatMap(({ limits }) => limits) };
}

interface Counted extends Sum {
  /** Bytes per lane, summed over all requests. */
  readonly bytes: number;
  readonly widths: ReadonlySet<number>;
}

function sumsOf(
  global: readonly GlobalAccess[],
  shared: readonly SharedAccess[],
): ReadonlyMap<string, Counted> {
  const sums = new Map<string, Counted>();
  const add = (
    what: string,
    { requests, widthBytes }: Pick<GlobalAccess, 'requests' | 'widthBytes'>,
    cost: number,
  ): void => {
    const known = sums.get(what);
    sums.set(what, {
      what,
      cost: (known?.cost ?? 0) + requests * cost,
      requests: (known?.requests ?? 0) + requests,
      bytes: (known?.bytes ?? 0) + requests * widthBytes,
      widths: new Set([...(known?.widths ?? []), widthBytes]),
    });
  };
  for (const of of global) add(`global ${of.op} ${of.operand}`, of, of.sectorsPerRequest);
  for (const of of shared) add(`shared ${of.op} ${of.operand}`, of, of.wavefrontsPerRequest);
  return sums;
}

function whyOf(ir: Counted | undefined, ptx: Counted | undefined, parted: boolean): string {
  if (ir === undefined || ptx === undefined) return '';
  const widths = (of: Counted): string => [...of.widths].sort((a, b) => a - b).join();
  const bytesApart = Math.abs(ir.bytes - ptx.bytes);
  if (bytesApart <= MOST_AGAIN * ir.bytes && widths(ir) !== widths(ptx)) {
    return 'access widths differ: the compiler merged or split accesses';
  }
  const near = Math.abs(ir.cost - ptx.cost) <= MOST_OF_MEANS * ir.cost;
  if (ir.requests === ptx.requests && near) {
    return 'costs differ slightly for equal request counts: the loop IR uses averages for the prologue and for partial requests';
  }
  if (parted && ptx.requests >= ir.requests) {
    return 'requests have inactive lanes: the loop IR counts full requests, and unrolled loops can diverge more often';
  }
  return '';
}

const MOST_AGAIN = 0.01;

/** Maximum relative cost difference that is attributed to averaging in the loop IR. */
const MOST_OF_MEANS = 0.05;

function hasPartial(kernel: Kernel, launch: KernelLaunch, text: string): boolean {
  const listing = readPtx(text).find(({ entry }) => entry === launch.entry);
  if (listing === undefined) return false;
  const { problem } = kernel;
  const options = { all: true, mostSteps: MOST_STEPS };
  return traceWarps({ text, listing, launch, problem }, options).traced.some(({ tally, access }) =>
    tally.all().some(({ lanes }) => lanes < access.lanes),
  );
}
