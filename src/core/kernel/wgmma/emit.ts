/**
 * Emits `wgmma` kernels: hand-written source with the plan's constants, pre-pass launches that
 * repack operands, and the declared model.
 */
import { prePasses, repackedWord, type PrePass } from '../lower/repack';
import { grouped } from '../../text/digits';
import { isPersistent, isSpecialized } from '../../plan/wgmma/specialization';
import { isTransposedBox } from '../../plan/wgmma/wgmmaOutput';
import { isTransposedCopy } from '../../plan/wgmma/wgmma';
import { TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmmaUnits';
import { weightsOf } from '../../plan/wgmma/weightPrefetch';
import type { WgmmaOutput, WgmmaPlan } from '../../plan/wgmma/wgmmaPlan';
import { repackedBytes } from '../../plan/wgmma/wgmmaTwoPass';
import { DTYPE_BYTES } from '../../types/dtype';
import { modelOf } from './model';
import { cuda, cudaArguments } from '../print/cuda';
import { TO_TF32 } from '../print/cudaTypes';
import { annotationLine, BATCH_LINE, fileText, headOf, layoutLine } from '../file/fileHead';
import { upper, type ArgumentRole } from '../ir/arguments';
import type { Multiple } from '../lower/widths';
import type { DeclaredKernel, KernelLaunch } from '../kernel';
import { printOptionsOf } from '../print/planOptions';
import { print } from '../print/print';
import { CUDA_FILE } from '../print/usage';
import type { TensorMap, TensorMaps } from '../file/tensorMaps';
import { computedPlan, callerMaps, callerRole } from './computed';
import { boxOf, callerLines, hostText, launchFunctionOf } from './launch';
import { pairNeeds } from './epilogue';
import { gateIn } from './gate';
import { reductionPass } from './twoPass';
import {
  argumentLines,
  copySideRoles,
  entryOf,
  flagsOf,
  isProgrammatic,
  prefetches,
  sourceNameOf,
  type PlanWithWgmma,
} from './parts';
import { reducersText } from './reducers';
import { kernelText } from './text';

export function emitWarpGroups(plan: PlanWithWgmma, key: string): DeclaredKernel {
  const { spec, wgmma, sharedBytes } = plan;
  const computed = computedPlan(plan);
  const given = callerRole(plan);
  const copies = prePasses(computed, entryOf(plan));
  const programmatic = isProgrammatic(plan) ? { programmatic: true as const } : {};
  const before = copies.map(copy => ({ ...launchOf(copy, given), ...programmatic }));
  const reduction = reductionPass(computed);
  const { workspaceBytes } = wgmma;
  const main = {
    entry: entryOf(plan),
    grid: { x: wgmma.blocks, y: 1, z: 1 },
    block: plan.block,
    dynamicSharedBytes: sharedBytes,
    arguments: argumentLines(computed).flat().map(given),
    tensorMaps: callerMaps(plan, tensorMapsOf(computed)),
    ...programmatic,
    ...(before.length === 0 ? {} : { before }),
    ...(reduction === undefined ? {} : { after: [launchOf(reduction, given)] }),
    ...(workspaceBytes === 0 ? {} : { workspaceBytes }),
  };
  const head = headOf(plan, {
    summary: summaryOf(computed, plan.wgmma.operandOrder),
    matrices: matricesOf(plan),
    usage: usageOf(plan),
  });
  const annotation = annotationLine(plan, main, {
    grid: [wgmma.blocks],
    passGrid: ({ grid: { x, y, z } }) => (z === 1 ? [x, y] : [x, y, z]),
  });
  const body = [
    ...kernelText(computed),
    ...(wgmma.fp32Emulation?.dtype === 'tf32' ? TO_NEAREST_TF32 : []),
    ...[...copies, ...(reduction === undefined ? [] : [reduction])].map(({ ir }) =>
      print(ir, printOptionsOf(computed), cuda),
    ),
    ...hostText(plan, computed, copies),
  ].join('\n');
  return {
    target: plan.target,
    ...main,
    source: fileText({ head, body, specKey: key, annotation }),
    problem: spec.problem,
    specKey: key,
    spec,
    plan,
    fileName: `${key}.cu`,
    sharedBytes,
    model: modelOf(computed, wgmma.operandOrder),
  };
}

const TO_NEAREST_TF32 = [
  '// Round to the nearest tf32; the result is an f32.',
  `__device__ __forceinline__ float ${TO_TF32}(float value) {`,
  '  uint32_t bits;',
  '  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));',
  '  return __uint_as_float(bits);',
  '}',
  '',
];

const launchOf = (
  { ir, grid, block }: PrePass,
  given: (role: ArgumentRole) => ArgumentRole,
): KernelLaunch => ({
  entry: ir.entry,
  grid,
  block,
  dynamicSharedBytes: 0,
  arguments: cudaArguments(ir).map(given),
  ir,
});

function tensorMapsOf(plan: PlanWithWgmma): TensorMaps {
  const { BATCHED, GATED, TMA_STORE } = flagsOf(plan);
  const mapOf = (name: 'a' | 'b' | 'c'): TensorMap => {
    const { box, swizzleBytes, repacked } = boxOf(plan, name);
    if (repacked === undefined) return { box, swizzleBytes };
    const { offsetBytes: workspaceOffset, ld, batchStride } = repacked;
    const { fp32Emulation } = plan.wgmma;
    return {
      box,
      swizzleBytes,
      workspaceOffset,
      ld,
      ...(isTransposedCopy({ repacked }) ? { transposed: true as const } : {}),
      ...(BATCHED || fp32Emulation !== undefined ? { batchStride } : {}),
      ...(fp32Emulation === undefined
        ? {}
        : { dtype: fp32Emulation.dtype, terms: fp32Emulation.count }),
    };
  };
  const source = sourceNameOf(plan);
  return {
    a: mapOf('a'),
    b: mapOf('b'),
    ...(TMA_STORE ? { c: mapOf('c') } : {}),
    ...(source === undefined || source === 'c'
      ? {}
      : { residual: { operand: source, ...mapOf('c') } }),
    // The second B of a gate has the boxes of B.
    ...(GATED ? { gate: mapOf('b') } : {}),
  };
}

function summaryOf(
  plan: PlanWithWgmma,
  order: PlanWithWgmma['wgmma']['operandOrder'],
): readonly string[] {
  const { tile, wgmma, spec } = plan;
  const { shape, cluster, stages, output } = wgmma;
  const { fp32Emulation, splitK, twoPass, raster } = wgmma;
  const [loading, synchronizing] = isSpecialized(wgmma)
    ? [
        'Warp specialization: a producer warp group',
        'Mbarriers synchronize the producer with the consumers.',
      ]
    : [
        'No warp specialization: thread 0 of the only warp group',
        'An mbarrier per stage signals the arrival of its tiles; __syncthreads releases a stage.',
      ];
  const block = `${tile.m} x ${tile.n}`;
  const swizzles = [...new Set([wgmma.a.swizzleBytes, wgmma.b.swizzleBytes])].join('- and ');
  const computes =
    splitK === 1 && twoPass === undefined
      ? `computes ${block} tiles`
      : `computes one K slice of ${block} tiles`;
  return [
    `Each CTA (thread block) ${computes} of ${order === 'ab' ? 'C' : 'Ct'}.`,
    ...(order === 'ab'
      ? []
      : [
          "Swap-AB: the kernel computes the transposed product Ct = Bt * At. Its A is the caller's B, its M is the caller's N, and its rows are columns of C.",
        ]),
    `${loading} loads ${tile.k}-deep tiles of A and B with TMA. The tiles fill ${STARTS_WITH_VOWEL.has(stages) ? 'an' : 'a'} ${stages}-stage shared-memory ring buffer (software pipelining, ${swizzles}-byte XOR swizzle). ${synchronizing}`,
    consumingLine(wgmma, `${wgmma.instruction} m${shape.m}n${shape.n}k${shape.k}`),
    ...(fp32Emulation === undefined
      ? []
      : [
          `FP32 emulation (${spec.schedule.split ?? fp32Emulation.dtype}): pre-pass kernels split A and B into ${fp32Emulation.count} ${fp32Emulation.dtype} terms each, and ${fp32Emulation.products.length} products of terms are accumulated. Every ${fp32Emulation.promotion} k-iterations the tensor-core result is promoted, that is, added to FP32 accumulators.`,
        ]),
    ...(splitK === 1
      ? []
      : [
          `Split-K in the cluster: ${splitK} CTAs accumulate one slice of K each and reduce the partial results through distributed shared memory; ${reducersText(plan)}.`,
        ]),
    ...(twoPass === undefined
      ? []
      : [
          `Split-K: K is partitioned into ${twoPass.slices} slices of ${grouped(twoPass.iterations * tile.k)}; each slice of a tile is a separate work item. FP32 partial results go to a workspace; ${entryOf(plan)}_reduce reduces them.`,
        ]),
    ...(flagsOf(plan).GATED
      ? [
          `Gate: the tiles of B and of the second B are adjacent in shared memory, so that the instructions compute ${2 * tile.n} columns. A thread holds both products of its elements of C.`,
        ]
      : []),
    ...multicast(cluster),
    twoPass === undefined
      ? epilogueLine(output)
      : 'Epilogue: partial results are stored to the workspace directly from registers.',
    ...(!isPersistent(wgmma)
      ? []
      : [
          `Persistent kernel: one CTA per SM; clusters loop over the ${twoPass === undefined ? 'tiles' : 'K slices of the tiles'} of C.`,
        ]),
    ...(raster.group === 1
      ? []
      : [
          `Rasterization in groups of ${raster.group} ${raster.order === 'row' ? 'rows' : 'columns'} of cluster tiles: concurrent clusters reuse tiles of A and B from the L2 cache.`,
        ]),
    ...(isProgrammatic(plan)
      ? [
          prefetches(plan)
            ? `Programmatic dependent launch with weight prefetch: while the previous kernel ends, each CTA loads the first k-iterations of ${weightsOf(plan.spec.problem).toUpperCase()} into the L2 cache.`
            : 'Programmatic dependent launch: the prologue overlaps the previous kernel.',
        ]
      : []),
  ];
}

function consumingLine(
  { instruction, kernelSchedule, consumers, rowsPerConsumer }: WgmmaPlan,
  each: string,
): string {
  if (instruction === 'mma')
    return `All 128 threads compute one tile: each warp loads fragments with ldmatrix and multiplies 16 of every 64 rows with ${each}.`;
  if (kernelSchedule === 'tma')
    return `All 128 threads compute one tile with ${each}. One k-iteration of wgmma is in flight while the next stage is refilled.`;
  if (kernelSchedule === 'pingpong')
    return `${consumers} consumer warp groups alternate on tiles (ping-pong): one runs its main loop with ${each} while the other runs its epilogue.`;
  return consumers === 1
    ? `One consumer warp group computes the tiles with ${each}.`
    : `${consumers} consumer warp groups share each tile, ${rowsPerConsumer} rows per warp group, with ${each}.`;
}

const SOURCES = { c: 'C', residual: 'the residual' } as const;

function epilogueLine(output: WgmmaOutput): string {
  if (output.by === 'registers')
    return 'Epilogue: accumulators are stored directly from registers.';
  const isTransposed = isTransposedBox(output);
  const rows = isTransposed ? output.box[0] : output.box[1];
  const boxes = `Epilogue: ${isTransposed ? 'stmatrix transposes the accumulators, which' : 'accumulators'} are staged in shared memory as ${rows} x ${output.columns} boxes`;
  if (output.by === 'tma') {
    const { source } = output;
    const loaded =
      source === undefined
        ? ''
        : ` TMA first loads ${SOURCES[source === 'c' ? 'c' : 'residual']} into the boxes.`;
    return `${boxes} and written by TMA store.${loaded}`;
  }
  return isTransposed
    ? `${boxes}. Warps store the columns of the boxes, because columns of the computed C are not aligned to 16 bytes.`
    : `${boxes}. Each warp stores the rows of its box, because rows of C are not aligned to 16 bytes.`;
}

/** Stage counts whose names start with a vowel: "an 8-stage ring buffer". */
const STARTS_WITH_VOWEL: ReadonlySet<number> = new Set([8, 11, 18]);

function multicast({ m, n }: PlanWithWgmma['wgmma']['cluster']): readonly string[] {
  const clusters = `Clusters of ${m} x ${n} CTAs: each CTA loads`;
  const sent = '(TMA multicast).';
  if (m > 1 && n > 1)
    return [
      `${clusters} 1/${n} of the shared A tile and 1/${m} of the shared B tile and multicasts both ${sent}`,
    ];
  if (m > 1) return [`${clusters} 1/${m} of the shared B tile and multicasts it ${sent}`];
  if (n > 1) return [`${clusters} 1/${n} of the shared A tile and multicasts it ${sent}`];
  return [];
}

const STRIDES = { a: 'strideA', b: 'strideB', c: 'strideC' } as const;

/**
 * Returns the multiples that the tensor maps, the pre-pass copies and the stores of a plan require.
 */
export function warpGroupMultiples(plan: PlanWithWgmma): readonly Multiple[] {
  const { problem } = plan.spec;
  const { PAIRED, TMA_STORE, TWO_PASS } = flagsOf(computedPlan(plan));
  const unit = (operand: 'a' | 'b' | 'c'): number =>
    TMA_STRIDE_BYTES / DTYPE_BYTES[plan.dtypes[operand]];
  const strides = (operand: 'a' | 'b' | 'c', of: number): readonly Multiple[] => [
    { role: `ld${operand}`, of },
    ...(problem.batch === 1 ? [] : [{ role: STRIDES[operand], of }]),
  ];
  const loaded = (name: 'a' | 'b'): readonly Multiple[] => {
    const { repacked } = plan.wgmma[name];
    if (repacked === undefined) return strides(name, unit(name));
    const { isAligned, length: of } = repackedWord(plan, name);
    const [, inner] = copySideRoles(plan, name);
    if (isTransposedCopy({ repacked }) || !isAligned || of === 1) return [];
    return [{ role: inner, of }, ...strides(name, of)];
  };
  const n = plan.wgmma.operandOrder === 'ab' ? 'n' : 'm';
  const stored: readonly Multiple[] = TMA_STORE
    ? strides('c', unit('c'))
    : PAIRED
      ? [{ role: n, of: 2 }, ...(TWO_PASS ? [] : strides('c', 2))]
      : [];
  const sourced: readonly Multiple[] = flagsOf(computedPlan(plan)).RESIDUAL_SOURCE
    ? [{ role: contiguousSide(plan), of: unit('c') }]
    : [];
  const isPaired = Object.keys(pairNeeds(computedPlan(plan))).length > 0;
  const pairs: readonly Multiple[] = isPaired ? [{ role: n, of: 2 }] : [];
  return [...loaded('a'), ...loaded('b'), ...gateMultiples(plan), ...stored, ...sourced, ...pairs];
}

/** A packed second B of a gate has an extent of the problem as its leading dimension. */
function gateMultiples(plan: PlanWithWgmma): readonly Multiple[] {
  const gate = gateIn(plan);
  if (gate === undefined) return [];
  const role = gate.layout === 'row' ? 'n' : 'k';
  if (gate.ld !== plan.spec.problem[role]) return [];
  return [{ role, of: TMA_STRIDE_BYTES / DTYPE_BYTES[gate.dtype] }];
}

/** Returns the extent along which C and its residual are contiguous. */
const contiguousSide = ({ spec }: PlanWithWgmma): 'm' | 'n' =>
  spec.problem.c.layout === 'row' ? 'n' : 'm';

function matricesOf(plan: PlanWithWgmma): readonly string[] {
  const { problem } = plan.spec;
  const needs = [
    ...new Set(warpGroupMultiples(plan).map(({ role, of }) => `${upper(role)} % ${of} == 0`)),
  ];
  return [
    layoutLine(plan),
    'M, N and K need not be multiples of the tile sizes: elements outside the matrices are loaded as zeros and not stored.',
    ...(problem.batch === 1 ? [] : [BATCH_LINE]),
    ...(needs.length === 0
      ? []
      : [
          `Requires ${needs.join(', ')} and pointers with an alignment of 16 bytes (as from cudaMalloc).`,
        ]),
    ...sliceLines(plan),
    ...prePassLines(plan),
  ];
}

/** Describes the K extents for which no slice of two-pass split-K is empty. */
function sliceLines({ wgmma: { twoPass }, tile: { k } }: PlanWithWgmma): readonly string[] {
  if (twoPass === undefined) return [];
  const { slices } = twoPass;
  const longest = `ceil(K / ${slices * k})`;
  return [
    `Each K slice requires a k-iteration: ceil(K / ${k}) > ${slices === 2 ? longest : `${slices - 1} * ${longest}`}.`,
  ];
}

/** Describes operands that pre-pass kernels copy. The summary describes split terms. */
function prePassLines({ wgmma }: PlanWithWgmma): readonly string[] {
  const namesOf = (transposed: boolean): string =>
    (['a', 'b'] as const)
      .filter(
        name => wgmma[name].repacked !== undefined && isTransposedCopy(wgmma[name]) === transposed,
      )
      .map(name => name.toUpperCase())
      .join(' and ');
  const [transposed, moved] = [namesOf(true), namesOf(false)];
  return [
    ...(transposed === ''
      ? []
      : [
          `${wgmma.instruction} supports ${wgmma.element} only with K contiguous: a pre-pass kernel transposes ${transposed} into the workspace.`,
        ]),
    ...(moved === '' || wgmma.fp32Emulation !== undefined
      ? []
      : [
          `TMA requires strides that are multiples of 16 bytes: a pre-pass kernel repacks ${moved} into the workspace with a padded leading dimension.`,
        ]),
  ];
}

/** Returns the content of the workspace. */
function contentOf(wgmma: WgmmaPlan): string {
  const copies = wgmma.fp32Emulation === undefined ? 'repacked copies' : 'split terms';
  if (wgmma.twoPass === undefined) return copies;
  return repackedBytes(wgmma) === 0 ? 'partial results' : `${copies} and partial results`;
}

function usageOf(plan: PlanWithWgmma): readonly string[] {
  const { m, n, k, batch } = plan.spec.problem;
  const { blocks, workspaceBytes } = plan.wgmma;
  const sizes = `${m} x ${n} x ${k}${batch === 1 ? '' : `, batch ${batch}`}`;
  const called = callerLines(plan).flat().map(upper).join(', ');
  return [
    `Launch for ${sizes}: grid ${blocks}, block ${plan.threads}, ${grouped(plan.sharedBytes)} B of dynamic shared memory.`,
    ...(workspaceBytes === 0
      ? []
      : [
          `Workspace: ${grouped(workspaceBytes)} B for ${contentOf(plan.wgmma)}; it need not be initialized.`,
        ]),
    `Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c ${CUDA_FILE}`,
    `Call: ${launchFunctionOf(plan)}(${called}, stream);`,
  ];
}
