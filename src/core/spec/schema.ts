/**
 * The spec file `*.gemm.json`: one declaration, from which the decoder, the types and the JSON Schema
 * follow. Shapes and ranges only; what a target or a device allows is decided by plan/.
 */
import * as v from 'valibot';
import { DTYPES } from '../types/dtype';

/** Largest size a dimension may have: a signed 32-bit index, as CUDA and WGSL kernels take it. */
export const MAX_DIMENSION = 2 ** 31 - 1;

/** More than any adapter offers. */
export const MOST_WEBGPU_LIMITS = { invocations: 4096, workgroupStorageBytes: 2 ** 20 } as const;

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
/** How a thread's results are walked, there and back: along rows, along columns, or along columns in pairs. */
export const TRAVERSALS = ['row', 'col', 'col-pairs'] as const;
/** Who loads what the threads of a quad, four lanes beside each other, all need of A. */
export const SHARINGS = ['none', 'quad'] as const;
/** Where the next tile is while one is multiplied, of kernels with one stage of shared memory. */
export const PREFETCHES = ['none', 'registers'] as const;
/** How a loop over a tile's depth stands in the text, where the language has no pragma. */
export const UNROLLS = ['none', 'full'] as const;
/** When a kernel may begin: after the one before it in its stream, or as that ends (programmatic dependent launch). */
export const LAUNCHES = ['serial', 'programmatic'] as const;
/** Which matrix gives the rows of an instruction that has many: A, or B, whose product with A is the transposed one. */
export const OPERAND_ORDERS = ['ab', 'ba'] as const;
export const VARIANTS = ['swap', 'remap', '2d', '1d', 'transposed'] as const;

const operand = (name: string) =>
  v.pipe(
    v.strictObject({
      dtype: v.optional(v.pipe(v.picklist(DTYPES), describe('Element type; default f32.'))),
      layout: v.optional(
        v.pipe(
          v.picklist(LAYOUTS),
          describe('Which index is contiguous: row = the second, col = the first; default row.'),
        ),
      ),
      ld: v.optional(
        count('Leading dimension: stride of the other index, in elements; default packed.'),
      ),
      batchStride: v.optional(amount('Elements between two matrices of a batch; default packed.')),
    }),
    describe(`Matrix ${name}.`),
  );

const problem = v.pipe(
  v.strictObject({
    m: count('Rows of A and C.'),
    n: count('Columns of B and C.'),
    k: count('Columns of A, rows of B.'),
    batch: v.optional(count('Number of independent products; default 1.')),
    a: v.optional(operand('A, m x k')),
    b: v.optional(operand('B, k x n')),
    c: v.optional(operand('C, m x n')),
    accumulator: v.optional(
      v.pipe(v.picklist(DTYPES), describe('Type the products are summed in.')),
    ),
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
      v.pipe(v.picklist(ALGORITHMS), describe('Which rung of the ladder; default by size.')),
    ),
    block: v.optional(
      v.pipe(
        v.strictObject({
          m: v.optional(count('Rows of C a thread block computes (BM).', 65536)),
          n: v.optional(count('Columns of C a thread block computes (BN).', 65536)),
          k: v.optional(
            count('Depth of the tile staged at a time, or multiplied in a step (BK).', 65536),
          ),
        }),
        describe('Block tile; for naive and coalesced the thread block itself.'),
      ),
    ),
    warp: v.optional(tileMN('Warp tile (WM, WN).')),
    thread: v.optional(tileMN('Results of one thread (TM, TN).')),
    vector: v.optional(
      v.pipe(v.picklist([1, 2, 4, 8]), describe('Most elements an access moves.')),
    ),
    stages: v.optional(count('Shared-memory buffers of a pipelined kernel.', 16)),
    fragments: choice(
      [1, 2],
      'Register buffers of the fragments; 2: the next ones are loaded, and tiles copied, while these are multiplied.',
    ),
    traversal: v.optional(
      v.pipe(
        v.picklist(TRAVERSALS),
        describe(
          "Order of a thread's multiply-adds, there and back (boustrophedon) along its rows, its columns, or its columns in pairs; default row after row.",
        ),
      ),
    ),
    prefetch: choice(
      PREFETCHES,
      'Of one stage of shared memory: whether the next tile is loaded into registers while one is multiplied; default none.',
    ),
    unroll: v.optional(
      v.pipe(
        v.picklist(UNROLLS),
        describe(
          "How the depths of a tile stand in WGSL, which has no pragma: as a loop, or written out one after the other; default none. CUDA's compiler unrolls them by itself.",
        ),
      ),
    ),
    sharing: choice(
      SHARINGS,
      'Who loads what four lanes beside each other all need of A: each for itself, or each a quarter of it; default none.',
    ),
    variant: v.optional(v.pipe(v.picklist(VARIANTS), describe('How threads map to elements.'))),
    padding: v.optional(
      v.pipe(
        v.strictObject({
          a: v.optional(amount('Elements added to a row of As.', 1024)),
          b: v.optional(amount('Elements added to a row of Bs.', 1024)),
        }),
        describe('Padding of the shared tiles, against bank conflicts.'),
      ),
    ),
    swizzle: v.optional(
      v.pipe(v.picklist(['none', 'xor']), describe('Swizzle of the shared tiles.')),
    ),
    raster: v.optional(
      v.pipe(
        v.strictObject({
          order: v.optional(
            v.pipe(
              v.picklist(LAYOUTS),
              describe('Which tiles follow each other: those of a row, or of a column.'),
            ),
          ),
          group: v.optional(
            count(
              'Tiles of the other direction that are walked together, for the L2 cache.',
              65536,
            ),
          ),
        }),
        describe('Order in which blocks walk the tiles of C.'),
      ),
    ),
    splitK: v.optional(count('Parts the K dimension is split into.', 65536)),
    splitKReduction: choice(
      SPLIT_K_REDUCTIONS,
      'How the parts become C: through a workspace and a second kernel, or by atomic addition; default two-pass.',
    ),
    minBlocksPerSm: v.optional(count('Second argument of __launch_bounds__.', 32)),
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
          k: count('Depth of the instruction.', 256),
        }),
        describe('Shape of the tensor-core instruction.'),
      ),
    ),
    cluster: v.optional(
      v.pipe(
        v.strictObject({
          m: count('Blocks along rows.', 16),
          n: count('Blocks along columns.', 16),
        }),
        describe('Thread block cluster (Hopper and later).'),
      ),
    ),
    consumers: v.optional(count('Consumer warp groups.', 3)),
    kernelSchedule: v.optional(
      v.pipe(
        v.picklist(['cooperative', 'pingpong']),
        describe('How consumer warp groups share the tiles of C.'),
      ),
    ),
    operandOrder: choice(
      OPERAND_ORDERS,
      'Which matrix gives the rows of the instruction: A (ab), or B (ba, swap A and B), as the transposed product is computed; default ab, of a column-major C ba.',
    ),
    launch: choice(
      LAUNCHES,
      'Whether the kernel may be launched while the one before it in its stream ends (programmatic dependent launch, Hopper and later); default serial.',
    ),
    split: v.optional(
      v.pipe(
        v.picklist(['tf32x3', 'bf16x3', 'bf16x6', 'bf16x9']),
        describe('f32 as a sum of products of a shorter type.'),
      ),
    ),
  }),
  describe(
    'How the product is tiled; omitted: the fastest that was measured on the device, where that is like this problem.',
  ),
);

export const specSchema = v.pipe(
  v.strictObject({
    $schema: v.optional(
      v.pipe(v.string(), describe('Address of the schema of this file, for editors.')),
    ),
    version: v.optional(v.pipe(v.literal(1), describe('Version of this format.'))),
    problem,
    schedule: v.optional(schedule),
    device: v.optional(
      v.pipe(v.string(), describe('Id from the device table, or a name like one; default h200.')),
    ),
    targets: v.optional(
      v.pipe(
        v.array(v.picklist(TARGETS)),
        v.minLength(1),
        describe('Languages to generate; omitted: every one for which the spec is legal.'),
      ),
    ),
    webgpuLimits: v.optional(
      v.pipe(
        v.strictObject({
          invocations: v.optional(
            count('maxComputeInvocationsPerWorkgroup.', MOST_WEBGPU_LIMITS.invocations),
          ),
          workgroupStorageBytes: v.optional(
            count('maxComputeWorkgroupStorageSize.', MOST_WEBGPU_LIMITS.workgroupStorageBytes),
          ),
        }),
        describe('Limits to require from the adapter instead of WebGPU defaults.'),
      ),
    ),
  }),
  describe('A tiled matrix multiply: problem, schedule, device and targets.'),
);

/** In the order in which a decoded schedule has them. */
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
