/** The function of the emitted file that makes the tensor maps and launches: for whoever calls the kernel from C++. */
import { isTurned, STORED_ROWS, TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmma';
import type { BoxedOperand } from '../../plan/plan';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { cudaType } from '../print/cudaTypes';
import type { Relayout } from '../lower/relayout';
import { cudaArguments } from '../print/cuda';
import type { ArgumentRole } from '../ir/arguments';
import { givenRole } from './computed';
import { declaredArgument, ENTRY, flagsOf, argumentLines, MAP, type GroupPlan } from './pieces';

export const LAUNCH_FUNCTION = `${ENTRY}_launch`;

/** What the caller passes, in the order of a BLAS call, a line of the signature each. */
export function callerLines(plan: GroupPlan): readonly (readonly ArgumentRole[])[] {
  const { BATCHED, SCALED, BETA } = flagsOf(plan);
  const operand = <R extends ArgumentRole>(...roles: readonly [R, R, R]): readonly R[] =>
    BATCHED ? roles : roles.slice(0, 2);
  return [
    [
      'm',
      'n',
      'k',
      ...(BATCHED ? (['batch'] as const) : []),
      ...(SCALED ? (['alpha'] as const) : []),
    ],
    [...operand('a', 'lda', 'strideA'), ...operand('b', 'ldb', 'strideB')],
    [...(BETA ? (['beta'] as const) : []), ...operand('c', 'ldc', 'strideC')],
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

/** `computed`: the same plan, or that of the transposed product. */
export function hostText(
  plan: GroupPlan,
  computed: GroupPlan,
  before: readonly Relayout[],
): readonly string[] {
  const isSwapped = plan.wgmma.operandOrder === 'ba';
  return [
    '#ifndef __CUDACC_RTC__',
    ...MAKE_MAP,
    ...launchFunction(
      computed,
      before,
      isSwapped ? `${LAUNCH_FUNCTION}_transposed` : LAUNCH_FUNCTION,
    ),
    ...(isSwapped ? ['', ...swappingFunction(plan)] : []),
    '#endif',
    '',
  ];
}

function signatureOf(plan: GroupPlan, name: string): readonly string[] {
  const head = `inline cudaError_t ${name}(`;
  const margin = ' '.repeat(head.length);
  const lines = callerLines(plan).map(line =>
    line.map(role => callerArgument(plan, role)).join(', '),
  );
  return [`${head}${lines.join(`,\n${margin}`)},`, `${margin}cudaStream_t stream) {`];
}

/** As whoever calls knows the matrices. */
function swappingFunction(plan: GroupPlan): readonly string[] {
  const given = givenRole(plan);
  const values = callerLines(plan).flat().map(given).map(passed);
  return [
    '// C = A * B by way of the transposed product: B first, and N for M.',
    ...signatureOf(plan, LAUNCH_FUNCTION),
    `  return ${LAUNCH_FUNCTION}_transposed(${values.join(', ')}, stream);`,
    '}',
  ];
}

function launchFunction(
  plan: GroupPlan,
  before: readonly Relayout[],
  name: string,
): readonly string[] {
  const { TMA_STORE } = flagsOf(plan);
  const maps = ['a', 'b', ...(TMA_STORE ? (['c'] as const) : [])] as const;
  return [
    ...aboutLaunch(plan),
    ...(before.length === 0
      ? []
      : [
          plan.wgmma.pieces === undefined
            ? '// Before, what TMA or the instruction cannot take as it lies is copied to the workspace.'
            : `// Before, A and B are split into ${plan.wgmma.pieces.count} matrices each, in the workspace.`,
        ]),
    ...signatureOf(plan, name),
    `  CUtensorMap ${maps.map(name => `map${name.toUpperCase()}`).join(', ')};`,
    ...maps.flatMap(name => mapCall(plan, name)),
    ...before.flatMap(({ ir }) => relayoutCall(plan, ir)),
    `  constexpr int sharedBytes = ${plan.sharedBytes};`,
    `  if (cudaError_t error = cudaFuncSetAttribute(${ENTRY}, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes)) return error;`,
    ...gridLines(plan),
    ...launchLines(plan),
    '}',
  ];
}

function launchLines(plan: GroupPlan): readonly string[] {
  const values = argumentLines(plan).flat().map(passed).join(', ');
  if (!flagsOf(plan).PROGRAMMATIC) {
    return [
      `  ${ENTRY}<<<blocks, THREADS, sharedBytes, stream>>>(${values});`,
      '  return cudaGetLastError();',
    ];
  }
  return [
    '  cudaLaunchAttribute early{};',
    '  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;',
    '  early.val.programmaticStreamSerializationAllowed = 1;',
    '  const cudaLaunchConfig_t config = {dim3(blocks), dim3(THREADS), sharedBytes, stream, &early, 1};',
    `  return cudaLaunchKernelEx(&config, ${ENTRY}, ${values});`,
  ];
}

/** What the launch function says of itself. */
const aboutLaunch = (plan: GroupPlan): readonly string[] => [
  flagsOf(plan).SPLIT
    ? '// Makes the tensor maps and launches a cluster for each tile, or tiles that share what they load.'
    : '// Makes the tensor maps and launches as many blocks as the GPU holds, as far as there are tiles.',
  ...(flagsOf(plan).PROGRAMMATIC
    ? [
        '// The kernel may begin while the one before it in the stream ends (programmatic dependent launch).',
      ]
    : []),
];

/** How many blocks: those of parts of K have a tile each, others as many as there are tiles for. */
function gridLines(plan: GroupPlan): readonly string[] {
  const { BATCHED, CLUSTERED, SPLIT } = flagsOf(plan);
  const tiles = [
    '  const int rows = (M + BM * CLUSTER_M - 1) / (BM * CLUSTER_M), columns = (N + BN * CLUSTER_N - 1) / (BN * CLUSTER_N);',
    `  const int ${CLUSTERED ? 'clusters' : 'tiles'} = rows * columns${BATCHED ? ' * batch' : ''};`,
  ];
  if (SPLIT) return [...tiles, '  const int blocks = clusters * CLUSTER;'];
  if (!CLUSTERED) {
    return [
      ...tiles,
      '  int device, held;',
      '  if (cudaError_t error = cudaGetDevice(&device)) return error;',
      '  if (cudaError_t error = cudaDeviceGetAttribute(&held, cudaDevAttrMultiProcessorCount, device)) return error;',
      '  const int blocks = tiles < held ? tiles : held;',
    ];
  }
  return [
    ...tiles,
    '  cudaLaunchAttribute shape{};',
    '  shape.id = cudaLaunchAttributeClusterDimension;',
    '  shape.val.clusterDim = {CLUSTER, 1, 1};',
    '  const cudaLaunchConfig_t one = {dim3(CLUSTER), dim3(THREADS), sharedBytes, stream, &shape, 1};',
    '  int held;',
    `  if (cudaError_t error = cudaOccupancyMaxActiveClusters(&held, ${ENTRY}, &one)) return error;`,
    '  const int blocks = (clusters < held ? clusters : held) * CLUSTER;',
  ];
}

/** A workspace holds elements of A and B, or what they are split into. */
const callerArgument = (plan: GroupPlan, role: ArgumentRole): string =>
  role === 'workspace'
    ? `${cudaType(plan.wgmma.element)}* workspace`
    : declaredArgument(plan, role);

const passed = (role: ArgumentRole): string =>
  role in MAP ? MAP[role as keyof typeof MAP] : role.length === 1 ? role.toUpperCase() : role;

/** Any CUDA program has the runtime; of the driver it needs one function, which the runtime finds. */
const MAKE_MAP = [
  '// A map of `batch` matrices, strides in bytes, of which TMA moves boxes of boxInner x boxOuter elements.',
  'inline cudaError_t makeTensorMap(CUtensorMap* map, CUtensorMapDataType type, const void* matrix, uint64_t inner, uint64_t outer,',
  '                                 uint64_t pitch, uint64_t batch, uint64_t batchPitch, uint32_t boxInner, uint32_t boxOuter,',
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
  '  const cuuint64_t sizes[] = {inner, outer, batch}, strides[] = {pitch, batchPitch};',
  '  const cuuint32_t box[] = {boxInner, boxOuter, 1}, steps[] = {1, 1, 1};',
  '  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(',
  '      map, type, rank, const_cast<void*>(matrix), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,',
  '      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);',
  '  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;',
  '}',
  '',
];

/** Rows of memory, and elements of one, as the launch function calls them. */
const SIDES = {
  a: { row: ['M', 'K'], col: ['K', 'M'] },
  b: { row: ['K', 'N'], col: ['N', 'K'] },
  c: { row: ['M', 'N'], col: ['N', 'M'] },
} as const;

/** The same of what TMA reads: of a transposed copy, columns of the matrix. */
function sidesOf({ spec, wgmma }: GroupPlan, name: 'a' | 'b' | 'c'): readonly [string, string] {
  const [outer, inner] = SIDES[name][spec.problem[name].layout];
  return name !== 'c' && isTurned(wgmma[name]) ? [inner, outer] : [outer, inner];
}

/** Elements of a row whose end TMA can count. */
const padded = (inner: string, unit: number): string =>
  `(${inner} + ${unit - 1}) / ${unit} * ${unit}`;

function mapCall(plan: GroupPlan, name: 'a' | 'b' | 'c'): readonly string[] {
  const { dtypes, wgmma } = plan;
  const [outer, inner] = sidesOf(plan, name);
  const element = name === 'c' ? dtypes.c : wgmma.element;
  const bytes = DTYPE_BYTES[element];
  const { box, swizzleBytes, relaid } = boxOf(plan, name);
  const capital = name.toUpperCase();
  const unit = TMA_STRIDE_BYTES / bytes;
  const pitch = relaid === undefined ? `uint64_t(ld${name})` : `uint64_t(${padded(inner, unit)})`;
  const { BATCHED, PIECED } = flagsOf(plan);
  const pieces = PIECED && name !== 'c';
  const matrices = [...(BATCHED ? ['batch'] : []), ...(pieces ? ['PIECES'] : [])].join(' * ');
  const stride =
    relaid === undefined
      ? `uint64_t(stride${capital})`
      : `uint64_t(${outer}) * (${padded(inner, unit)})`;
  const behind =
    name === 'b' && wgmma.a.relaid !== undefined ? ` + ${relaidElements(plan, 'a')}` : '';
  const matrix = relaid === undefined ? capital : `workspace${behind}`;
  const times = bytes === 1 ? '' : ` * ${bytes}`;
  const promotion = swizzleBytes === 128 ? '256B' : '128B';
  return [
    `  if (cudaError_t error = makeTensorMap(&map${capital}, CU_TENSOR_MAP_DATA_TYPE_${MAP_TYPES[element] ?? ''}, ${matrix}, ${inner}, ${outer}, ${pitch}${times},`,
    `                                        ${matrices === '' ? '1, 0' : `${matrices}, ${stride}${times}`}, ${box[0]}, ${box[1]}, CU_TENSOR_MAP_SWIZZLE_${swizzleBytes}B,`,
    `                                        CU_TENSOR_MAP_L2_PROMOTION_L2_${promotion}, ${matrices === '' ? 2 : 3})) {`,
    '    return error;',
    '  }',
  ];
}

function relaidElements(plan: GroupPlan, name: 'a' | 'b'): string {
  const { spec, wgmma } = plan;
  const [outer, inner] = sidesOf(plan, name);
  const unit = TMA_STRIDE_BYTES / DTYPE_BYTES[wgmma.element];
  const pieces = wgmma.pieces === undefined ? '' : 'PIECES * ';
  const batch = `${spec.problem.batch === 1 ? '' : 'batch * '}${pieces}`;
  return `size_t{1} * ${batch}${outer} * (${padded(inner, unit)})`;
}

/** What TMA is told of an operand. */
export function boxOf(
  { wgmma }: GroupPlan,
  name: 'a' | 'b' | 'c',
): Pick<BoxedOperand, 'box' | 'swizzleBytes' | 'relaid'> {
  if (name !== 'c') return wgmma[name];
  const { output } = wgmma;
  if (output.by !== 'tma') throw new Error('C is stored from registers');
  return { box: [output.columns, STORED_ROWS], swizzleBytes: output.swizzleBytes };
}

function relayoutCall(plan: GroupPlan, ir: Relayout['ir']): readonly string[] {
  const name = ir.operands.includes('a') ? 'a' : 'b';
  const [outer, inner] = sidesOf(plan, name);
  const blocks = (size: string, each: string): string => `(${size} + ${each} - 1) / ${each}`;
  const grid = isTurned(plan.wgmma[name])
    ? [blocks(outer, 'TURN'), blocks(inner, 'TURN')]
    : [outer, blocks(inner, 'COPY_THREADS')];
  const extents = [...grid, ...(plan.spec.problem.batch === 1 ? [] : ['batch'])].join(', ');
  return [
    `  ${ir.entry}<<<dim3(${extents}), COPY_THREADS, 0, stream>>>(${cudaArguments(ir).map(passed).join(', ')});`,
  ];
}
