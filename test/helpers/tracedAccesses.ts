/**
 * The access analysis the slow way: the simulator runs every block, every access is written down,
 * and each request is costed, those alike together. The n-th access of each lane of a warp at a
 * site is one request, once loops that lanes start at different values are written out, an
 * iteration a statement of its own.
 */
import { bufferType } from '../../src/core/spec/resolved';
import { lanePlanIn } from '../../src/core/plan/family';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import type { Site } from '../../src/core/kernel/ir/ir';
import { compile } from '../../src/core/simulate/compile';
import { makeThreads } from '../../src/core/simulate/threads';
import { blocksOf } from '../../src/core/simulate/execute';
import type { Access } from '../../src/core/simulate/memory';
import { DTYPE_BYTES } from '../../src/core/types/dtype';
import { writtenOut } from './writtenOutSites';
import { parametersOf } from '../../src/core/kernel/ir/arguments';

export interface TracedSite {
  readonly site: string;
  readonly op: 'load' | 'store';
  /** Sectors or wavefronts. */
  readonly cost: number;
  readonly ideal: number;
  /** Wavefronts beyond those of a request without conflicts; of global memory none are counted. */
  readonly conflicts: number;
  readonly laneStride: number | null;
  /** Of all warps, before, in and after the main loop. */
  readonly requests: number;
}

export function tracedAccesses(kernel: LoweredKernel): readonly TracedSite[] {
  const names = new Map<Site, Site>();
  const widths = new Map<Site, number>();
  const ir = { ...kernel.ir, body: writtenOut(kernel, kernel.ir.body, { names, widths }) };
  const lanes = new Map<Site, { first: Access; copied: boolean; warps: Map<number, number[][]> }>();
  let firstWarp = 0;
  const shift = shiftOfB(kernel);
  const note = (access: Access, copied = false): void => {
    const { site, thread, lane } = access;
    const index = access.index + (access.space === 'shared' && site.operand === 'b' ? shift : 0);
    // A vector access is noted by its first element.
    if (lane > 0) return;
    // Nor do the driver's own, of matrices.
    if (access.statement.op === 'loadMatrix' || access.statement.op === 'storeMatrix') return;
    const known = lanes.get(site) ?? {
      first: access,
      copied,
      warps: new Map<number, number[][]>(),
    };
    lanes.set(site, known);
    const warp = firstWarp + Math.floor(thread.index / 32);
    const requests = known.warps.get(warp) ?? Array.from({ length: 32 }, () => []);
    known.warps.set(warp, requests);
    requests[thread.index % 32]!.push(index / (widths.get(site) ?? 1));
  };
  const memory = {
    load: (access: Access) => {
      note(access);
      return 0;
    },
    store: (access: Access) => {
      note(access);
    },
    storeLater: (access: Access) => {
      note(access, true);
    },
    commit: () => undefined,
    wait: () => undefined,
    misaligned: () => undefined,
    barrier: () => undefined,
    diverged: () => undefined,
  };
  const program = compile(ir, { parameters: endless(kernel), memory: () => memory });
  for (const block of blocksOf(kernel.grid)) {
    const threads = makeThreads(kernel.block, program);
    Array.from(program.run(block, threads));
    firstWarp += Math.ceil(threads.length / 32);
  }
  const originals = [...new Set(names.values())];
  const again = ({ name, once }: Site): boolean =>
    once === true && originals.some(other => other.name === name && !other.once && traced(other));
  const traced = (original: Site): boolean =>
    [...lanes.keys()].some(copy => names.get(copy) === original);
  return originals
    .filter(original => !again(original))
    .flatMap(original => {
      const copies = [...lanes].filter(([copy]) => names.get(copy) === original);
      const [first] = copies;
      if (first === undefined) return [];
      const all = copies.flatMap(([, { warps }]) => [...warps.values()].flatMap(requestsOf));
      const full = all.filter(request => !request.includes(undefined));
      const width = widths.get(first[0]) ?? 1;
      const sums = original.operand === 'c' && first[1].first.space === 'shared';
      const bytes =
        DTYPE_BYTES[
          sums ? kernel.plan.accumulator : bufferType(kernel.plan.dtypes, original.operand)
        ];
      const { op } = first[1].first;
      const named = [...lanes].filter(([copy, of]) =>
        original.once
          ? names.get(copy) === original
          : names.get(copy)?.name === original.name && of.first.op === op,
      );
      const requests = named
        .flatMap(([, { warps }]) => [...warps.values()])
        .reduce((sum, each) => sum + longest(each), 0);
      const mean = summary(first[1].first, full.length > 0 ? full : all, bytes, width);
      // Of less than 16 bytes, an asynchronous copy passes through the L1 cache.
      const extra = first[1].copied && bytes * width < 16 ? 1 : 0;
      return [{ ...mean, cost: mean.cost + extra, ideal: mean.ideal + extra, requests }];
    });
}

/** Elements by which Bs begins later than behind as many of its own elements as As has. */
function shiftOfB({ plan }: LoweredKernel): number {
  const { shared, dtypes } = plan;
  if (shared === undefined) return 0;
  const { outer, inner, padding } = shared.a;
  const elements = outer * (inner + padding) * (lanePlanIn(plan)?.stages ?? 1);
  return Math.ceil((elements * DTYPE_BYTES[dtypes.a]) / DTYPE_BYTES[dtypes.b]) - elements;
}

/** The matrix goes on to the end of its last tile; along K only where the main loop does. */
function endless({ problem, plan: { tile } }: LoweredKernel) {
  const up = (size: number, extent: number) => Math.ceil(size / extent) * extent;
  return { ...parametersOf(problem), m: up(problem.m, tile.m), n: up(problem.n, tile.n) };
}

/** Elements by lane. */
type Request = readonly (number | undefined)[];

function requestsOf(lanes: readonly number[][]): readonly Request[] {
  return Array.from({ length: longest(lanes) }, (_, i) => lanes.map(lane => lane[i]));
}

const longest = (lanes: readonly number[][]): number => Math.max(...lanes.map(lane => lane.length));

const taking = (request: Request): readonly number[] =>
  request.filter(element => element !== undefined);

function summary(
  { site, op, space }: Access,
  requests: readonly Request[],
  elementBytes: number,
  width: number,
): Omit<TracedSite, 'requests'> {
  const bytes = elementBytes * width;
  const kinds = alike(requests, Math.max(1, (space === 'global' ? 32 : 128) / bytes));
  const mean = (of: (request: Request) => number) =>
    kinds.reduce((sum, { request, count }) => sum + count * of(request), 0) / requests.length;
  const gaps = new Set(
    kinds.flatMap(({ request }) => {
      const taken = taking(request);
      return taken.length < 2 ? [NaN] : taken.slice(1).map((e, i) => e - taken[i]!);
    }),
  );
  const [gap = NaN] = gaps;
  const laneStride = gaps.size === 1 && !Number.isNaN(gap) ? gap * width : null;
  const common = { site: site.name, op, laneStride };
  if (space === 'global') {
    const ideal = (request: Request) => Math.ceil((new Set(taking(request)).size * bytes) / 32);
    const cost = mean(request => sectors(taking(request), bytes));
    return { ...common, cost, ideal: mean(ideal), conflicts: 0 };
  }
  return {
    ...common,
    cost: mean(request => passes(request, bytes, op)),
    ideal: mean(request => fewest(taking(request), bytes, op)),
    conflicts: mean(
      request =>
        passes(request, bytes, op) -
        phases(request, bytes, op).filter(phase => phase.length > 0).length,
    ),
  };
}

/** Requests that differ by whole sectors, or by whole rounds of all banks: they cost the same. */
function alike(
  requests: readonly Request[],
  round: number,
): readonly { readonly request: Request; readonly count: number }[] {
  const kinds = new Map<string, { readonly request: Request; count: number }>();
  for (const request of requests) {
    const first = Math.min(...taking(request));
    const from = Math.floor(first / round) * round;
    const key = request.map(element => (element === undefined ? '' : element - from)).join();
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { request, count: 1 });
    else kind.count++;
  }
  return [...kinds.values()];
}

const sectors = (request: readonly number[], bytes: number): number =>
  new Set(request.map(element => Math.floor((element * bytes) / 32))).size;

/**
 * Lanes served at a time: all, halves or quarters by the width; twice as many of loads in pairs.
 */
function phases(request: Request, bytes: number, op: string): readonly (readonly number[])[] {
  const paired = [1, 2].some(distance =>
    request.every((element, lane) => {
      const other = request[lane ^ distance];
      return element === undefined || other === undefined || element === other;
    }),
  );
  const lanes = { 8: 16, 16: 8 }[bytes] ?? 32;
  const together = op === 'load' && paired ? Math.min(32, 2 * lanes) : lanes;
  return Array.from({ length: 32 / together }, (_, i) =>
    taking(request.slice(i * together, (i + 1) * together)),
  );
}

function passes(request: Request, bytes: number, op: string): number {
  return phases(request, bytes, op).reduce((sum, phase) => {
    const words = new Set<number>();
    for (const element of phase)
      for (let byte = 0; byte < bytes; byte++) words.add(Math.floor((element * bytes + byte) / 4));
    const banks = new Array<number>(32).fill(0);
    for (const word of words) banks[word % 32]! += 1;
    return sum + Math.max(...banks);
  }, 0);
}

/**
 * Words of all banks at once; with wide loads 128 B returned at once, or 256 B to lanes in pairs.
 */
function fewest(request: readonly number[], bytes: number, op: string): number {
  const distinct = [...new Set(request)];
  const rows = Math.ceil((distinct.length * bytes) / 128);
  if (bytes <= 4) return rows;
  const pairs = distinct.reduce(
    (sum, element) => sum + Math.ceil(request.filter(other => other === element).length / 2),
    0,
  );
  const served = op === 'load' && pairs <= 16 ? pairs : request.length;
  return Math.max(rows, Math.ceil((served * bytes) / 128));
}
