/** What differs too much between tiles for a condition in the kernel's text: its signature, descriptors, loads and stores. */
import { DTYPE_BYTES } from '../../types/dtype';
import type { BoxedOperand, WarpGroupPlan } from '../../plan/plan';
import { cudaType } from '../print/cudaTypes';
import type { ArgumentRole } from '../ir/arguments';

/** A plan of warp groups. */
export type GroupPlan = WarpGroupPlan;

export const ENTRY = 'gemm_wgmma';

const isClustered = ({ wgmma: { cluster, splitK } }: GroupPlan): boolean =>
  cluster.m * cluster.n * splitK > 1;

export const isProgrammatic = ({ spec }: GroupPlan): boolean =>
  spec.schedule.launch === 'programmatic';

export const flagsOf = (plan: GroupPlan) => {
  const { wgmma, spec } = plan;
  const { batch, alpha, beta, n, c } = spec.problem;
  const pairs = [n, c.ld, ...(batch === 1 ? [] : [c.batchStride])];
  return {
    PINGPONG: wgmma.kernelSchedule === 'pingpong',
    CLUSTERED: isClustered(plan),
    SHARED_A: wgmma.a.share > 1,
    SHARED_B: wgmma.b.share > 1,
    SPLIT: wgmma.splitK > 1,
    PIECED: wgmma.pieces !== undefined,
    PROGRAMMATIC: isProgrammatic(plan),
    BATCHED: batch > 1,
    SCALED: alpha !== 1,
    BETA: beta !== 0,
    TMA_STORE: wgmma.output.by === 'tma',
    OUTPUT_F16: c.dtype === 'f16',
    REALLOCATE: wgmma.registers !== undefined,
    COLUMN_MAJOR: c.layout === 'col',
    COLUMN_STRIPS: wgmma.raster.order === 'col',
    /** Neighbouring columns are stored together. */
    PAIRS: c.layout === 'row' && pairs.every(extent => extent % 2 === 0),
  };
};

/** Arguments in order, a line of the signature each. */
export function argumentLines(plan: GroupPlan): readonly (readonly ArgumentRole[])[] {
  const { BATCHED, SCALED, BETA, TMA_STORE } = flagsOf(plan);
  return [
    ['tensorMapA', 'tensorMapB'],
    TMA_STORE ? ['tensorMapC'] : ['c', 'ldc', ...(BATCHED ? (['strideC'] as const) : [])],
    [
      'm',
      'n',
      'k',
      ...(BATCHED ? (['batch'] as const) : []),
      ...(SCALED ? (['alpha'] as const) : []),
      ...(BETA ? (['beta'] as const) : []),
    ],
  ];
}

/** A role as the kernel's text calls it. */
export function declaredArgument({ dtypes }: GroupPlan, role: ArgumentRole): string {
  switch (role) {
    case 'tensorMapA':
    case 'tensorMapB':
    case 'tensorMapC':
      return `const __grid_constant__ CUtensorMap ${MAP[role]}`;
    case 'a':
    case 'b':
      return `const ${cudaType(dtypes[role])}* ${role.toUpperCase()}`;
    case 'c':
      return `${cudaType(dtypes.c)}* C`;
    case 'm':
    case 'n':
    case 'k':
      return `int ${role.toUpperCase()}`;
    case 'strideA':
    case 'strideB':
    case 'strideC':
      return `long long ${role}`;
    case 'alpha':
    case 'beta':
      return `float ${role}`;
    default:
      return `int ${role}`;
  }
}
export const MAP = { tensorMapA: 'mapA', tensorMapB: 'mapB', tensorMapC: 'mapC' } as const;

export function signature(plan: GroupPlan): readonly string[] {
  const margin = ' '.repeat(ENTRY.length + 1);
  const lines = argumentLines(plan).map(line =>
    line.map(role => declaredArgument(plan, role)).join(', '),
  );
  const cluster = isClustered(plan) ? '__cluster_dims__(CLUSTER, 1, 1) ' : '';
  return [
    `extern "C" __global__ void ${cluster}__launch_bounds__(THREADS, 1)`,
    `${ENTRY}(${lines.join(`,\n${margin}`)})`,
  ];
}

/** Descriptors, and from one to those of the next 64 rows and the next depth: addresses in 16 bytes. */
export function descriptors({ wgmma: { a, b, shape } }: GroupPlan): readonly string[] {
  const rows = 'descriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES)';
  const panels = ({ swizzleBytes: bytes }: BoxedOperand, isWide: boolean): string =>
    `descriptor(address, ${isWide ? `BK * ${bytes}` : '0'}, 8 * ${bytes}, ${bytes})`;
  const depth = ({ major, swizzleBytes }: BoxedOperand): string =>
    major === 'k' ? '32 / 16' : `${shape.k} * ${swizzleBytes} / 16`;
  const part = a.major === 'k' ? '64 * ROW_BYTES / 16' : `BK * ${a.swizzleBytes} / 16`;
  return [
    '// In 16 bytes, from a descriptor to that of the next 64 rows of A, and of the next depth.',
    `constexpr int PART_A = ${part}, DEPTH_A = ${depth(a)}, DEPTH_B = ${depth(b)};`,
    // The 64 rows of an instruction are one panel of A.
    `__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return ${a.major === 'k' ? rows : panels(a, false)}; }`,
    `__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return ${b.major === 'k' ? rows : panels(b, true)}; }`,
    '',
  ];
}

/** Boxes of a step, as many as the block loads of each operand. */
export const loads = (plan: GroupPlan): readonly string[] => [
  ...loadsOf(plan, 'a'),
  ...loadsOf(plan, 'b'),
];

/** What the text calls an operand's tile, its side, who of the cluster shares it, and which part is whose. */
const NAMES = {
  a: {
    to: 'a',
    map: 'mapA',
    bytes: 'A_BYTES',
    side: 'BM',
    first: 'tile.m',
    rank: 'blockN',
    sharers: 'row',
    count: 'CLUSTER_N',
  },
  b: {
    to: 'b',
    map: 'mapB',
    bytes: 'B_BYTES',
    side: 'BN',
    first: 'tile.n',
    rank: 'blockM',
    sharers: 'column',
    count: 'CLUSTER_M',
  },
} as const;

function loadsOf(plan: GroupPlan, operand: 'a' | 'b'): readonly string[] {
  const { major, share, swizzleBytes, box } = plan.wgmma[operand];
  const { to, map, bytes, side, first, rank, sharers, count } = NAMES[operand];
  const isShared = share > 1;
  const behind = (each: string): string => (isShared ? ` + ${rank} * (${each})` : '');
  const { PIECED, BATCHED } = flagsOf(plan);
  const piece = operand === 'a' ? ', pieceA' : ', pieceB';
  const product = PIECED ? piece : BATCHED ? ', tile.batch' : '';
  const load = (place: string, x: string, y: string): string =>
    isShared
      ? `multicastBox(${place}, ${map}, barrier, ${sharers}, ${x}, ${y}${product});`
      : `loadBox(${place}, ${map}, barrier, ${x}, ${y}${product});`;
  if (major === 'k') {
    const place = `${to}${behind(`${bytes} / ${count}`)}`;
    return [load(place, 'k', `${first}${behind(`${side} / ${count}`)}`)];
  }
  const panel = `${to} + panel * (BK * ${swizzleBytes})${behind(`BK / ${count} * ${swizzleBytes}`)}`;
  return [
    `for (int panel = 0; panel < ${side} / ${box[0]}; ++panel) {`,
    `  ${load(panel, `${first} + panel * ${box[0]}`, `k${behind(`BK / ${count}`)}`)}`,
    '}',
  ];
}

export function stores(plan: GroupPlan): readonly string[] {
  const { BATCHED, BETA, SPLIT, TMA_STORE } = flagsOf(plan);
  if (TMA_STORE) {
    const product = BATCHED ? ', tile.batch' : '';
    return [`storeTile(sums[m], mapC, boxes, slot, row, tile.n${product});`];
  }
  const product = BATCHED ? ' + tile.batch * strideC' : '';
  const more = `${SPLIT ? ', part' : ''}${BETA ? ', beta' : ''}`;
  return [`storeTile(sums[m], C${product}, ldc, M, N, row, tile.n${more});`];
}

/** Of the function that stores 64 rows from registers. */
export function storeParameters(plan: GroupPlan): string {
  const { BETA, SPLIT } = flagsOf(plan);
  const more = [...(SPLIT ? ['int part'] : []), ...(BETA ? ['float beta'] : [])];
  const first =
    'const float (&sums)[BN / 2], Output* C, int ldc, int M, int N, int row, int column';
  const margin = ' '.repeat('__device__ __forceinline__ void storeTile('.length);
  return more.length === 0 ? first : `${first},\n${margin}${more.join(', ')}`;
}

export const elementBytes = ({ wgmma }: GroupPlan): number => DTYPE_BYTES[wgmma.element];
