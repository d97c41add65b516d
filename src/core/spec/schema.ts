/**
 * The spec file `*.gemm.json`: one declaration for the decoder, the types and the JSON Schema. It
 * defines shapes and ranges only; plan/ decides what a target or device supports.
 */
import * as v from 'valibot';
import { DTYPES } from '../types/dtype';

/** Maximum size of a dimension: a signed 32-bit index, as CUDA and WGSL kernels take it. */
export const MAX_DIMENSION = 2 ** 31 - 1;

/** Maximum WebGPU limits in a spec; no known adapter reaches them. */
export const MAX_WEBGPU_LIMITS = { invocations: 4096, workgroupStorageBytes: 2 ** 20 } as const;

const describe = v.description;
const count = (description: string, max = MAX_DIMENSION) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(max), describe(description));
const amount = (description: string, max = MAX_DIMENSION) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(max), describe(description));
const finite = (description: string) => v.pipe(v.number(), v.finite(), describe(description));

export const LAYOUTS = ['row', 'col'] as const;
export const TARGETS = ['cuda', 'wgsl'] as const;
export const ALGORITHMS = [
  'naive',
  'coalesced',
  'shared-tile',
  'thread-tile-1d',
  'thread-tile-2d',
  'register-tile',
  'vectorized',
  'warp-tile',
  'pipelined',
  'layout',
  'mma',
  'wgmma',
] as const;
export const SPLIT_K_REDUCTIONS = ['two-pass', 'atomic'] as const;
/**
 * Serpentine order of a thread's accumulators: along rows, along columns, or along pairs of
 * columns.
 */
export const TRAVERSALS = ['row', 'col', 'col-pairs'] as const;
/** How the four adjacent lanes of a quad load the values of A that all of them need. */
export const SHARINGS = ['none', 'quad'] as const;
/** Where kernels with one shared-memory stage prefetch the next tile. */
export const PREFETCHES = ['none', 'registers'] as const;
/** How WGSL, which has no unroll pragma, writes the k loop over a tile. */
export const UNROLLS = ['none', 'full'] as const;
/**
 * When a kernel may start: after its predecessor in the stream, or as the predecessor ends
 * (programmatic dependent launch).
 */
export const LAUNCHES = ['serial', 'programmatic'] as const;
/**
 * The matrix that provides the rows (M) of the instruction: A, or B with swapped operands
 * (swap-AB).
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
          describe('Contiguous index: row = the second, col = the first; default row.'),
        ),
      ),
      ld: v.optional(
        count(
          'Leading dimension: stride of the non-contiguous index, in elements; default packed.',
        ),
      ),
      batchStride: v.optional(
        amount('Elements between consecutive matrices of a batch; default packed.'),
      ),
    }),
    describe(`Matrix ${name}.`),
  );

const problem = v.pipe(
  v.strictObject({
    m: count('Rows of A and C.'),
    n: count('Columns of B and C.'),
    k: count('Columns of A, rows of B.'),
    batch: v.optional(count('Number of independent GEMMs (batch size); default 1.')),
    a: v.optional(operand('A, m x k')),
    b: v.optional(operand('B, k x n')),
    c: v.optional(operand('C, m x n')),
    accumulator: v.optional(v.pipe(v.picklist(DTYPES), describe('Accumulator type.'))),
    alpha: v.optional(finite('C := alpha * A * B + beta * C; default 1.')),
    beta: v.optional(finite('C := alpha * A * B + beta * C; default 0: C is not read.')),
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
      v.pipe(v.picklist(ALGORITHMS), describe('Algorithm (rung of the ladder); default by size.')),
    ),
    block: v.optional(
      v.pipe(
        v.strictObject({
          m: v.optional(count('Rows of C per thread block (BM).', 65536)),
          n: v.optional(count('Columns of C per thread block (BN).', 65536)),
          k: v.optional(count('K extent of the shared tile, per k-iteration (BK).', 65536)),
        }),
        describe('Block tile; for naive and coalesced, the thread block itself.'),
      ),
    ),
    warp: v.optional(tileMN('Warp tile (WM, WN).')),
    thread: v.optional(tileMN('Accumulators per thread (TM, TN).')),
    vector: v.optional(v.pipe(v.picklist([1, 2, 4, 8]), describe('Maximum elements per access.'))),
    stages: v.optional(count('Pipeline stages (shared-memory buffers).', 16)),
    fragments: choice(
      [1, 2],
      'Register buffers per fragment; with 2, the next fragments and tiles are loaded while the current ones are multiplied.',
    ),
    traversal: v.optional(
      v.pipe(
        v.picklist(TRAVERSALS),
        describe(
          'Order of the FMAs of a thread: serpentine along rows, columns, or pairs of columns; default row by row.',
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
          'How WGSL, which has no unroll pragma, writes the k loop over a tile: as a loop or fully unrolled; default none. The CUDA compiler unrolls it.',
        ),
      ),
    ),
    sharing: choice(
      SHARINGS,
      'How the four lanes of a quad load their common values of A: all lanes load all of them, or a quarter each; default none.',
    ),
    variant: v.optional(v.pipe(v.picklist(VARIANTS), describe('How threads map to elements.'))),
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
      'Reduction of the split-K slices: through a workspace and a second kernel, or by atomic addition; default two-pass.',
    ),
    minBlocksPerSm: v.optional(
      count('Minimum blocks per SM, the second argument of __launch_bounds__.', 32),
    ),
    threadLayout: v.optional(
      v.pipe(
        v.strictObject({
          a: v.optional(
            v.pipe(v.string(), describe('Threads over the tile of A, as shape:stride.')),
          ),
          b: v.optional(
            v.pipe(v.string(), describe('Threads over the tile of B, as shape:stride.')),
          ),
          c: v.optional(
            v.pipe(v.string(), describe('Threads over the tile of C, as shape:stride.')),
          ),
        }),
        describe('Thread layouts of the algorithm layout, such as (32,8):(1,32).'),
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
          m: count('Blocks along M.', 16),
          n: count('Blocks along N.', 16),
        }),
        describe('Thread block cluster (Hopper and later).'),
      ),
    ),
    consumers: v.optional(count('Consumer warp groups.', 3)),
    kernelSchedule: v.optional(
      v.pipe(
        v.picklist(['cooperative', 'pingpong']),
        describe(
          'Whether consumer warp groups cooperate on one tile or alternate between tiles (ping-pong).',
        ),
      ),
    ),
    operandOrder: choice(
      OPERAND_ORDERS,
      'Matrix that provides the rows of the instruction: A (ab), or B (ba, swap-AB); default ab, for a column-major C ba.',
    ),
    launch: choice(
      LAUNCHES,
      'Whether the kernel may start before its predecessor in the stream ends (programmatic dependent launch, Hopper and later); default serial.',
    ),
    split: v.optional(
      v.pipe(
        v.picklist(['tf32x3', 'bf16x3', 'bf16x6', 'bf16x9']),
        describe('FP32 emulation: f32 products from several products of a narrower type.'),
      ),
    ),
  }),
  describe(
    'Tiling of the GEMM; if omitted, the fastest schedule measured on the device for a similar problem.',
  ),
);

export const specSchema = v.pipe(
  v.strictObject({
    $schema: v.optional(
      v.pipe(v.string(), describe('URL of the schema of this file, for editors.')),
    ),
    version: v.optional(v.pipe(v.literal(1), describe('Format version.'))),
    problem,
    schedule: v.optional(schedule),
    device: v.optional(
      v.pipe(v.string(), describe('Id from the device table, or a similar name; default h200.')),
    ),
    targets: v.optional(
      v.pipe(
        v.array(v.picklist(TARGETS)),
        v.minLength(1),
        describe('Languages to generate; if omitted, all for which the spec is legal.'),
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
        describe('Limits to request from the adapter instead of the WebGPU defaults.'),
      ),
    ),
  }),
  describe('A tiled GEMM: problem, schedule, device and targets.'),
);

/** Schedule fields in decoding order. */
export const SCHEDULE_FIELDS: readonly string[] = Object.keys(schedule.pipe[0].entries);

export type GemmSpec = v.InferOutput<typeof specSchema>;
export type Layout = (typeof LAYOUTS)[number];
export type Target = (typeof TARGETS)[number];
export type Algorithm = (typeof ALGORITHMS)[number];
export type SplitKReduction = (typeof SPLIT_K_REDUCTIONS)[number];
export type Traversal = (typeof TRAVERSALS)[number];
export type Sharing = (typeof SHARINGS)[number];
export type Variant = (typeof VARIANTS)[number];
export type Schedule = v.InferOutput<typeof schedule>;
