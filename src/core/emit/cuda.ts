/** The CUDA C++ dialect. */
import { add, mul } from '../ir/expr';
import type { KernelIr } from '../ir/ir';
import { DTYPE_BYTES, type DType } from '../spec/dtype';
import type { Dialect, Printer } from './dialect';
import { sharedExtent } from './dialect';
import type { ArgumentRole } from './kernel';

const TYPES: Readonly<Partial<Record<DType, string>>> = { f32: 'float', f64: 'double', s32: 'int' };
const ZEROS: Readonly<Partial<Record<DType, string>>> = { f32: '0.0f', f64: '0.0', s32: '0' };

const typeOf = (dtype: DType): string => TYPES[dtype] ?? dtype;

const PARAMETER: Readonly<Record<ArgumentRole, string>> = {
  ...{ a: 'A', b: 'B', c: 'C', m: 'M', n: 'N', k: 'K' },
  ...{ lda: 'lda', ldb: 'ldb', ldc: 'ldc', alpha: 'alpha', beta: 'beta' },
};

export const cuda: Dialect = {
  type: typeOf,
  zero: dtype => ZEROS[dtype] ?? '0',
  parameter: role => PARAMETER[role],
  index: (space, axis) => `${space}Idx.${axis}`,
  letInt: (name, value) => `const int ${name} = ${value};`,
  registers: (statement, printer) => {
    const shape = statement.shape.map(extent => `[${printer.expr(extent)}]`).join('');
    const zero = statement.shape.length === 0 ? (ZEROS[statement.dtype] ?? '0') : '{}';
    return `${typeOf(statement.dtype)} ${statement.name}${shape}${statement.zeroed ? ` = ${zero}` : ''};`;
  },
  forHead: (loop, printer) => {
    const { index } = loop;
    const one = loop.step.op === 'int' && loop.step.value === 1;
    const step = one ? `++${index}` : `${index} += ${printer.expr(loop.step)}`;
    const head = `for (int ${index} = ${printer.expr(loop.from)}; ${index} < ${printer.expr(loop.to)}; ${step}) {`;
    return loop.unroll ? ['#pragma unroll', head] : [head];
  },
  globalIndex: ({ outer, stride, inner }, printer) => {
    if (!printer.plan.wideOffsets) return printer.expr(add(mul(outer, stride), inner));
    // One factor in 64 bits makes the whole offset 64 bits wide.
    return `static_cast<size_t>(${printer.expr(outer)}) * ${printer.expr(stride)} + ${printer.expr(inner)}`;
  },
  fma: (_dtype, place, left, right) => `${place} += ${left} * ${right};`,
  conditional: (condition, value, zero) => `${condition} ? ${value} : ${zero}`,
  barrier: '__syncthreads();',
  file: (ir, body, printer) => [
    ...constants(ir),
    '',
    ...signature(ir, printer),
    ...indented(sharedDeclarations(ir, printer)),
    ...(ir.shared.length > 0 ? [''] : []),
    ...body,
    '}',
    '',
  ],
};

const indented = (lines: readonly string[]): readonly string[] => lines.map(line => `  ${line}`);

function constants(ir: KernelIr): readonly string[] {
  const declarations = ir.constants.map(({ name, value }) => `constexpr int ${name} = ${value};`);
  const width = Math.max(...declarations.map(text => text.length));
  return ir.constants.map(
    ({ comment }, i) => `${(declarations[i] ?? '').padEnd(width)}  // ${comment}`,
  );
}

/** Parameters in the order of a BLAS call: sizes, then each operand with its leading dimension. */
export function cudaArguments(ir: KernelIr): readonly ArgumentRole[] {
  const has = (role: ArgumentRole) => (ir.parameters.includes(role) ? [role] : []);
  return [
    ...(['m', 'n', 'k'] as const),
    ...has('alpha'),
    ...(['a', 'lda', 'b', 'ldb'] as const),
    ...has('beta'),
    ...(['c', 'ldc'] as const),
  ];
}

function signature(ir: KernelIr, { plan }: Printer): readonly string[] {
  const type = typeOf(ir.dtype);
  const declare = (role: ArgumentRole): string => {
    if (role === 'a' || role === 'b') return `const ${type}* __restrict__ ${PARAMETER[role]}`;
    if (role === 'c') return `${type}* __restrict__ C`;
    return role === 'alpha' || role === 'beta' ? `${type} ${role}` : `int ${PARAMETER[role]}`;
  };
  const margin = ' '.repeat(ir.entry.length + 1);
  const groups = [
    ['m', 'n', 'k', 'alpha'],
    ['a', 'lda', 'b', 'ldb'],
    ['beta', 'c', 'ldc'],
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
  const type = typeOf(ir.dtype);
  if (!printer.plan.dynamicShared) {
    return ir.shared.map(array => {
      const [outer, inner] = sharedExtent(array, printer);
      return `__shared__ ${type} ${array.name}[${outer}][${inner}];`;
    });
  }
  const rows = ir.shared.map(array => sharedExtent(array, printer));
  const pointer = (i: number) => `reinterpret_cast<${type}(*)[${rows[i]?.[1] ?? ''}]>`;
  const first = `(${rows[0]?.[0] ?? ''}) * (${rows[0]?.[1] ?? ''})`.replace(/\((\w+)\)/g, '$1');
  return [
    `extern __shared__ __align__(${Math.max(16, DTYPE_BYTES[ir.dtype])}) unsigned char shared[];`,
    ...ir.shared.map((array, i) =>
      i === 0
        ? `auto ${array.name} = ${pointer(i)}(shared);`
        : `auto ${array.name} = ${pointer(i)}(shared + ${first} * sizeof(${type}));`,
    ),
  ];
}
