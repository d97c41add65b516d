/** The CUDA C++ dialect. */
import { add, int, mul } from '../ir/expr';
import type { KernelIr, SharedArray } from '../ir/ir';
import { WIDEST_BYTES } from '../plan/lanes';
import { DTYPE_BYTES, type DType } from '../spec/dtype';
import { constantLines, sharedExtents, type Dialect, type Move, type Printer } from './dialect';
import { helpersOf, includesOf, moveName } from './cudaHelpers';
import { convertedText, cudaType as typeOf, vectorType } from './cudaTypes';
import type { ArgumentRole } from './kernel';

const ZEROS: Readonly<Partial<Record<DType, string>>> = {
  ...{ f32: '0.0f', f64: '0.0', s32: '0', s8: '0' },
  ...{ f16: '__float2half(0.0f)', bf16: '__float2bfloat16(0.0f)' },
};

const PARAMETER: Readonly<Record<ArgumentRole, string>> = {
  ...{ a: 'A', b: 'B', c: 'C', m: 'M', n: 'N', k: 'K' },
  ...{ lda: 'lda', ldb: 'ldb', ldc: 'ldc', alpha: 'alpha', beta: 'beta' },
  ...{ strideA: 'strideA', strideB: 'strideB', strideC: 'strideC' },
};

export const cuda: Dialect = {
  type: typeOf,
  zero: dtype => ZEROS[dtype] ?? '0',
  parameter: role => PARAMETER[role],
  scalar: role => role,
  index: (space, axis) => `${space}Idx.${axis}`,
  letInt: (name, value) => `const int ${name} = ${value};`,
  // One factor in 64 bits makes the whole product 64 bits wide.
  letWide: (name, value) => `const size_t ${name} = size_t{1} * ${value};`,
  registers: (statement, printer) => {
    const { shape, dtype, vector = 1 } = statement;
    const extents = shape.map(extent => `[${printer.expr(extent)}]`).join('');
    const zero = shape.length === 0 ? (ZEROS[dtype] ?? '0') : '{}';
    const bytes = Math.min(WIDEST_BYTES, vector * DTYPE_BYTES[dtype]);
    const aligned = vector > 1 ? `alignas(${bytes}) ` : '';
    return [
      `${aligned}${typeOf(dtype)} ${statement.name}${extents}${statement.zeroed ? ` = ${zero}` : ''};`,
    ];
  },
  register: ({ name, index }, _declared, { width, printer }) => {
    const last = index.at(-1);
    // A vector that starts at the beginning of a row is the row.
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
  globalIndex: ({ outer, stride, inner, offset = int(0) }, _vector, printer) => {
    if (!printer.plan.wideOffsets) return printer.expr(add(offset, add(mul(outer, stride), inner)));
    const before = offset.op === 'int' ? '' : `${printer.expr(offset)} + `;
    // One factor in 64 bits makes the whole offset 64 bits wide.
    return `${before}static_cast<size_t>(${printer.expr(outer)}) * ${printer.expr(stride)} + ${printer.expr(inner)}`;
  },
  fma: ({ dtype, width, place, left, right, broadcast }) => {
    if (dtype !== 'f16') return `${place} += ${left} * ${right};`;
    if (width === 1) return `${place} = __hfma(${left}, ${right}, ${place});`;
    const factors = broadcast === 'right' ? [right, left] : [left, right];
    return `fma${width}(${[place, ...factors].join(', ')});`;
  },
  convert: (value, { from, to }) => convertedText(value, from, to),
  conditional: (condition, value, zero) => `${condition} ? ${value} : ${zero}`,
  barrier: '__syncthreads();',
  arrayVector: () => 1,
  move: ({ to, from, type }) => `${moveName(type)}(${address(to)}, ${address(from)});`,
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
  // Wide arithmetic is lowered to loops.
  broadcast: value => value,
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
      ...includesOf(ir, body),
      ...constantLines(ir, kernel, (name, value) => `constexpr int ${name} = ${value};`),
      '',
      ...helpersOf(printer.moves(), body),
      ...kernel,
    ];
  },
};

/** Registers of a vector are an address already. */
const address = (place: string): string =>
  place.startsWith('&') || !/^[A-Z]/.test(place) ? place : `&${place}`;

const indented = (lines: readonly string[]): readonly string[] => lines.map(line => `  ${line}`);

/** Parameters in the order of a BLAS call: sizes, then each operand with its leading dimension. */
export function cudaArguments(ir: KernelIr): readonly ArgumentRole[] {
  const has = (role: ArgumentRole) => (ir.parameters.includes(role) ? [role] : []);
  return [
    ...(['m', 'n', 'k'] as const),
    ...has('alpha'),
    ...(['a', 'lda', ...has('strideA'), 'b', 'ldb', ...has('strideB')] as const),
    ...has('beta'),
    ...(['c', 'ldc', ...has('strideC')] as const),
  ];
}

function signature(ir: KernelIr, { plan }: Printer): readonly string[] {
  const declare = (role: ArgumentRole): string => {
    if (role === 'a' || role === 'b')
      return `const ${typeOf(ir.dtypes[role])}* __restrict__ ${PARAMETER[role]}`;
    if (role === 'c') return `${typeOf(ir.dtypes.c)}* __restrict__ C`;
    const scalar = role === 'alpha' || role === 'beta';
    return scalar ? `${typeOf(ir.accumulator)} ${role}` : `int ${PARAMETER[role]}`;
  };
  const margin = ' '.repeat(ir.entry.length + 1);
  const groups = [
    ['m', 'n', 'k', 'alpha'],
    ...(ir.parameters.includes('strideA')
      ? ([['a', 'lda', 'strideA'] as const, ['b', 'ldb', 'strideB'] as const] as const)
      : [['a', 'lda', 'b', 'ldb'] as const]),
    ['beta', 'c', 'ldc', 'strideC'],
  ] as const;
  const lines = groups.map(group =>
    cudaArguments(ir)
      .filter(role => (group as readonly ArgumentRole[]).includes(role))
      .map(declare)
      .join(', '),
  );
  const bounds = plan.minBlocksPerSm === undefined ? 'THREADS' : `THREADS, ${plan.minBlocksPerSm}`;
  return [
    `extern "C" __global__ void __launch_bounds__(${bounds})`,
    `${ir.entry}(${lines.join(`,\n${margin}`)}) {`,
  ];
}

/** Up to 48 KiB is declared; more is carved from the memory passed at launch. */
function sharedDeclarations(ir: KernelIr, printer: Printer): readonly string[] {
  if (!printer.plan.dynamicShared) {
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
  const first = (extents[0] ?? [])
    .map(extent => (/^\w+$/.test(extent) ? extent : `(${extent})`))
    .join(' * ');
  return [
    `extern __shared__ __align__(${WIDEST_BYTES}) unsigned char shared[];`,
    ...ir.shared.map((array, i) =>
      i === 0
        ? `auto ${array.name} = ${pointer(array, i)}(shared);`
        : `auto ${array.name} = ${pointer(array, i)}(shared + ${first} * sizeof(${typeOf(ir.dtypes.a)}));`,
    ),
  ];
}
