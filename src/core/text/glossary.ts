/**
 * Names of tiles and schedules: what they mean, and what CUTLASS, Triton, CLBlast and siboehm's worklog call them.
 *
 * Sources, read for every entry: CUTLASS `include/cutlass/gemm/threadblock/mma_base.h` and
 * `default_mma_core_simt.h` (Shape, WarpShape, ThreadTileM, kStages, SmemPaddingA), its profiler's documentation
 * (`--split_k_slices`, `--raster_order`, `--swizzle_size`) and `examples/cute/tutorial/sgemm_sm80.cu` (bM, sA, bP);
 * Triton `python/tutorials/03-matrix-multiplication.py` and `triton.Config`; CLBlast
 * `src/kernels/level3/xgemm_part1.opencl` and `xgemm_part3.opencl`; siboehm/SGEMM_CUDA `src/kernels/`.
 * A name is left out where a library has no such parameter.
 */

export interface Term {
  /** As our kernels and tutorials write it. */
  readonly name: string;
  /** What it is, in one or two sentences. */
  readonly what: string;
  /** JSON paths in a spec that give its value, the first that is there. */
  readonly paths: readonly string[];
  /** Other names for it in kernel texts. */
  readonly aliases?: readonly string[];
  readonly cutlass?: string;
  readonly triton?: string;
  readonly clblast?: string;
  readonly siboehm?: string;
}

const tile = (axis: 'M' | 'N', of: string) =>
  `${axis === 'M' ? 'Rows' : 'Columns'} of C that ${of}`;

export const TERMS: readonly Term[] = [
  {
    name: 'BM',
    what: `${tile('M', 'a thread block computes')}: its tile of A is BM x BK.`,
    paths: ['schedule.block.m'],
    aliases: ['MWG', 'BLOCK_SIZE_M', 'BLOCK_M', 'bM', 'BLK_M', 'TILE_M'],
    triton: '`BLOCK_SIZE_M`',
    cutlass: '`ThreadblockShape::kM`; CuTe `BLK_M` (`bM`)',
    clblast: '`MWG`',
    siboehm: '`BM`',
  },
  {
    name: 'BN',
    what: `${tile('N', 'a thread block computes')}: its tile of B is BK x BN.`,
    paths: ['schedule.block.n'],
    aliases: ['NWG', 'BLOCK_SIZE_N', 'BLOCK_N', 'bN', 'BLK_N', 'TILE_N'],
    triton: '`BLOCK_SIZE_N`',
    cutlass: '`ThreadblockShape::kN`; CuTe `BLK_N` (`bN`)',
    clblast: '`NWG`',
    siboehm: '`BN`',
  },
  {
    name: 'BK',
    what: 'Depth of the tiles of A and B that are staged in shared memory at a time: K is walked in steps of it.',
    paths: ['schedule.block.k'],
    aliases: ['KWG', 'BLOCK_SIZE_K', 'BLOCK_K', 'bK', 'BLK_K', 'TILE_K'],
    triton: '`BLOCK_SIZE_K`',
    cutlass: '`ThreadblockShape::kK`; CuTe `BLK_K` (`bK`)',
    clblast: '`KWG`',
    siboehm: '`BK`',
  },
  {
    name: 'WM',
    what: `${tile('M', 'a warp computes')}; BM / WM warps stand below each other.`,
    paths: ['schedule.warp.m'],
    cutlass: '`WarpShape::kM`',
    triton: 'the compiler lays warps out; only `num_warps` is given',
    siboehm: '`WM`',
  },
  {
    name: 'WN',
    what: `${tile('N', 'a warp computes')}; BN / WN warps stand beside each other.`,
    paths: ['schedule.warp.n'],
    cutlass: '`WarpShape::kN`',
    triton: 'the compiler lays warps out; only `num_warps` is given',
    siboehm: '`WN`',
  },
  {
    name: 'TM',
    what: `${tile('M', 'a thread computes')}: TM x TN sums stay in its registers.`,
    paths: ['schedule.thread.m'],
    aliases: ['MWI'],
    cutlass: '`ThreadTileM` (SIMT)',
    clblast: '`MWI` = `MWG` / `MDIMC`',
    siboehm: '`TM`',
    triton: 'the compiler chooses it (`sizePerThread` of the layout)',
  },
  {
    name: 'TN',
    what: `${tile('N', 'a thread computes')}: TM x TN sums stay in its registers.`,
    paths: ['schedule.thread.n'],
    aliases: ['NWI'],
    cutlass: '`ThreadTileN` (SIMT)',
    clblast: '`NWI` = `NWG` / `NDIMC`',
    siboehm: '`TN`',
    triton: 'the compiler chooses it (`sizePerThread` of the layout)',
  },
  {
    name: 'As',
    what: 'The block’s tile of A in shared memory (workgroup memory in WGSL).',
    paths: [],
    aliases: ['smemA', 'sA', 'alm', 'mm_Asub'],
    cutlass: '`operand_A` of the `SharedStorage`; CuTe `sA`',
    triton: 'the value of `tl.load(a_ptrs)`: the compiler places it',
    clblast: '`alm`, with `SA` = 1',
    siboehm: '`As`',
  },
  {
    name: 'Bs',
    what: 'The block’s tile of B in shared memory (workgroup memory in WGSL).',
    paths: [],
    aliases: ['smemB', 'sB', 'blm', 'mm_Bsub'],
    cutlass: '`operand_B` of the `SharedStorage`; CuTe `sB`',
    triton: 'the value of `tl.load(b_ptrs)`: the compiler places it',
    clblast: '`blm`, with `SB` = 1',
    siboehm: '`Bs`',
  },
  {
    name: 'acc',
    what: 'A thread’s TM x TN sums, in registers from the first step of K to the last.',
    paths: [],
    aliases: ['threadResults', 'accumulator', 'cpm', 'tCrC'],
    cutlass: 'accumulators (`FragmentC`); CuTe `tCrC`',
    triton: '`accumulator`',
    clblast: '`cpm`',
    siboehm: '`threadResults`',
  },
  {
    name: 'THREADS',
    what: 'Threads of a block: (BM / TM) x (BN / TN).',
    paths: [],
    aliases: ['NUM_THREADS', 'kThreads'],
    cutlass: '`kThreads` = `WarpCount::kCount` x 32',
    triton: '`num_warps` x 32',
    clblast: '`MDIMC` x `NDIMC`',
    siboehm: '`NUM_THREADS`',
  },
  {
    name: 'stages',
    what: 'Buffers of the shared tiles: with two or more, the next tile is loaded while this one is multiplied.',
    paths: ['schedule.stages'],
    aliases: ['STAGES', 'num_stages', 'kStages', 'K_PIPE_MAX', 'bP'],
    cutlass: '`kStages`; CuTe `bP` (mode `PIPE`)',
    triton: '`num_stages`',
    siboehm: 'double buffering, kernels 11 and 12',
  },
  {
    name: 'splitK',
    what: 'Parts that K is cut into: each part is a block of its own, and their sums are added. It fills a GPU that has more SMs than C has tiles.',
    paths: ['schedule.splitK', 'schedule.splitKReduction'],
    aliases: ['SPLIT_K'],
    cutlass: '`split_k_slices` (`--split_k_slices`)',
    triton: '`SPLIT_K`',
  },
  {
    name: 'swizzle',
    what: 'Permutes the columns of a shared tile by its row (XOR), so that the lanes of a warp meet different banks; costs no memory.',
    paths: ['schedule.swizzle'],
    cutlass: 'CuTe `Swizzle<B, M, S>`; `TensorOpMultiplicand` layouts',
    triton: 'the compiler swizzles shared memory (`vec`, `perPhase`, `maxPhase`)',
    siboehm: 'kernel 7 (`resolve_bank_conflicts`) reorders Bs instead',
  },
  {
    name: 'padding',
    what: 'Elements added to each row of a shared tile, so that rows begin in different banks; costs shared memory.',
    paths: ['schedule.padding.a', 'schedule.padding.b'],
    aliases: ['extraCols', 'PAD', 'PADDING'],
    cutlass: '`SmemPaddingA`, `SmemPaddingB`',
    siboehm: '`extraCols` of kernel 8',
  },
  {
    name: 'vector',
    what: 'Elements that one memory access moves at most: 4 floats are a 128-bit access.',
    paths: ['schedule.vector'],
    aliases: ['VWM', 'VWN'],
    cutlass: '`kElementsPerAccess`, `alignN` of a kernel’s name',
    triton: 'the compiler vectorises by alignment',
    clblast: '`VWM` (A, C), `VWN` (B)',
    siboehm: '`float4`, from kernel 6 on',
  },
  {
    name: 'raster',
    what: 'Order in which blocks walk the tiles of C: neighbours in time that share rows or columns find them in the L2 cache.',
    paths: ['schedule.raster.order', 'schedule.raster.group'],
    aliases: ['GROUP_SIZE_M', 'GROUP_M'],
    triton: '`GROUP_SIZE_M`',
    cutlass: '`ThreadblockSwizzle`; `--raster_order`, `--swizzle_size`',
  },
  {
    name: 'fragments',
    what: 'Register buffers of a thread’s fragments: with two, those of the next depth are loaded while these are multiplied, across the borders of the tiles.',
    paths: ['schedule.fragments'],
    cutlass: '`warp_frag_A[2]`, `warp_frag_B[2]` of `MmaMultistage`',
  },
  {
    name: 'traversal',
    what: 'Order of a thread’s multiply-adds: there and back, each shares a factor with the one before it, so that fewer registers are read of one bank.',
    paths: ['schedule.traversal'],
    cutlass: '“serpentine visitation” of `warp/mma_tensor_op.h`',
  },
  {
    name: 'prefetch',
    what: 'With one stage of shared memory: `registers` loads the next tile into registers while this one is multiplied, and stores it when nobody reads this one any more. Half the shared memory of two stages, for a second barrier a tile.',
    paths: ['schedule.prefetch'],
    cutlass: 'register staging of `MmaPipelined`',
  },
  {
    name: 'unroll',
    what: 'Whether WGSL, which has no pragma, has the depths of a tile as a loop or written out one after the other: most drivers keep the loop, and its counter and checked indices cost a fifth. CUDA’s compiler unrolls by itself.',
    paths: ['schedule.unroll'],
    cutlass: '`CUTLASS_PRAGMA_UNROLL`',
  },
  {
    name: 'cluster',
    what: 'Blocks side by side that run at the same time and share what they load: TMA brings a part to each, and to the others (multicast).',
    paths: ['schedule.cluster.m', 'schedule.cluster.n'],
    aliases: ['CLUSTER_M', 'CLUSTER_N'],
    cutlass: '`ClusterShape`',
    triton: '`num_ctas`',
  },
  {
    name: 'consumers',
    what: 'Warp groups that multiply what another one, the producer, has brought to shared memory: together (cooperative), or in turns, each a tile of its own (pingpong).',
    paths: ['schedule.consumers', 'schedule.kernelSchedule'],
    aliases: ['CONSUMERS'],
    cutlass: '`KernelTmaWarpSpecializedCooperative`, `KernelTmaWarpSpecializedPingpong`',
  },
  {
    name: 'operandOrder',
    what: 'Which matrix gives the rows of an instruction that always has 64: A (`ab`), or B (`ba`), as the transposed product is computed. With few rows of C, the columns of B fill the instruction instead of zeros; a column-major C is stored as rows.',
    paths: ['schedule.operandOrder'],
    aliases: ['swapAB'],
    cutlass: '“explicit swap” of A and B',
  },
  {
    name: 'minBlocksPerSm',
    what: 'Blocks of an SM that the compiler must leave registers for: the second argument of `__launch_bounds__`. Too many and it spills.',
    paths: ['schedule.minBlocksPerSm'],
    cutlass: '`MinBlocksPerMultiprocessor`',
    triton: '`maxnreg` limits registers directly',
    siboehm: '`__launch_bounds__(…, 1)` of kernel 5',
  },
];

const BY_NAME: ReadonlyMap<string, Term> = new Map(
  TERMS.flatMap(term => [term.name, ...(term.aliases ?? [])].map(name => [name, term] as const)),
);

/** The term of a word in a kernel's text; names are case-sensitive, as identifiers are. */
export const termOfWord = (word: string): Term | undefined => BY_NAME.get(word);

/** The term whose value stands at a path of a spec, or is made of what stands there. */
export const termOfPath = (path: string): Term | undefined =>
  TERMS.find(({ paths }) => paths.includes(path)) ??
  TERMS.find(({ paths }) => paths.some(known => known.startsWith(`${path}.`) && !TILES.has(path)));

/** Groups of several terms: each has its own. */
const TILES = new Set(['schedule', 'schedule.block', 'schedule.warp', 'schedule.thread']);

/** The libraries with a name for it, and the name. */
export const namesElsewhere = (term: Term): readonly (readonly [string, string])[] =>
  (
    [
      ['CUTLASS', term.cutlass],
      ['Triton', term.triton],
      ['CLBlast', term.clblast],
      ['siboehm', term.siboehm],
    ] as const
  ).flatMap(([library, name]) => (name === undefined ? [] : [[library, name] as const]));
