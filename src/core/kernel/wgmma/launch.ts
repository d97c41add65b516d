/** Prints the host function that encodes the tensor maps and launches the kernels. */
import { isPersistent } from '../../plan/wgmma/specialization';
import { isTransposedCopy, REPACKED_PITCH_BYTES } from '../../plan/wgmma/wgmma';
import type { BoxedOperand } from '../../plan/wgmma/wgmmaPlan';
import { elementOperands, epilogueOperands } from '../../spec/epilogue';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { rowThreadsName } from '../lower/copying';
import { repackedWord, type PrePass } from '../lower/repack';
import { cudaArguments } from '../print/cuda';
import type { ArgumentRole } from '../ir/arguments';
import { TENSOR_MAP_ROLES, type MappedOperand } from '../kernel';
import { callerRole } from './computed';
import { strideOf } from './epilogue';
import { gateIn } from './gate';
import { partialsArgument, reductionCall, reductionPass, workspaceType } from './twoPass';
import {
  copySideNames,
  declaredArgument,
  entryOf,
  flagsOf,
  argumentLines,
  MAP,
  panelSide,
  sourceNameOf,
  type PlanWithWgmma,
} from './parts';

/** Returns the name of the host function that launches the kernels. */
export const launchFunctionOf = (plan: PlanWithWgmma): string => `${entryOf(plan)}_launch`;

/**
 * Returns the caller's arguments in the order of a BLAS call, one list per line of the signature.
 */
export function callerLines(plan: PlanWithWgmma): readonly (readonly ArgumentRole[])[] {
  const { BATCHED } = flagsOf(plan);
  const { alpha, beta } = plan.spec.problem;
  const epilogue = epilogueOperands(plan.spec.problem).map(({ name }) => name);
  const operand = <R extends ArgumentRole>(...roles: readonly [R, R, R]): readonly R[] =>
    BATCHED ? roles : roles.slice(0, 2);
  return [
    [
      'm',
      'n',
      'k',
      ...(BATCHED ? (['batch'] as const) : []),
      ...(alpha === 1 ? [] : (['alpha'] as const)),
    ],
    [...operand('a', 'lda', 'strideA'), ...operand('b', 'ldb', 'strideB')],
    [...(beta === 0 ? [] : (['beta'] as const)), ...operand('c', 'ldc', 'strideC')],
    ...(epilogue.length === 0 ? [] : [epilogue]),
    ...(plan.wgmma.workspaceBytes > 0 ? [['workspace'] as const] : []),
  ];
}

const MAP_TYPES: Readonly<Partial<Record<DType, string>>> = {
  f16: 'FLOAT16',
  bf16: 'BFLOAT16',
  tf32: 'TFLOAT32',
  e4m3: 'UINT8',
  e5m2: 'UINT8',
};

/**
 * Prints the host functions. `computed` is the plan itself, or with swap-AB the plan of the
 * transposed GEMM.
 */
export function hostText(
  plan: PlanWithWgmma,
  computed: PlanWithWgmma,
  before: readonly PrePass[],
): readonly string[] {
  const isSwapped = plan.wgmma.operandOrder === 'ba';
  return [
    '#ifndef __CUDACC_RTC__',
    ...MAKE_MAP,
    ...launchFunction(
      computed,
      before,
      isSwapped ? `${launchFunctionOf(plan)}_transposed` : launchFunctionOf(plan),
    ),
    ...(isSwapped ? ['', ...swappingFunction(plan)] : []),
    '#endif',
    '',
  ];
}

function signatureOf(plan: PlanWithWgmma, name: string): readonly string[] {
  const head = `inline cudaError_t ${name}(`;
  const margin = ' '.repeat(head.length);
  const lines = callerLines(plan).map(line =>
    line.map(role => callerArgument(plan, role)).join(', '),
  );
  return [`${head}${lines.join(`,\n${margin}`)},`, `${margin}cudaStream_t stream) {`];
}

function swappingFunction(plan: PlanWithWgmma): readonly string[] {
  const given = callerRole(plan);
  const values = callerLines(plan).flat().map(given).map(passed);
  return [
    '// Swap-AB: computes C = A * B as Ct = Bt * At by exchanging A with B and M with N.',
    ...signatureOf(plan, launchFunctionOf(plan)),
    `  return ${launchFunctionOf(plan)}_transposed(${values.join(', ')}, stream);`,
    '}',
  ];
}

function launchFunction(
  plan: PlanWithWgmma,
  before: readonly PrePass[],
  name: string,
): readonly string[] {
  const { GATED, RESIDUAL_SOURCE, TMA_STORE } = flagsOf(plan);
  const maps = [
    'a',
    'b',
    ...(GATED ? (['gate'] as const) : []),
    ...(TMA_STORE ? (['c'] as const) : []),
  ] as const;
  return [
    ...aboutLaunch(plan),
    ...(before.length === 0
      ? []
      : [
          plan.wgmma.fp32Emulation === undefined
            ? `// Pre-pass: copy each operand whose layout TMA or ${plan.wgmma.instruction} does not support into the workspace.`
            : `// Pre-pass: split A and B into ${plan.wgmma.fp32Emulation.count} terms each, which are stored in the workspace.`,
        ]),
    ...signatureOf(plan, name),
    `  CUtensorMap ${[...maps.map(name => MAP[TENSOR_MAP_ROLES[name]]), ...(RESIDUAL_SOURCE ? ['mapResidual'] : [])].join(', ')};`,
    ...maps.flatMap(name => mapCall(plan, name)),
    ...residualMapCall(plan),
    ...(flagsOf(plan).PROGRAMMATIC ? PROGRAMMATIC_ATTRIBUTE : []),
    ...before.flatMap(({ ir }) => relayoutCall(plan, ir)),
    `  constexpr int sharedBytes = ${plan.sharedBytes};`,
    `  if (cudaError_t error = cudaFuncSetAttribute(${entryOf(plan)}, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;`,
    ...gridLines(plan),
    ...launchLines(plan),
    '}',
  ];
}

function launchLines(plan: PlanWithWgmma): readonly string[] {
  const values = argumentLines(plan)
    .flat()
    .map(role => (role === 'workspace' ? partialsArgument(plan) : passed(role)))
    .join(', ');
  const reduction = reductionPass(plan);
  const last = [
    ...(reduction === undefined ? [] : reductionCall(plan, reduction)),
    '  return cudaGetLastError();',
  ];
  if (!flagsOf(plan).PROGRAMMATIC) {
    return [`  ${entryOf(plan)}<<<blocks, THREADS, sharedBytes, stream>>>(${values});`, ...last];
  }
  const launch = `cudaLaunchKernelEx(&config, ${entryOf(plan)}, ${values})`;
  return [
    '  const cudaLaunchConfig_t config = {dim3(blocks), dim3(THREADS), sharedBytes, stream, &programmaticLaunch, 1};',
    ...(reduction === undefined
      ? [`  return ${launch};`]
      : [`  if (cudaError_t error = ${launch}) return error;`, ...last]),
  ];
}

const PROGRAMMATIC_ATTRIBUTE = [
  '  cudaLaunchAttribute programmaticLaunch{};',
  '  programmaticLaunch.id = cudaLaunchAttributeProgrammaticStreamSerialization;',
  '  programmaticLaunch.val.programmaticStreamSerializationAllowed = 1;',
];

const aboutLaunch = (plan: PlanWithWgmma): readonly string[] => [
  ...(!isPersistent(plan.wgmma)
    ? [
        `// Encodes the tensor maps and launches one ${flagsOf(plan).SPLIT ? 'cluster per cluster tile' : 'CTA per tile'}.`,
      ]
    : [
        '// Encodes the tensor maps and launches the persistent kernel with as many CTAs as can be resident,',
        `// but at most one per ${flagsOf(plan).TWO_PASS ? 'slice of a tile. The reduction kernel follows' : 'tile'}.`,
      ]),
  ...(flagsOf(plan).PROGRAMMATIC
    ? [
        '// Programmatic dependent launch: the kernel may start before the previous kernel has finished.',
      ]
    : []),
];

/**
 * Prints the grid size: one cluster per cluster tile for split-K, one block per tile without warp
 * specialization, otherwise the resident blocks, at most one per tile.
 */
function gridLines(plan: PlanWithWgmma): readonly string[] {
  const { BATCHED, CLUSTERED, SPLIT, TWO_PASS } = flagsOf(plan);
  const deep = `${BATCHED ? ' * batch' : ''}${TWO_PASS ? ' * SPLIT_K' : ''}`;
  const tiles = [
    '  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);',
    `  const int ${CLUSTERED ? 'clusters' : 'tiles'} = rows * columns${deep};`,
  ];
  if (SPLIT) return [...tiles, '  const int blocks = clusters * CLUSTER;'];
  if (!isPersistent(plan.wgmma)) return [...tiles, '  const int blocks = tiles;'];
  if (!CLUSTERED) {
    return [
      ...tiles,
      '  int device, sms;',
      '  if (cudaError_t error = cudaGetDevice(&device)) return error;',
      '  if (cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) return error;',
      '  const int blocks = tiles < sms ? tiles : sms;',
    ];
  }
  return [
    ...tiles,
    '  cudaLaunchAttribute clusterShape{};',
    '  clusterShape.id = cudaLaunchAttributeClusterDimension;',
    '  clusterShape.val.clusterDim = {CLUSTER, 1, 1};',
    '  const cudaLaunchConfig_t oneCluster = {dim3(CLUSTER), dim3(THREADS), sharedBytes, stream, &clusterShape, 1};',
    '  int resident;',
    `  if (cudaError_t error = cudaOccupancyMaxActiveClusters(&resident, ${entryOf(plan)}, &oneCluster)) return error;`,
    '  const int blocks = (clusters < resident ? clusters : resident) * CLUSTER;',
  ];
}

/** Declares an argument of the launch function. */
const callerArgument = (plan: PlanWithWgmma, role: ArgumentRole): string =>
  role === 'workspace' ? `${workspaceType(plan)}* workspace` : declaredArgument(plan, role);

const passed = (role: ArgumentRole): string =>
  role in MAP ? MAP[role as keyof typeof MAP] : role.length === 1 ? role.toUpperCase() : role;

/**
 * Encoder of tensor maps. It obtains the driver function through the CUDA runtime, so that programs
 * need not link the driver.
 */
const MAKE_MAP = [
  '// Encodes a tensor map of `batch` matrices; strides are in bytes. TMA accesses the matrices in',
  '// boxes of boxInner x boxOuter elements.',
  'inline cudaError_t makeTensorMap(CUtensorMap* map, CUtensorMapDataType type, const void* matrix, uint64_t inner, uint64_t outer,',
  '                                 uint64_t stride, uint64_t batch, uint64_t batchStride, uint32_t boxInner, uint32_t boxOuter,',
  '                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, int rank) {',
  '  void* function = nullptr;',
  '  cudaDriverEntryPointQueryResult found;',
  '#if CUDART_VERSION >= 12050',
  '  cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);',
  '#else',
  '  cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);',
  '#endif',
  '  if (error != cudaSuccess) return error;',
  '  if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;',
  '  const cuuint64_t sizes[] = {inner, outer, batch}, strides[] = {stride, batchStride};',
  '  const cuuint32_t box[] = {boxInner, boxOuter, 1}, steps[] = {1, 1, 1};',
  '  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(',
  '      map, type, rank, const_cast<void*>(matrix), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,',
  '      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);',
  '  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;',
  '}',
  '',
];

const padded = (inner: string, unit: number): string =>
  `(${inner} + ${unit - 1}) / ${unit} * ${unit}`;

function mapCall(plan: PlanWithWgmma, mapped: MappedOperand): readonly string[] {
  const { dtypes, wgmma } = plan;
  // The second B of a gate has the boxes of B.
  const name = mapped === 'gate' ? 'b' : mapped;
  const gate = mapped === 'gate' ? gateIn(plan) : undefined;
  const [outer, inner] = copySideNames(plan, name);
  const element = name === 'c' ? dtypes.c : wgmma.element;
  const bytes = DTYPE_BYTES[element];
  const { swizzleBytes, repacked } = boxOf(plan, name);
  const capital = name.toUpperCase();
  const unit = REPACKED_PITCH_BYTES / bytes;
  const packed = plan.spec.problem[gate?.layout === 'row' ? 'n' : 'k'];
  const ownPitch = gate === undefined ? `ld${name}` : gate.ld === packed ? inner : String(gate.ld);
  const pitch = `uint64_t(${repacked === undefined ? ownPitch : padded(inner, unit)})`;
  const { BATCHED, EMULATED } = flagsOf(plan);
  const isSplit = EMULATED && name !== 'c';
  const matrices = [...(BATCHED ? ['batch'] : []), ...(isSplit ? ['TERMS'] : [])].join(' * ');
  const stride =
    repacked === undefined
      ? gate === undefined
        ? `uint64_t(stride${capital})`
        : `uint64_t(${outer}) * ${ownPitch}`
      : `uint64_t(${outer}) * (${padded(inner, unit)})`;
  const behind =
    name === 'b' && wgmma.a.repacked !== undefined ? ` + ${relaidElements(plan, 'a')}` : '';
  const own = gate === undefined ? capital : gate.name;
  const matrix = repacked === undefined ? own : `workspace${behind}`;
  const times = name === 'c' ? ' * sizeof(*C)' : ' * ELEMENT_BYTES';
  const [boxInner, boxOuter] = boxText(plan, name);
  return [
    `  if (cudaError_t error = makeTensorMap(&${MAP[TENSOR_MAP_ROLES[mapped]]}, CU_TENSOR_MAP_DATA_TYPE_${MAP_TYPES[element] ?? ''}, ${matrix}, ${inner}, ${outer}, ${pitch}${times},`,
    `                                        ${matrices === '' ? '/*batch*/ 1, /*batchStride*/ 0' : `${matrices}, ${stride}${times}`}, ${boxInner}, ${boxOuter}, CU_TENSOR_MAP_SWIZZLE_${swizzleBytes}B,`,
    `                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, ${matrices === '' ? 2 : 3})) {`,
    '    return error;',
    '  }',
  ];
}

function residualMapCall(plan: PlanWithWgmma): readonly string[] {
  const { dtypes, spec } = plan;
  const source = sourceNameOf(plan);
  const operand = elementOperands(spec.problem).find(({ name }) => name === source);
  if (operand === undefined) return [];
  const [outer, inner] = copySideNames(plan, 'c');
  const { swizzleBytes } = boxOf(plan, 'c');
  const pitch = `uint64_t(${strideOf(plan, operand)}) * sizeof(*${operand.name})`;
  const batch = flagsOf(plan).BATCHED
    ? `batch, ${outer} * ${pitch}`
    : '/*batch*/ 1, /*batchStride*/ 0';
  const [boxInner, boxOuter] = boxText(plan, 'c');
  return [
    `  if (cudaError_t error = makeTensorMap(&mapResidual, CU_TENSOR_MAP_DATA_TYPE_${MAP_TYPES[dtypes.c] ?? ''}, ${operand.name}, ${inner}, ${outer}, ${pitch},`,
    `                                        ${batch}, ${boxInner}, ${boxOuter}, CU_TENSOR_MAP_SWIZZLE_${swizzleBytes}B,`,
    `                                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, ${flagsOf(plan).BATCHED ? 3 : 2})) {`,
    '    return error;',
    '  }',
  ];
}

function boxText(plan: PlanWithWgmma, name: 'a' | 'b' | 'c'): readonly [string, string] {
  if (name === 'c')
    return plan.spec.problem.c.layout === 'row'
      ? ['STORE_COLUMNS', 'BOX_ROWS']
      : ['BOX_ROWS', 'STORE_COLUMNS'];
  const { major, share } = plan.wgmma[name];
  const divided = (constant: string): string =>
    share === 1 ? constant : `${constant} / ${name === 'a' ? 'CLUSTER_N' : 'CLUSTER_M'}`;
  return major === 'k'
    ? ['BK', divided(name === 'a' ? 'BM' : 'BN')]
    : [panelSide(name), divided('BK')];
}

function relaidElements(plan: PlanWithWgmma, name: 'a' | 'b'): string {
  const { spec, wgmma } = plan;
  const [outer, inner] = copySideNames(plan, name);
  const unit = REPACKED_PITCH_BYTES / DTYPE_BYTES[wgmma.element];
  const terms = wgmma.fp32Emulation === undefined ? '' : 'TERMS * ';
  const batch = `${spec.problem.batch === 1 ? '' : 'batch * '}${terms}`;
  return `size_t{1} * ${batch}${outer} * (${padded(inner, unit)})`;
}

export function boxOf(
  { wgmma }: PlanWithWgmma,
  name: 'a' | 'b' | 'c',
): Pick<BoxedOperand, 'box' | 'swizzleBytes' | 'repacked'> {
  if (name !== 'c') return wgmma[name];
  const { output } = wgmma;
  if (output.by !== 'tma') throw new Error('C is not stored by TMA');
  return { box: output.box, swizzleBytes: output.swizzleBytes };
}

function relayoutCall(plan: PlanWithWgmma, ir: PrePass['ir']): readonly string[] {
  const name = ir.operands.includes('a') ? 'a' : 'b';
  const [outer, inner] = copySideNames(plan, name);
  const blocks = (size: string, each: string): string => `(${size} + ${each} - 1) / ${each}`;
  const [word] = repackedWord(plan, name).constants;
  const perThread = `COPY_WORDS${word === undefined ? '' : ` * ${word.name}`}`;
  const grid = isTransposedCopy(plan.wgmma[name])
    ? [blocks(outer, 'TRANSPOSE_TILE'), blocks(inner, 'TRANSPOSE_TILE')]
    : [
        blocks(outer, `(COPY_THREADS / ${rowThreadsName(name)})`),
        blocks(inner, `(${rowThreadsName(name)} * ${perThread})`),
      ];
  const extents = [...grid, ...(plan.spec.problem.batch === 1 ? [] : ['batch'])].join(', ');
  if (flagsOf(plan).PROGRAMMATIC) {
    const config = `copy${name.toUpperCase()}`;
    const values = cudaArguments(ir).map(passed).join(', ');
    return [
      `  const cudaLaunchConfig_t ${config} = {dim3(${extents}), dim3(COPY_THREADS), 0, stream, &programmaticLaunch, 1};`,
      `  if (cudaError_t error = cudaLaunchKernelEx(&${config}, ${ir.entry}, ${values})) return error;`,
    ];
  }
  return [
    `  ${ir.entry}<<<dim3(${extents}), COPY_THREADS, 0, stream>>>(${cudaArguments(ir).map(passed).join(', ')});`,
  ];
}
