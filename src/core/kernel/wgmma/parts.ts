/**
 * Generated sections of the `wgmma` source: signature, matrix descriptors, TMA loads and stores.
 */
import fragments from '../../../../shaders/cuda/wgmma/mma.cuh';
import { DTYPE_BYTES } from '../../types/dtype';
import type { WarpGroupPlan } from '../../plan/plan';
import { reducersOf } from '../../plan/wgmma/clusterSplit';
import { isSpecialized } from '../../plan/wgmma/specialization';
import { isTransposedCopy } from '../../plan/wgmma/wgmma';
import type { BoxedOperand, WgmmaOutput } from '../../plan/wgmma/wgmmaPlan';
import { isProgrammaticLaunch } from '../../plan/wgmma/weightPrefetch';
import { splitAtSource, type SourceName } from '../../plan/wgmma/wgmmaSource';
import { elementOperands, gateOf, isEpilogueName } from '../../spec/epilogue';
import { bufferType } from '../../spec/resolved';
import { resolveConditions } from './conditions';
import { cudaType } from '../print/cudaTypes';
import { upper, type ArgumentRole } from '../ir/arguments';

export type PlanWithWgmma = WarpGroupPlan;

/** Returns the name of the main kernel. */
export const entryOf = ({ wgmma: { instruction } }: PlanWithWgmma): string => `gemm_${instruction}`;

const isClustered = ({ wgmma: { cluster, splitK } }: PlanWithWgmma): boolean =>
  cluster.m * cluster.n * splitK > 1;

export const isProgrammatic = ({ spec }: PlanWithWgmma): boolean =>
  isProgrammaticLaunch(spec.schedule);

/** Whether the kernel loads weights into the L2 cache while the previous kernel ends. */
export const prefetches = ({ spec }: PlanWithWgmma): boolean => spec.schedule.launch === 'prefetch';

const isStaged = ({ by }: WgmmaOutput): boolean => by !== 'registers';

/** Returns the matrix that TMA loads into the store boxes. */
export const sourceNameOf = ({ wgmma: { output } }: PlanWithWgmma): SourceName | undefined =>
  output.by === 'tma' ? output.source : undefined;

/**
 * Returns whether operations precede the stores. The stores themselves add a source and apply later
 * operations.
 */
function changesAccumulators(plan: PlanWithWgmma): boolean {
  const { wgmma, spec } = plan;
  const source = sourceNameOf(plan);
  if (wgmma.twoPass !== undefined) return false;
  // A gate is applied before.
  const before =
    source === undefined
      ? (spec.problem.epilogue ?? [])
      : splitAtSource(spec.problem, source).before.map(({ op }) => op);
  return before.some(({ op }) => op !== 'gate');
}

export const flagsOf = (plan: PlanWithWgmma) => {
  const { wgmma, spec } = plan;
  const { batch, alpha, beta, n, c, epilogue } = spec.problem;
  const isTwoPass = wgmma.twoPass !== undefined;
  // Partial results have no padding.
  const pairs = isTwoPass ? [n] : [n, c.ld, ...(batch === 1 ? [] : [c.batchStride])];
  return {
    /** Whether a producer warp group issues the loads. */
    SPECIALIZED: isSpecialized(wgmma),
    /** Whether warps multiply with mma.sync, after they have loaded fragments with ldmatrix. */
    MMA: wgmma.instruction === 'mma',
    A_PANELS: wgmma.a.major === 'mn',
    B_PANELS: wgmma.b.major === 'mn',
    PINGPONG: wgmma.kernelSchedule === 'pingpong',
    CLUSTERED: isClustered(plan),
    MULTICAST_A: wgmma.a.share > 1,
    MULTICAST_B: wgmma.b.share > 1,
    /** Whether the blocks of a cluster reduce split-K slices. */
    SPLIT: wgmma.splitK > 1,
    /** Whether the blocks of some slices only send their accumulators. */
    SENDERS: reducersOf(plan.tile.n, wgmma.splitK) < wgmma.splitK,
    /** Whether a second kernel reduces split-K slices and applies alpha and beta. */
    TWO_PASS: isTwoPass,
    EMULATED: wgmma.fp32Emulation !== undefined,
    PROGRAMMATIC: isProgrammatic(plan),
    /** Whether weights are loaded into the L2 cache while the previous kernel ends. */
    PREFETCH: prefetches(plan),
    /** Whether TMA loads some boxes into the L2 cache only. */
    L2_LOADS: sourceNameOf(plan) !== undefined || prefetches(plan),
    BATCHED: batch > 1,
    SCALED: alpha !== 1 && !isTwoPass,
    /** Whether accumulators are scaled before they are stored; an epilogue scales them itself. */
    SCALED_STORE:
      alpha !== 1 &&
      !isTwoPass &&
      gateOf(spec.problem) === undefined &&
      !changesAccumulators(plan) &&
      sourceNameOf(plan) === undefined,
    /** Whether the stores add beta * C; an epilogue adds it before its operations. */
    BETA: beta !== 0 && !isTwoPass && epilogue === undefined && sourceNameOf(plan) !== 'c',
    /** Whether the main kernel changes the accumulators before it stores them. */
    EPILOGUE: changesAccumulators(plan),
    /** Whether TMA loads the boxes of a source, which the stores add. */
    SOURCE: sourceNameOf(plan) !== undefined,
    /** Whether the last box of a row loads columns of C that the preceding box stores. */
    READS_STORED:
      wgmma.output.by === 'tma' &&
      wgmma.output.source === 'c' &&
      plan.tile.n % wgmma.output.columns !== 0,
    PADDED_BOXES: wgmma.output.by === 'tma' && wgmma.output.paddingBytes !== undefined,
    RESIDUAL_SOURCE: isEpilogueName(sourceNameOf(plan) ?? 'c'),
    /** Whether an instruction also computes the columns of a second B. */
    GATED: gateOf(spec.problem) !== undefined,
    TMA_STORE: wgmma.output.by === 'tma',
    STAGED_STORE: wgmma.output.by === 'threads',
    /** Whether each warp, or each consumer warp group, stages C in its own boxes. */
    WARP_BOXES: isStaged(wgmma.output) && c.layout === 'row',
    GROUP_BOXES: isStaged(wgmma.output) && c.layout === 'col',
    OUTPUT_F16: c.dtype === 'f16',
    SETMAXNREG: wgmma.registers !== undefined,
    COLUMN_MAJOR: c.layout === 'col',
    RASTER_COLUMNS: wgmma.raster.order === 'col',
    /** Whether stores from registers write two adjacent columns as a pair. */
    PAIRED:
      wgmma.output.by === 'registers' &&
      c.layout === 'row' &&
      pairs.every(extent => extent % 2 === 0),
  };
};

/** First row of the accumulators of a warp group. */
export const firstRow = (plan: PlanWithWgmma): string => {
  const { PINGPONG, SPECIALIZED } = flagsOf(plan);
  return SPECIALIZED && !PINGPONG ? 'tile.m + consumer * ROWS_PER_CONSUMER' : 'tile.m';
};

/** Returns the arguments in order, one list per line of the signature. */
export function argumentLines(plan: PlanWithWgmma): readonly (readonly ArgumentRole[])[] {
  const { BATCHED, GATED, RESIDUAL_SOURCE, SCALED, TMA_STORE, TWO_PASS } = flagsOf(plan);
  const addsC = plan.spec.problem.beta !== 0 && !TWO_PASS;
  const source = sourceNameOf(plan);
  const epilogue = TWO_PASS
    ? []
    : elementOperands(plan.spec.problem).flatMap(({ name }) => (name === source ? [] : [name]));
  const stored = TWO_PASS
    ? (['workspace'] as const)
    : (['c', 'ldc', ...(BATCHED ? (['strideC'] as const) : [])] as const);
  return [
    ['tensorMapA', 'tensorMapB', ...(GATED ? (['tensorMapB2'] as const) : [])],
    TMA_STORE
      ? ['tensorMapC', ...(RESIDUAL_SOURCE ? (['tensorMapResidual'] as const) : [])]
      : stored,
    ...(epilogue.length === 0 ? [] : [epilogue]),
    [
      'm',
      'n',
      'k',
      ...(BATCHED ? (['batch'] as const) : []),
      ...(SCALED ? (['alpha'] as const) : []),
      ...(addsC ? (['beta'] as const) : []),
    ],
  ];
}

export function declaredArgument({ dtypes }: PlanWithWgmma, role: ArgumentRole): string {
  switch (role) {
    case 'tensorMapA':
    case 'tensorMapB':
    case 'tensorMapC':
    case 'tensorMapResidual':
    case 'tensorMapB2':
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
    case 'workspace':
      return 'float* workspace';
    default:
      return isEpilogueName(role)
        ? `const ${cudaType(bufferType(dtypes, role))}* ${role}`
        : `int ${role}`;
  }
}
export const MAP = {
  tensorMapA: 'mapA',
  tensorMapB: 'mapB',
  tensorMapC: 'mapC',
  tensorMapResidual: 'mapResidual',
  tensorMapB2: 'mapB2',
} as const;

export function signature(plan: PlanWithWgmma): readonly string[] {
  const entry = entryOf(plan);
  const margin = ' '.repeat(entry.length + 1);
  const lines = argumentLines(plan).map(line =>
    line.map(role => declaredArgument(plan, role)).join(', '),
  );
  const cluster = isClustered(plan) ? '__cluster_dims__(CLUSTER, 1, 1) ' : '';
  return [
    `extern "C" __global__ void ${cluster}__launch_bounds__(THREADS, 1)`,
    `${entry}(${lines.join(`,\n${margin}`)})`,
  ];
}

export const panelRow = (operand: 'a' | 'b'): string => `PANEL_BYTES_${operand.toUpperCase()}`;
export const panelSide = (operand: 'a' | 'b'): string => `PANEL_SIDE_${operand.toUpperCase()}`;

function panelLines(
  operand: 'a' | 'b',
  { major, swizzleBytes, box }: BoxedOperand,
  bytes: number,
): readonly string[] {
  if (major === 'k') return [];
  const side = operand === 'a' ? 'M' : 'N';
  if (box[0] * bytes !== swizzleBytes) throw new Error('A panel row must be one swizzle width');
  return [
    `// ${operand.toUpperCase()} is ${side}-major: its tile is stored as panels of BK rows; each row is one swizzle width.`,
    `constexpr int ${panelRow(operand)} = ${swizzleBytes}, ${panelSide(operand)} = ${panelRow(operand)} / ELEMENT_BYTES;`,
  ];
}

/**
 * Prints the descriptor functions, and descriptor offsets to the next 64 rows of A and to the next
 * k-step.
 */
export function descriptors(plan: PlanWithWgmma): readonly string[] {
  const { a, b, shape, instruction } = plan.wgmma;
  const bytes = elementBytes(plan);
  if (instruction === 'mma') return fragmentLoads(plan);
  const rows = 'matrixDescriptor(address, 0, 8 * ROW_BYTES, ROW_BYTES)';
  const panels = (row: string, isWide: boolean): string =>
    `matrixDescriptor(address, ${isWide ? `BK * ${row}` : '0'}, 8 * ${row}, ${row})`;
  const depth = ({ major }: BoxedOperand, operand: 'a' | 'b'): string =>
    major === 'k' ? 'K_STEP_BYTES / 16' : `WGMMA_K * ${panelRow(operand)} / 16`;
  const part = a.major === 'k' ? 'WGMMA_M * ROW_BYTES / 16' : `BK * ${panelRow('a')} / 16`;
  return [
    ...panelLines('a', a, bytes),
    ...panelLines('b', b, bytes),
    ...(a.major === 'k' && b.major === 'k'
      ? []
      : [`constexpr int WGMMA_K = ${shape.k};  // K extent of one wgmma instruction, in elements`]),
    '// Descriptor offsets in units of 16 bytes: to the next 64 rows of A, and to the next k-step.',
    `constexpr int NEXT_ROWS_A = ${part}, NEXT_K_A = ${depth(a, 'a')}, NEXT_K_B = ${depth(b, 'b')};`,
    '// Matrix descriptors of the tiles of a stage; the swizzle pattern repeats every 8 rows.',
    // An M-major A has one panel per 64-row instruction.
    `__device__ __forceinline__ uint64_t descriptorA(uint32_t address) { return ${a.major === 'k' ? rows : panels(panelRow('a'), false)}; }`,
    `__device__ __forceinline__ uint64_t descriptorB(uint32_t address) { return ${b.major === 'k' ? rows : panels(panelRow('b'), true)}; }`,
    '',
  ];
}

/** Prints the functions that load fragments with `ldmatrix`. */
function fragmentLoads(plan: PlanWithWgmma): readonly string[] {
  const { a, b, shape } = plan.wgmma;
  const bytes = elementBytes(plan);
  return [
    ...panelLines('a', a, bytes),
    ...panelLines('b', b, bytes),
    ...(a.major === 'k' && b.major === 'k'
      ? []
      : [`constexpr int MMA_K = ${shape.k};  // K extent of one mma instruction, in elements`]),
    '',
    ...resolveConditions(fragments, flagsOf(plan)).trim().split('\n'),
    '',
  ];
}

export function stores(plan: PlanWithWgmma): readonly string[] {
  const { BATCHED, BETA, GROUP_BOXES, SPLIT, STAGED_STORE, TMA_STORE, TWO_PASS } = flagsOf(plan);
  if (TWO_PASS) return ['storeTile(acc[m], partial, M, N, row, tile.n);'];
  const owner = GROUP_BOXES ? ', consumer' : '';
  if (TMA_STORE) {
    const product = BATCHED ? ', tile.batch' : '';
    return [`storeTile(acc[m], mapC, boxes, storeBuffer, row, tile.n${product}${owner});`];
  }
  const product = BATCHED ? ' + tile.batch * strideC' : '';
  const more = `${SPLIT ? ', slice' : ''}${BETA ? ', beta' : ''}${owner}`;
  const box = STAGED_STORE ? 'box, ' : '';
  return [`storeTile(acc[m], ${box}C${product}, ldc, M, N, row, tile.n${more});`];
}

export function storeParameters(plan: PlanWithWgmma): string {
  const { BETA, SPLIT, TWO_PASS } = flagsOf(plan);
  if (TWO_PASS) {
    return 'const float (&acc)[BN / 2], Output* partial, int M, int N, int row, int column';
  }
  const more = [...(SPLIT ? ['int slice'] : []), ...(BETA ? ['float beta'] : [])];
  const first = 'const float (&acc)[BN / 2], Output* C, int ldc, int M, int N, int row, int column';
  const margin = ' '.repeat('__device__ __forceinline__ void storeTile('.length);
  return more.length === 0 ? first : `${first},\n${margin}${more.join(', ')}`;
}

/** Dimensions of each matrix in memory order: outer, inner. */
const SIDES = {
  a: { row: ['m', 'k'], col: ['k', 'm'] },
  b: { row: ['k', 'n'], col: ['n', 'k'] },
  c: { row: ['m', 'n'], col: ['n', 'm'] },
} as const;
type Side = 'm' | 'n' | 'k';

/**
 * Returns the outer and inner extents of the matrix that TMA accesses; a transposed copy of A or B
 * swaps them.
 */
export function copySideRoles(
  { spec, wgmma }: PlanWithWgmma,
  name: 'a' | 'b' | 'c',
): readonly [outer: Side, inner: Side] {
  const [outer, inner] = SIDES[name][spec.problem[name].layout];
  return name !== 'c' && isTransposedCopy(wgmma[name]) ? [inner, outer] : [outer, inner];
}

/** Returns the printed names of these extents. */
export function copySideNames(
  plan: PlanWithWgmma,
  name: 'a' | 'b' | 'c',
): readonly [string, string] {
  const [outer, inner] = copySideRoles(plan, name);
  return [upper(outer), upper(inner)];
}

export const elementBytes = ({ wgmma }: PlanWithWgmma): number => DTYPE_BYTES[wgmma.element];
