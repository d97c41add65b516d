/** emit() of `wgmma`: hand-written text with the plan's constants, launches that re-lay operands, and the declared model. */
import { relayouts, type Relayout } from '../lower/relayout';
import { grouped } from '../../text/digits';
import { isTurned, STORED_ROWS, TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import { modelOf } from './model';
import { cuda, cudaArguments } from '../print/cuda';
import { TO_TF32 } from '../print/cudaTypes';
import { headOf, hashLine, layoutLine } from '../file/fileHead';
import { upper } from '../file/hostLaunch';
import type { DeclaredKernel, KernelLaunch } from '../kernel';
import { print } from '../print/print';
import type { TensorMap, TensorMaps } from '../file/tensorMaps';
import { computedPlan, givenMaps, givenRole } from './computed';
import { boxOf, callerLines, hostText, LAUNCH_FUNCTION } from './launch';
import { argumentLines, ENTRY, flagsOf, isProgrammatic, type GroupPlan } from './pieces';
import { kernelText } from './text';
import type { ArgumentRole } from '../ir/arguments';

export function emitWarpGroups(plan: GroupPlan, key: string, name = key): DeclaredKernel {
  const { spec, wgmma, sharedBytes } = plan;
  const fileName = `${name}.cu`;
  const computed = computedPlan(plan);
  const given = givenRole(plan);
  const copies = relayouts(computed, ENTRY);
  const before = copies.map(copy => launchOf(copy, given));
  const main = {
    entry: ENTRY,
    grid: { x: wgmma.blocks, y: 1, z: 1 },
    block: plan.block,
    dynamicSharedBytes: sharedBytes,
    arguments: argumentLines(computed).flat().map(given),
    tensorMaps: givenMaps(plan, tensorMapsOf(computed)),
    ...(isProgrammatic(plan) ? { programmatic: true as const } : {}),
    ...(before.length === 0 ? {} : { before, workspaceBytes: wgmma.workspaceBytes }),
  };
  const head = headOf(plan, main, {
    summary: summaryOf(computed, plan.wgmma.operandOrder),
    matrices: matricesOf(plan),
    usage: usageOf(plan, fileName),
    grid: [wgmma.blocks],
    passGrid: ({ grid: { x, y, z } }) => (z === 1 ? [x, y] : [x, y, z]),
  });
  const body = [
    ...kernelText(computed),
    ...(wgmma.pieces?.dtype === 'tf32' ? TO_NEAREST_TF32 : []),
    ...copies.map(({ ir }) => print(ir, computed, cuda)),
    ...hostText(plan, computed, copies),
  ].join('\n');
  return {
    target: plan.target,
    ...main,
    source: `${head}${hashLine(`${head}\n${body}`)}\n${body}`,
    problem: spec.problem,
    specKey: key,
    spec,
    plan,
    fileName,
    sharedBytes,
    model: modelOf(computed, wgmma.operandOrder),
  };
}

/** As kernels that split f32 call it. */
const TO_NEAREST_TF32 = [
  '// The nearest tf32, as an f32.',
  `__device__ __forceinline__ float ${TO_TF32}(float value) {`,
  '  uint32_t bits;',
  '  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));',
  '  return __uint_as_float(bits);',
  '}',
  '',
];

const launchOf = (
  { ir, grid, block }: Relayout,
  given: (role: ArgumentRole) => ArgumentRole,
): KernelLaunch => ({
  entry: ir.entry,
  grid,
  block,
  dynamicSharedBytes: 0,
  arguments: cudaArguments(ir).map(given),
  ir,
});

function tensorMapsOf(plan: GroupPlan): TensorMaps {
  const { BATCHED, TMA_STORE } = flagsOf(plan);
  const mapOf = (name: 'a' | 'b' | 'c'): TensorMap => {
    const { box, swizzleBytes, relaid } = boxOf(plan, name);
    if (relaid === undefined) return { box, swizzleBytes };
    const { offsetBytes: workspaceOffset, ld, batchStride } = relaid;
    const { pieces } = plan.wgmma;
    return {
      box,
      swizzleBytes,
      workspaceOffset,
      ld,
      ...(isTurned({ relaid }) ? { turned: true as const } : {}),
      ...(BATCHED || pieces !== undefined ? { batchStride } : {}),
      ...(pieces === undefined ? {} : { dtype: pieces.dtype, pieces: pieces.count }),
    };
  };
  return { a: mapOf('a'), b: mapOf('b'), ...(TMA_STORE ? { c: mapOf('c') } : {}) };
}

function summaryOf(
  { tile, wgmma }: GroupPlan,
  order: GroupPlan['wgmma']['operandOrder'],
): readonly string[] {
  const { shape, kernelSchedule, consumers, groupRows, cluster, stages, output } = wgmma;
  const { pieces, splitK } = wgmma;
  const blocks = cluster.m * cluster.n;
  const each = `${shape.m} x ${shape.n} x ${shape.k}`;
  const groups = consumers === 1 ? 'a warp group' : `${consumers} warp groups`;
  const shared =
    kernelSchedule === 'pingpong'
      ? `${groups} take turns at tiles of ${tile.m} x ${tile.n}: one multiplies while the other stores`
      : consumers === 1
        ? `${groups} multiplies tiles of ${tile.m} x ${tile.n}`
        : `${groups} share a tile of ${tile.m} x ${tile.n}, ${groupRows} rows each`;
  return [
    ...(order === 'ab'
      ? []
      : [
          'The transposed product is computed, Ct = Bt * At: what the kernel calls A is the B of the call, its M is N, its rows are columns of C.',
        ]),
    `Hopper's warp-group multiply: ${shared}, in instructions of ${each}.`,
    `Another, the producer, has tiles of A and B brought to ${stages} stages of shared memory by TMA, ${tile.k} deep, swizzled.`,
    ...(pieces === undefined
      ? []
      : [
          `Kernels before split A and B into ${pieces.count} matrices of ${pieces.dtype} each, and ${pieces.products.length} of their products are summed up; sums of ${pieces.promotion} steps are added in f32.`,
        ]),
    ...(splitK === 1
      ? []
      : [
          `${splitK} blocks of a cluster each sum a part of K, exchange their sums, and each stores a part of the columns.`,
        ]),
    ...(blocks === 1
      ? []
      : [
          `${blocks} blocks of a cluster, ${cluster.m} x ${cluster.n}, share what they load (multicast).`,
        ]),
    output.by === 'tma'
      ? `Sums pass through shared memory in boxes of ${STORED_ROWS} x ${output.columns}, which TMA stores.`
      : 'Sums are stored from registers.',
    ...(splitK > 1
      ? []
      : [
          'Blocks are persistent: there is one for each multiprocessor, and clusters walk the tiles.',
        ]),
  ];
}

function matricesOf(plan: GroupPlan): readonly string[] {
  const { problem } = plan.spec;
  const { PAIRS, TMA_STORE } = flagsOf(computedPlan(plan));
  const paired = plan.wgmma.operandOrder === 'ab' ? 'N' : 'M';
  const unit = (operand: 'a' | 'b' | 'c'): number =>
    TMA_STRIDE_BYTES / DTYPE_BYTES[plan.dtypes[operand]];
  const strides = (operand: 'a' | 'b' | 'c', multiple: number): readonly string[] => [
    `ld${operand} a multiple of ${multiple}`,
    ...(problem.batch === 1 ? [] : [`stride${operand.toUpperCase()} a multiple of ${multiple}`]),
  ];
  const brought = (['a', 'b'] as const).filter(name => plan.wgmma[name].relaid === undefined);
  const needs = [
    ...brought.flatMap(name => strides(name, unit(name))),
    ...(TMA_STORE
      ? strides('c', unit('c'))
      : PAIRS
        ? [`${paired} a multiple of 2`, ...strides('c', 2)]
        : []),
  ];
  return [
    layoutLine(plan),
    'Any M, N and K: what lies past the edges arrives as zeros, and is not stored.',
    ...(problem.batch === 1
      ? []
      : ['Matrices of product i of the batch begin i strides behind the first.']),
    ...(needs.length === 0
      ? []
      : [
          `Needs ${needs.join(', ')}, and matrices that begin at multiples of 16 bytes, as allocations do.`,
        ]),
    ...copiesOf(plan),
  ];
}

/** What kernels before copy; pieces are named where they are summed. */
function copiesOf({ wgmma }: GroupPlan): readonly string[] {
  const namesOf = (turned: boolean): string =>
    (['a', 'b'] as const)
      .filter(name => wgmma[name].relaid !== undefined && isTurned(wgmma[name]) === turned)
      .map(name => name.toUpperCase())
      .join(' and ');
  const [turned, moved] = [namesOf(true), namesOf(false)];
  return [
    ...(turned === ''
      ? []
      : [
          `The instruction takes ${wgmma.element} with K contiguous only: a kernel before transposes ${turned} to the workspace.`,
        ]),
    ...(moved === '' || wgmma.pieces !== undefined
      ? []
      : [
          `Rows of ${moved} begin where TMA cannot: a kernel before copies them to the workspace, at a leading dimension that is padded.`,
        ]),
  ];
}

function usageOf(plan: GroupPlan, fileName: string): readonly string[] {
  const { m, n, k, batch } = plan.spec.problem;
  const { blocks, workspaceBytes, pieces } = plan.wgmma;
  const sizes = `${m} x ${n} x ${k}${batch === 1 ? '' : `, ${batch} products`}`;
  const called = callerLines(plan).flat().map(upper).join(', ');
  return [
    `Launch for ${sizes}: grid ${blocks}, block ${plan.threads}, ${grouped(plan.sharedBytes)} B of shared memory, dynamic.`,
    ...(workspaceBytes === 0
      ? []
      : [
          `Workspace: ${grouped(workspaceBytes)} B of ${pieces === undefined ? 'copies' : 'pieces'}; what is in it before does not matter.`,
        ]),
    `Compile: nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -c ${fileName}`,
    `Call: ${LAUNCH_FUNCTION}(${called}, stream);`,
  ];
}
