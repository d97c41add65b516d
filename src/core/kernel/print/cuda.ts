/** CUDA C++ dialect of the printer. */
import { add, div, int, mul } from '../ir/expr';
import type { Expr, KernelIr, SharedArray } from '../ir/ir';
import { WORD_BYTES } from '../../plan/mma/fragments';
import { WIDEST_BYTES } from '../../plan/simt/lanes';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import {
  constantLines,
  sharedExtents,
  type Dialect,
  type Move,
  type Printer,
  type RegistersStatement,
} from './dialect';
import { fragmentHelpers, TAKE_TERM } from './cudaFragments';
import { cudaActivation, cudaActivations } from './activations';
import { EPILOGUE_OPERANDS, isEpilogueName, type EpilogueName } from '../../spec/epilogue';
import { bufferType } from '../../spec/resolved';
import { helpersOf, includesOf, moveName } from './cudaHelpers';
import { convertedText, cudaType as typeOf, vectorType } from './cudaTypes';
import type { ArgumentRole } from '../ir/arguments';

const ZEROS: Readonly<Partial<Record<DType, string>>> = {
  f32: '0.0f',
  tf32: '0.0f',
  f64: '0.0',
  s32: '0',
  s8: '0',
  f16: '__float2half(0.0f)',
  bf16: '__float2bfloat16(0.0f)',
  e4m3: '__nv_fp8_e4m3(0.0f)',
  e5m2: '__nv_fp8_e5m2(0.0f)',
};

const EPILOGUE_NAMES = Object.fromEntries(EPILOGUE_OPERANDS.map(name => [name, name])) as Readonly<
  Record<EpilogueName, EpilogueName>
>;

const PARAMETER: Readonly<Record<ArgumentRole, string>> = {
  a: 'A',
  b: 'B',
  c: 'C',
  m: 'M',
  n: 'N',
  k: 'K',
  batch: 'batch',
  lda: 'lda',
  ldb: 'ldb',
  ldc: 'ldc',
  alpha: 'alpha',
  beta: 'beta',
  strideA: 'strideA',
  strideB: 'strideB',
  strideC: 'strideC',
  workspace: 'workspace',
  tensorMapA: 'tensorMapA',
  tensorMapB: 'tensorMapB',
  tensorMapC: 'tensorMapC',
  tensorMapResidual: 'tensorMapResidual',
  tensorMapB2: 'tensorMapB2',
  ...EPILOGUE_NAMES,
};

/** Name of the constant with the mask of all lanes of a warp; the helpers declare the constant. */
const ALL_LANES = 'ALL_LANES';

export const cuda: Dialect = {
  type: typeOf,
  zero: dtype => ZEROS[dtype] ?? '0',
  parameter: role => PARAMETER[role],
  scalar: role => role,
  global: operand => PARAMETER[operand],
  index: (space, axis) => `${space}Idx.${axis}`,
  warp: '(threadIdx.x / 32)',
  lane: '(threadIdx.x % 32)',
  letInt: (name, value) => `const int ${name} = ${value};`,
  varInt: (name, value) => `int ${name} = ${value};`,
  // One 64-bit factor makes the result 64 bits wide.
  letWide: (name, value) => `const size_t ${name} = size_t{1} * ${value};`,
  registers: (statement, printer) => {
    const { shape, dtype, vector = 1 } = statement;
    if (statement.packed)
      return [`uint32_t ${statement.name}${packedExtents(statement, printer)};`];
    const extents = shape.map(extent => `[${printer.expr(extent)}]`).join('');
    const zero = shape.length === 0 ? (ZEROS[dtype] ?? '0') : '{}';
    const bytes = Math.min(WIDEST_BYTES, vector * DTYPE_BYTES[dtype]);
    const aligned = vector > 1 ? `alignas(${bytes}) ` : '';
    return [
      `${aligned}${typeOf(dtype)} ${statement.name}${extents}${statement.zeroed ? ` = ${zero}` : ''};`,
    ];
  },
  register: ({ name, index: elements }, declared, { width, printer }) => {
    const words = declared.packed ? WORD_BYTES / DTYPE_BYTES[declared.dtype] : 1;
    const index = elements.map((at, i) => (i === elements.length - 1 ? inWords(at, words) : at));
    const last = index.at(-1);
    // A vector at the start of a row needs no address operator: the row decays to a pointer.
    const row = width > 1 && last?.op === 'int' && last.value === 0;
    const subscripts = row ? index.slice(0, -1) : index;
    const text = name + subscripts.map(at => `[${printer.expr(at)}]`).join('');
    return width > 1 && !row ? `&${text}` : text;
  },
  forHead: (loop, printer) => {
    const { index } = loop;
    const one = loop.step.op === 'int' && loop.step.value === 1;
    const step = one ? `++${index}` : `${index} += ${printer.expr(loop.step)}`;
    const head = `for (int ${index} = ${printer.expr(loop.from)}; ${index} < ${printer.expr(loop.to)}; ${step}) {`;
    return loop.unroll ? ['#pragma unroll', head] : [head];
  },
  globalIndex: ({ site, outer, stride, inner, offset = int(0) }, _vector, printer) => {
    if (!printer.options.wideOffsets.includes(site.operand))
      return printer.expr(add(offset, add(mul(outer, stride), inner)));
    // One 64-bit factor makes the offset 64 bits wide.
    const row = `static_cast<size_t>(${printer.expr(outer)}) * ${printer.expr(stride, '*')}`;
    const before = offset.op === 'int' ? '' : `${printer.expr(offset)} + `;
    return `${before}${row} + ${printer.expr(inner, '+')}`;
  },
  fma: ({ dtype, width, place, left, right, broadcast }) => {
    if (dtype !== 'f16') return `${place} += ${left} * ${right};`;
    if (width === 1) return `${place} = __hfma(${left}, ${right}, ${place});`;
    const factors = broadcast === 'right' ? [right, left] : [left, right];
    return `fma${width}(${[place, ...factors].join(', ')});`;
  },
  convert: (value, { from, to }) => convertedText(value, from, to),
  activation: (of, value, { dtype }) => cudaActivation(of, value, dtype),
  conditional: (condition, value, zero) => `${condition} ? ${value} : ${zero}`,
  select: (condition, value, otherwise) => `${condition} ? ${value} : ${otherwise}`,
  barrier: '__syncthreads();',
  arrayVector: () => 1,
  move: ({ to, from, type }) => `${moveName(type)}(${address(to)}, ${address(from)});`,
  addAtomically: (to, value) => `atomicAdd(&${to}, ${value});`,
  moveAsynchronously: ({ to, from, type: { width, to: dtype } }: Move) => {
    const size = vectorType(dtype, width);
    return [
      `__pipeline_memcpy_async(${address(to)},`,
      `                        ${address(from)}, sizeof(${size}));`,
    ];
  },
  letValue: () => null,
  commit: '__pipeline_commit();',
  wait: pending => `__pipeline_wait_prior(${pending});`,
  // The functions are declared in shaders/cuda/wgmma/barriers.cuh.
  gridDependency: action =>
    ({ wait: 'waitForPriorGrid();', launch: 'launchDependents();' })[action],
  // All lanes of the warp participate; each quad reads the value from one of its lanes.
  quadBroadcast: (value, lane) => `__shfl_sync(${ALL_LANES}, ${value}, ${lane}, QUAD)`,
  shuffleXor: (value, mask) => `__shfl_xor_sync(${ALL_LANES}, ${value}, ${mask})`,
  // In CUDA, matrices are per-lane fragments.
  matrices: () => withoutMatrices(),
  matrix: () => withoutMatrices(),
  loadMatrix: () => withoutMatrices(),
  storeMatrix: () => withoutMatrices(),
  multiplyMatrices: () => withoutMatrices(),
  loadRows: (to, from, { matrices, transposed }) =>
    `ldmatrix${matrices}${transposed ? 'Trans' : ''}(${to}, &${from});`,
  multiplyFragments: (place, left, right) => `mma(${place}, ${left}, ${right});`,
  takePiece: (place, rest) => `${place} = ${TAKE_TERM}(${rest});`,
  broadcast: value => value,
  lanes: () => {
    throw new Error('CUDA stores non-adjacent elements one by one');
  },
  file: (ir, body, printer) => {
    const kernel = [
      ...signature(ir, printer),
      ...indented(sharedDeclarations(ir, printer)),
      ...(ir.shared.length > 0 ? [''] : []),
      ...body,
      '}',
      '',
    ];
    return [
      // Other kernels of wgmma are added to a file that contains the includes.
      ...(ir.pass === 'relayout' || ir.helpers === 'declared' ? [] : includesOf(ir, body)),
      ...constantLines(ir, kernel, (name, value) => `constexpr int ${name} = ${value};`),
      '',
      ...(ir.helpers === 'declared' ? [] : helpersOf(printer.moves(), body)),
      ...cudaActivations(body, { accumulator: ir.accumulator, output: ir.dtypes.c }),
      ...fragmentHelpers(ir, body),
      ...kernel,
    ];
  },
};

const packedExtents = ({ shape, dtype }: RegistersStatement, printer: Printer): string =>
  shape
    .map((extent, i) =>
      i === shape.length - 1 ? inWords(extent, WORD_BYTES / DTYPE_BYTES[dtype]) : extent,
    )
    .map(extent => `[${printer.expr(extent)}]`)
    .join('');

const inWords = (index: Expr, words: number): Expr =>
  index.op === 'int' ? int(index.value / words) : div(index, int(words));

function withoutMatrices(): never {
  throw new Error('CUDA kernels hold matrices as fragments');
}

/** Returns the address of an element; a register vector is a pointer and needs no operator. */
const address = (place: string): string =>
  place.startsWith('&') || !/^([A-Z]|workspace|epilogue)/.test(place) ? place : `&${place}`;

const inProduct = (extent: string): string => (/^\w+$/.test(extent) ? extent : `(${extent})`);

const indented = (lines: readonly string[]): readonly string[] => lines.map(line => `  ${line}`);

/**
 * Returns the parameters in the order of a BLAS call: extents, then each operand with its leading
 * dimension.
 */
export const cudaArguments = (ir: KernelIr): readonly ArgumentRole[] => linesOfArguments(ir).flat();

export function linesOfArguments(ir: KernelIr): readonly (readonly ArgumentRole[])[] {
  const passed: readonly ArgumentRole[] = [...ir.operands, ...ir.parameters];
  const lines: readonly (readonly ArgumentRole[])[] = [
    ['m', 'n', 'k', 'batch', 'alpha'],
    ...(ir.parameters.includes('strideA') || ir.parameters.includes('strideB')
      ? ([['a', 'lda', 'strideA'] as const, ['b', 'ldb', 'strideB'] as const] as const)
      : [['a', 'lda', 'b', 'ldb'] as const]),
    ['workspace' as const],
    ['beta', 'c', 'ldc', 'strideC'] as const,
    EPILOGUE_OPERANDS,
  ];
  return lines
    .map(line => line.filter(role => passed.includes(role)))
    .filter(line => line.length > 0);
}

export function declaredParameter(ir: KernelIr, role: ArgumentRole): string {
  const isBuffer = role === 'c' || role === 'workspace';
  const isInput = role === 'a' || role === 'b' || isEpilogueName(role);
  if (isBuffer || isInput) {
    const isRead = isInput || (role === 'workspace' && ir.pass === 'reduce');
    const type = typeOf(bufferType(ir.dtypes, role));
    return `${isRead ? 'const ' : ''}${type}* __restrict__ ${PARAMETER[role]}`;
  }
  const scalar = role === 'alpha' || role === 'beta';
  return scalar ? `${typeOf(ir.accumulator)} ${role}` : `int ${PARAMETER[role]}`;
}

function signature(ir: KernelIr, { options }: Printer): readonly string[] {
  const margin = ' '.repeat(ir.entry.length + 1);
  const lines = linesOfArguments(ir).map(line =>
    line.map(role => declaredParameter(ir, role)).join(', '),
  );
  const threads = blockThreads(ir);
  const isBounded = ir.pass === undefined && options.boundsBlocks;
  const bounds = isBounded ? `${threads}, MIN_BLOCKS_PER_SM` : threads;
  return [
    `extern "C" __global__ void __launch_bounds__(${bounds})`,
    `${ir.entry}(${lines.join(`,\n${margin}`)}) {`,
  ];
}

const blockThreads = ({ pass }: KernelIr): string =>
  pass === undefined ? 'THREADS' : pass === 'relayout' ? 'COPY_THREADS' : 'RM * RN';

/**
 * Declares shared memory: static arrays, or sections of the launch's dynamic shared memory if the
 * kernel uses it.
 */
function sharedDeclarations(ir: KernelIr, printer: Printer): readonly string[] {
  if (ir.shared.length === 0) return [];
  if (!printer.options.dynamicShared || ir.pass !== undefined) {
    return ir.shared.map(array => {
      const extents = sharedExtents(array, printer).map(extent => `[${extent}]`);
      const bytes = (array.vector ?? 1) * DTYPE_BYTES[array.dtype];
      const aligned = array.vector === undefined ? '' : `__align__(${bytes}) `;
      return `__shared__ ${aligned}${typeOf(array.dtype)} ${array.name}${extents.join('')};`;
    });
  }
  const extents = ir.shared.map(array => sharedExtents(array, printer));
  const pointer = ({ dtype }: SharedArray, i: number) =>
    `reinterpret_cast<${typeOf(dtype)}(*)${(extents[i] ?? [])
      .slice(1)
      .map(extent => `[${extent}]`)
      .join('')}>`;
  const bytes = ir.shared.map(({ dtype }, i) =>
    [...(extents[i] ?? []).map(inProduct), `sizeof(${typeOf(dtype)})`].join(' * '),
  );
  return [
    `extern __shared__ __align__(${WIDEST_BYTES}) unsigned char shared[];`,
    ...ir.shared.map(
      (array, i) =>
        `auto ${array.name} = ${pointer(array, i)}(${['shared', ...bytes.slice(0, i)].join(' + ')});`,
    ),
  ];
}
