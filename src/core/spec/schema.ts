/**
 * Schema of the spec file `*.gemm.json`. The decoder, the TypeScript types and the JSON Schema are
 * derived from it. It defines structure and value ranges only; src/core/plan checks the limits of
 * targets and devices.
 */
import * as v from 'valibot';
import { DTYPES } from '../types/dtype';
import { epilogueSchema } from './epilogue';
import { count, describe, LAYOUTS, MAX_DIMENSION } from './schemaParts';

export { LAYOUTS, MAX_DIMENSION, type Layout } from './schemaParts';

/** Maximum WebGPU limits that a spec may request. */
export const MAX_WEBGPU_LIMITS = { invocations: 4096, workgroupStorageBytes: 2 ** 20 } as const;

const amount = (description: string, max = MAX_DIMENSION) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(max), describe(description));
const finite = (description: string) => v.pipe(v.number(), v.finite(), describe(description));

export const TARGETS = ['cuda', 'wgsl'] as const;
export const ALGORITHMS = [
  'naive',
  'coalesced',
  'shared-tile',
  'thread-tile-1d',
  'thread-tile-2d',
  'register-tile',
  'gemv',
  'vectorized',
  'warp-tile',
  'pipelined',
  'layout',
  'mma',
  'wgmma',
] as const;
export const SPLIT_K_REDUCTIONS = ['two-pass', 'atomic'] as const;
/** Serpentine orders of a thread's FMAs: along rows, along columns, or along pairs of columns. */
export const TRAVERSALS = ['row', 'col', 'col-pairs'] as const;
/** Modes of sharing A loads among the four adjacent lanes of a quad. */
export const SHARINGS = ['none', 'quad'] as const;
/** Prefetch destinations of the next tile, for kernels with one shared-memory stage. */
export const PREFETCHES = ['none', 'registers'] as const;
/** Unrolling of the k loop over a tile in WGSL, which has no unroll pragma. */
export const UNROLLS = ['none', 'full'] as const;
/**
 * Launch modes: after the previous kernel of the stream has ended, or while it ends (programmatic
 * dependent launch). With `prefetch`, the kernel also loads weights into the L2 cache meanwhile.
 */
export const LAUNCHES = ['serial', 'programmatic', 'prefetch'] as const;
/**
 * Kernel schedules of Hopper kernels, with the names of CUTLASS: TMA without warp specialization
 * (`KernelTma`), and warp specialization whose consumers share a tile
 * (`KernelTmaWarpSpecializedCooperative`) or alternate tiles (`...Pingpong`).
 */
export const KERNEL_SCHEDULES = ['tma', 'cooperative', 'pingpong'] as const;
/**
 * Matrices that provide the rows (M) of the instruction: A, or B with swapped operands (swap-AB).
 */
export const OPERAND_ORDERS = ['ab', 'ba'] as const;
export const VARIANTS = ['swap', 'remap', '2d', '1d', 'transposed'] as const;

const operand = (name: string) =>
  v.pipe(
    v.strictObject({
      dtype: v.optional(v.pipe(v.picklist(DTYPES), describe('Element type; default f32.'))),
      layout: v.optional(
        v.pipe(
          v.picklist(LAYOUTS),
          describe('Contiguous dimension: the second (row) or the first (col); default row.'),
        ),
      ),
      ld: v.optional(
        count(
          'Leading dimension: stride of the non-contiguous dimension, in elements; default packed.',
        ),
      ),
      batchStride: v.optional(
        amount(
          'Number of elements from the start of one matrix of a batch to the next; default packed.',
        ),
      ),
    }),
    describe(`Matrix ${name}.`),
  );

const problem = v.pipe(
  v.strictObject({
    m: count('Rows of A and C.'),
    n: count('Columns of B and C.'),
    k: count('Columns of A and rows of B.'),
    batch: v.optional(count('Number of independent GEMMs (batch size); default 1.')),
    a: v.optional(operand('A, m x k')),
    b: v.optional(operand('B, k x n')),
    c: v.optional(operand('C, m x n')),
    accumulator: v.optional(v.pipe(v.picklist(DTYPES), describe('Accumulator type.'))),
    alpha: v.optional(finite('C := alpha * A * B + beta * C; default 1.')),
    beta: v.optional(finite('C := alpha * A * B + beta * C; default 0, which does not read C.')),
    epilogue: v.optional(epilogueSchema),
  }),
  describe('C := alpha * A * B + beta * C.'),
);

const choice = <const T extends readonly (string | number)[]>(of: T, description: string) =>
  v.optional(v.pipe(v.picklist(of), describe(description)));

const tileMN = (description: string) =>
  v.pipe(
    v.strictObject({
      m: v.optional(count('Rows.', 65536)),
      n: v.optional(count('Columns.', 65536)),
    }),
    describe(description),
  );

const schedule = v.pipe(
  v.strictObject({
    algorithm: v.optional(
      v.pipe(
        v.picklist(ALGORITHMS),
        describe(
          'Algorithm (a rung of the optimization ladder); the default depends on the problem shape.',
        ),
      ),
    ),
    block: v.optional(
      v.pipe(
        v.strictObject({
          m: v.optional(count('Rows of C per thread block (BM).', 65536)),
          n: v.optional(count('Columns of C per thread block (BN).', 65536)),
          k: v.optional(count('K extent of a k-iteration and its shared tile (BK).', 65536)),
        }),
        describe('Block tile. For naive and coalesced, it equals the thread block.'),
      ),
    ),
    warp: v.optional(tileMN('Warp tile (WM, WN).')),
    thread: v.optional(
      v.pipe(
        v.strictObject({
          m: v.optional(count('Rows.', 65536)),
          n: v.optional(count('Columns.', 65536)),
          k: v.optional(count('k values per thread and k-iteration (gemv only).', 65536)),
        }),
        describe('Accumulators per thread (TM, TN).'),
      ),
    ),
    vector: v.optional(
      v.pipe(v.picklist([1, 2, 4, 8]), describe('Maximum number of elements per access.')),
    ),
    stages: v.optional(count('Number of pipeline stages (shared-memory buffers).', 16)),
    fragments: choice(
      [1, 2],
      'Number of register buffers per fragment. With 2, the next fragments and tiles are loaded during the current FMAs or MMAs.',
    ),
    traversal: v.optional(
      v.pipe(
        v.picklist(TRAVERSALS),
        describe(
          'FMA order of each thread: serpentine along rows, columns, or pairs of columns; default row by row.',
        ),
      ),
    ),
    prefetch: choice(
      PREFETCHES,
      'Prefetch of the next tile into registers, for kernels with one shared-memory stage; default none.',
    ),
    unroll: v.optional(
      v.pipe(
        v.picklist(UNROLLS),
        describe(
          'Unrolling of the k loop over a tile in WGSL, which has no unroll pragma; default none. The CUDA compiler unrolls the loop.',
        ),
      ),
    ),
    sharing: choice(
      SHARINGS,
      'Sharing of A values in a quad: each of its four lanes loads all values (none) or a quarter of them (quad); default none.',
    ),
    variant: v.optional(
      v.pipe(v.picklist(VARIANTS), describe('Mapping of threads to elements of C.')),
    ),
    padding: v.optional(
      v.pipe(
        v.strictObject({
          a: v.optional(amount('Padding elements per row of As.', 1024)),
          b: v.optional(amount('Padding elements per row of Bs.', 1024)),
        }),
        describe('Row padding of the shared tiles, to avoid bank conflicts.'),
      ),
    ),
    swizzle: v.optional(
      v.pipe(
        v.picklist(['none', 'xor']),
        describe('Swizzle of the shared tiles, to avoid bank conflicts.'),
      ),
    ),
    raster: v.optional(
      v.pipe(
        v.strictObject({
          order: v.optional(
            v.pipe(
              v.picklist(LAYOUTS),
              describe('Rasterization order of the tiles: along rows or along columns.'),
            ),
          ),
          group: v.optional(count('Tiles per raster group, for L2 reuse.', 65536)),
        }),
        describe('Order in which blocks process the tiles of C.'),
      ),
    ),
    splitK: v.optional(count('Split-K: number of slices of the K dimension.', 65536)),
    splitKReduction: choice(
      SPLIT_K_REDUCTIONS,
      'Reduction of the split-K slices: through a workspace and a second kernel, or by atomic addition; default two-pass. By default, wgmma reduces the slices in a cluster, without a workspace.',
    ),
    minBlocksPerSm: v.optional(
      count('Minimum number of blocks per SM, the second argument of __launch_bounds__.', 32),
    ),
    threadLayout: v.optional(
      v.pipe(
        v.strictObject({
          a: v.optional(
            v.pipe(v.string(), describe('Thread layout over the tile of A, as shape:stride.')),
          ),
          b: v.optional(
            v.pipe(v.string(), describe('Thread layout over the tile of B, as shape:stride.')),
          ),
          c: v.optional(
            v.pipe(v.string(), describe('Thread layout over the tile of C, as shape:stride.')),
          ),
        }),
        describe('Thread layouts for the algorithm layout, such as (32,8):(1,32).'),
      ),
    ),
    mma: v.optional(
      v.pipe(
        v.strictObject({
          m: count('Rows of the instruction.', 256),
          n: count('Columns of the instruction.', 256),
          k: count('K extent of the instruction.', 256),
        }),
        describe('Shape of the tensor-core instruction.'),
      ),
    ),
    cluster: v.optional(
      v.pipe(
        v.strictObject({
          m: count('Number of blocks along M.', 16),
          n: count('Number of blocks along N.', 16),
        }),
        describe('Dimensions of the thread block cluster (Hopper and later).'),
      ),
    ),
    consumers: v.optional(count('Number of consumer warp groups.', 3)),
    kernelSchedule: choice(
      KERNEL_SCHEDULES,
      'Roles of the warp groups: one warp group loads and multiplies (tma), or a producer loads for consumers. Consumers share a tile (cooperative) or alternate tiles (pingpong). mma supports only tma.',
    ),
    operandOrder: choice(
      OPERAND_ORDERS,
      'Matrix that provides the rows of the instruction: A (ab) or B (ba, swap-AB). The default is ba for a column-major C, otherwise ab.',
    ),
    launch: choice(
      LAUNCHES,
      'Whether the kernel may start before the previous kernel of the stream ends (programmatic dependent launch, Hopper and later); default serial. With prefetch, it loads weights into the L2 cache meanwhile.',
    ),
    split: v.optional(
      v.pipe(
        v.picklist(['tf32x3', 'bf16x3', 'bf16x6', 'bf16x9']),
        describe(
          'FP32 emulation, which replaces each f32 product by several products of a narrower type.',
        ),
      ),
    ),
  }),
  describe(
    'Tiling of the GEMM. If omitted, the best measured or predicted schedule is used, or the default for the problem shape.',
  ),
);

export const specSchema = v.pipe(
  v.strictObject({
    $schema: v.optional(v.pipe(v.string(), describe('URL of the JSON Schema, for editors.'))),
    version: v.optional(v.pipe(v.literal(1), describe('Format version.'))),
    problem,
    schedule: v.optional(schedule),
    device: v.optional(
      v.pipe(v.string(), describe('Device id, or the name of a similar device; default h200.')),
    ),
    targets: v.optional(
      v.pipe(
        v.array(v.picklist(TARGETS)),
        v.minLength(1),
        describe('Target languages. If omitted, every target for which the spec is legal is used.'),
      ),
    ),
    webgpuLimits: v.optional(
      v.pipe(
        v.strictObject({
          invocations: v.optional(
            count('maxComputeInvocationsPerWorkgroup.', MAX_WEBGPU_LIMITS.invocations),
          ),
          workgroupStorageBytes: v.optional(
            count('maxComputeWorkgroupStorageSize.', MAX_WEBGPU_LIMITS.workgroupStorageBytes),
          ),
        }),
        describe('WebGPU limits to request from the adapter instead of the defaults.'),
      ),
    ),
    workspaceLimitBytes: v.optional(
      amount(
        'Maximum number of bytes of global memory for split-K partial results and repacked operands; default 268435456 (256 MiB).',
        Number.MAX_SAFE_INTEGER,
      ),
    ),
  }),
  describe('Tiled GEMM: problem, schedule, device and targets.'),
);

export const SCHEDULE_FIELDS: readonly string[] = Object.keys(schedule.pipe[0].entries);

export type GemmSpec = v.InferOutput<typeof specSchema>;
export type Target = (typeof TARGETS)[number];
export type Algorithm = (typeof ALGORITHMS)[number];
export type SplitKReduction = (typeof SPLIT_K_REDUCTIONS)[number];
export type Traversal = (typeof TRAVERSALS)[number];
export type Sharing = (typeof SHARINGS)[number];
export type Variant = (typeof VARIANTS)[number];
export type KernelSchedule = (typeof KERNEL_SCHEDULES)[number];
export type Schedule = v.InferOutput<typeof schedule>;
