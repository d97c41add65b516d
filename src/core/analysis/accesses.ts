/**
 * What a full warp asks of global and of shared memory at every access site, away from the edges of the
 * matrix: the addresses of the loop IR, evaluated for the first warp of a block over one step of K.
 */
import type { Kernel } from '../emit/kernel';
import type { Statement, Value } from '../ir/ir';
import { compile, makeThreads } from '../simulate/compile';
import { parametersOf } from '../simulate/execute';
import type { Access, Memory } from '../simulate/memory';
import { DTYPE_BYTES } from '../spec/dtype';
import type { GlobalAccess, SharedAccess } from './analysis';

const WARP = 32;
/** Bytes of a sector: what the memory system moves at least (CUDA C++ Programming Guide, "Device Memory Accesses"). */
const SECTOR_BYTES = 32;
const BANKS = 32;
const BANK_BYTES = 4;
/** K for kernels that stage nothing: enough steps to show a pattern along K. */
const DIRECT_STEPS = 8;

interface SiteTrace {
  readonly first: Access;
  /** Element indices by lane, in order of execution. */
  readonly lanes: readonly number[][];
}

export interface WarpAccesses {
  readonly global: readonly GlobalAccess[];
  readonly shared: readonly SharedAccess[];
}

/** Sectors and wavefronts a request, by access site. */
export function warpAccesses(kernel: Kernel): WarpAccesses {
  const traces = trace(kernel);
  const bytes = DTYPE_BYTES[kernel.plan.dtype];
  const global: GlobalAccess[] = [];
  const shared: SharedAccess[] = [];
  for (const { first, lanes: traced } of traces) {
    const requests = requestsOf(traced);
    const { op, site, space } = first;
    const common = { site: site.name, operand: site.operand, op, widthBytes: bytes };
    const distinctBytes = requests.map(lanes => new Set(lanes).size * bytes);
    if (space === 'global') {
      global.push({
        ...common,
        sectorsPerRequest: mean(requests.map(lanes => sectorsOf(lanes, bytes))),
        idealSectors: mean(distinctBytes.map(size => Math.ceil(size / SECTOR_BYTES))),
        laneStride: laneStride(requests[0] ?? []),
      });
      continue;
    }
    const wavefronts = mean(requests.map(lanes => wavefrontsOf(lanes, bytes)));
    const ideal = mean(distinctBytes.map(size => Math.ceil(size / (BANKS * BANK_BYTES))));
    const cure =
      wavefronts > ideal ? curingPadding(kernel.plan, site.operand, requests, ideal) : null;
    shared.push({
      ...common,
      wavefrontsPerRequest: wavefronts,
      idealWavefronts: ideal,
      curingPadding: cure,
    });
  }
  return { global, shared };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

function laneStride(lanes: readonly number[]): number | null {
  const gaps = new Set(lanes.slice(1).map((element, i) => element - (lanes[i] ?? NaN)));
  const [only] = gaps;
  return gaps.size === 1 && only !== undefined ? only : null;
}

/** More than this costs shared memory without curing what less did not. */
const MOST_PADDING = 8;

/** The same requests with longer rows: an element keeps its row and column, and moves to another bank. */
function curingPadding(
  plan: Kernel['plan'],
  operand: 'a' | 'b' | 'c',
  requests: readonly number[][],
  ideal: number,
): number | null {
  const tile = operand === 'c' ? undefined : plan.shared?.[operand];
  if (tile === undefined) return null;
  const bytes = DTYPE_BYTES[plan.dtype];
  const first = operand === 'b' ? (plan.shared?.a.bytes ?? 0) / bytes : 0;
  const row = tile.inner + tile.padding;
  const cures = (padding: number, of: readonly number[][]): boolean => {
    const moved = of.map(lanes =>
      lanes.map(element => {
        const at = element - first;
        return Math.floor(at / row) * (tile.inner + padding) + (at % row);
      }),
    );
    return mean(moved.map(lanes => wavefrontsOf(lanes, bytes))) <= ideal;
  };
  for (let padding = 1; padding <= MOST_PADDING; padding++) {
    // Most requests repeat one pattern, so a few of them rule most paddings out.
    if (cures(padding, requests.slice(0, 4)) && cures(padding, requests)) return padding;
  }
  return null;
}

/** Distinct 32-byte sectors that the lanes' elements lie in. */
export function sectorsOf(lanes: readonly number[], bytes: number): number {
  return new Set(lanes.map(element => Math.floor((element * bytes) / SECTOR_BYTES))).size;
}

/**
 * Passes of the shared-memory pipe: in each, a bank serves one 4-byte word, to any number of lanes. Wider
 * accesses are served half a warp (8 bytes) or a quarter (16 bytes) at a time.
 */
export function wavefrontsOf(lanes: readonly number[], bytes: number): number {
  const wordsPerElement = Math.max(1, bytes / BANK_BYTES);
  const group = WARP / wordsPerElement;
  let passes = 0;
  for (let from = 0; from < lanes.length; from += group) {
    const words = new Set<number>();
    const served = new Uint8Array(BANKS);
    for (const element of lanes.slice(from, from + group)) {
      for (let w = 0; w < wordsPerElement; w++) {
        const word = Math.floor((element * bytes) / BANK_BYTES) + w;
        if (words.has(word)) continue;
        words.add(word);
        served[word % BANKS] = (served[word % BANKS] ?? 0) + 1;
      }
    }
    passes += Math.max(...served);
  }
  return passes;
}

function trace(kernel: Kernel): readonly SiteTrace[] {
  const { plan, problem } = kernel;
  const sites = new Map<Access['site'], SiteTrace>();
  const note = (access: Access): void => {
    const { site, thread, index } = access;
    const known = sites.get(site) ?? {
      first: access,
      lanes: Array.from({ length: WARP }, () => []),
    };
    sites.set(site, known);
    known.lanes[thread.index]?.push(index);
  };
  const memory: Memory = {
    load: access => {
      note(access);
      return 0;
    },
    store: note,
    barrier: () => undefined,
    diverged: () => undefined,
  };
  // Away from the edge: the matrix is taken as large as a tile at least, one step deep.
  const k = plan.tile.k > 0 ? plan.tile.k : DIRECT_STEPS;
  const parameters = { ...parametersOf(problem), m: plan.tile.m, n: plan.tile.n, k };
  const ir = { ...kernel.ir, body: memoryOnly(kernel.ir.body) };
  const program = compile(ir, { parameters, memory: () => memory });
  // For the same reason one warp can be followed without the others of its block.
  const warp = makeThreads(kernel.block, program).slice(0, WARP);
  program.run({ x: 0, y: 0, z: 0 }, warp);
  return [...sites.values()];
}

/** No address depends on a value, so what neither touches memory nor binds an integer can go. */
function memoryOnly(body: readonly Statement[]): readonly Statement[] {
  return body.flatMap((statement): readonly Statement[] => {
    switch (statement.op) {
      case 'for':
      case 'if': {
        const inner = memoryOnly(statement.body);
        return inner.some(({ op }) => op !== 'let') ? [{ ...statement, body: inner }] : [];
      }
      case 'assign':
        return touchesMemory(statement.place) || touchesMemory(statement.value) ? [statement] : [];
      case 'fma':
        return [statement.place, statement.left, statement.right].some(touchesMemory)
          ? [statement]
          : [];
      case 'comment':
      case 'blank':
        return [];
      default:
        return [statement];
    }
  });
}

function touchesMemory(value: Value): boolean {
  switch (value.op) {
    case 'global':
    case 'shared':
      return true;
    case 'guarded':
      return touchesMemory(value.value);
    case 'mul':
    case 'add':
      return touchesMemory(value.left) || touchesMemory(value.right);
    default:
      return false;
  }
}

/** The n-th access of each lane is one request of the warp; only where no request is full do partial ones count. */
function requestsOf(lanes: SiteTrace['lanes']): readonly number[][] {
  const longest = Math.max(...lanes.map(lane => lane.length));
  const all = Array.from({ length: longest }, (_, i) =>
    lanes.flatMap(lane => (lane[i] === undefined ? [] : [lane[i]])),
  );
  const full = all.filter(request => request.length === WARP);
  return full.length > 0 ? full : all;
}
