/** The WGSL dialect. */
import { add, mul } from '../ir/expr';
import type { KernelIr } from '../ir/ir';
import type { DType } from '../spec/dtype';
import type { Dialect, Printer } from './dialect';
import { sharedExtent } from './dialect';
import type { Argument, ArgumentRole } from './kernel';

const TYPES: Readonly<Partial<Record<DType, string>>> = { f32: 'f32', s32: 'i32' };
const ZEROS: Readonly<Partial<Record<DType, string>>> = { f32: '0.0', s32: '0' };

const typeOf = (dtype: DType): string => TYPES[dtype] ?? dtype;

const FIELD: Readonly<Partial<Record<ArgumentRole, string>>> = { m: 'M', n: 'N', k: 'K' };
const fieldOf = (role: ArgumentRole): string => FIELD[role] ?? role;

export const wgsl: Dialect = {
  type: typeOf,
  zero: dtype => ZEROS[dtype] ?? '0',
  parameter: role => `params.${fieldOf(role)}`,
  index: (space, axis) => `${space}.${axis}`,
  letInt: (name, value) => `let ${name} = ${value};`,
  registers: (statement, printer) => {
    const type = statement.shape.reduceRight(
      (inner, extent) => `array<${inner}, ${printer.expr(extent)}>`,
      typeOf(statement.dtype),
    );
    return `var ${statement.name}: ${type};`;
  },
  forHead: (loop, printer) => {
    const { index } = loop;
    const one = loop.step.op === 'int' && loop.step.value === 1;
    const step = one ? `${index}++` : `${index} += ${printer.expr(loop.step)}`;
    const from = loop.from.op === 'int' ? `${printer.expr(loop.from)}u` : printer.expr(loop.from);
    return [`for (var ${index} = ${from}; ${index} < ${printer.expr(loop.to)}; ${step}) {`];
  },
  globalIndex: ({ outer, stride, inner }, printer) => printer.expr(add(mul(outer, stride), inner)),
  fma: (dtype, place, left, right) =>
    dtype === 's32'
      ? `${place} += ${left} * ${right};`
      : `${place} = fma(${left}, ${right}, ${place});`,
  // select() evaluates both sides, so a guarded load is an if.
  conditional: () => null,
  barrier: 'workgroupBarrier();',
  file: (ir, body, printer) => [
    ...constants(ir, printer),
    '',
    ...bindings(ir),
    '',
    ...sharedDeclarations(ir, printer),
    ...(ir.shared.length > 0 ? [''] : []),
    ...signature(ir, printer),
    ...body,
    '}',
    '',
  ],
};

/** A two-dimensional workgroup is declared by its tile, so THREADS would stand unused. */
function constants(ir: KernelIr, { plan }: Printer): readonly string[] {
  const used = ir.constants.filter(({ name }) => name !== 'THREADS' || plan.block.y === 1);
  const declarations = used.map(({ name, value }) => `const ${name} = ${value}u;`);
  const width = Math.max(...declarations.map(text => text.length));
  return used.map(({ comment }, i) => `${(declarations[i] ?? '').padEnd(width)}  // ${comment}`);
}

/** Bindings 0, 1, 2 are A, B, C; binding 3 holds the scalars in this order. */
export const wgslArguments = (ir: KernelIr): readonly Argument[] => ['a', 'b', 'c', ir.parameters];

function bindings(ir: KernelIr): readonly string[] {
  const type = typeOf(ir.dtype);
  const fields = ir.parameters.map(role => {
    const scalar = role === 'alpha' || role === 'beta' ? type : 'u32';
    return `  ${fieldOf(role)}: ${scalar},`;
  });
  return [
    'struct Params {',
    ...fields,
    '}',
    '',
    `@group(0) @binding(0) var<storage, read> A: array<${type}>;`,
    `@group(0) @binding(1) var<storage, read> B: array<${type}>;`,
    `@group(0) @binding(2) var<storage, read_write> C: array<${type}>;`,
    '@group(0) @binding(3) var<uniform> params: Params;',
  ];
}

function sharedDeclarations(ir: KernelIr, printer: Printer): readonly string[] {
  return ir.shared.map(array => {
    const [outer, inner] = sharedExtent(array, printer);
    return `var<workgroup> ${array.name}: array<array<${typeOf(array.dtype)}, ${inner}>, ${outer}>;`;
  });
}

function signature(ir: KernelIr, { plan }: Printer): readonly string[] {
  const size = plan.block.y === 1 ? 'THREADS' : plan.threadMap === 'x-rows' ? 'BM, BN' : 'BN, BM';
  return [
    `@compute @workgroup_size(${size})`,
    `fn ${ir.entry}(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {`,
  ];
}
