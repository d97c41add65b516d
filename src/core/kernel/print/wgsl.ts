/** WGSL dialect of the printer. */
import { inVectors } from './vectorIndex';
import { add, div, int, mul } from '../ir/expr';
import type { KernelIr } from '../ir/ir';
import type { DType } from '../../types/dtype';
import { constantLines, sharedExtents, type Dialect, type Printer } from './dialect';
import type { Argument } from '../kernel';
import { wgslActivation, wgslActivations } from './activations';
import { matrixTypes, subgroupMatrices } from './subgroupMatrices';
import { unsupported, literal, nameOf, variablesOf } from './wgslNames';
import type { ArgumentRole } from '../ir/arguments';
import { isEpilogueName } from '../../spec/epilogue';
import { bufferType, type GlobalOperand } from '../../spec/resolved';

const TYPES: Readonly<Partial<Record<DType, string>>> = { f32: 'f32', f16: 'f16', s32: 'i32' };
const ZEROS: Readonly<Partial<Record<DType, string>>> = { f32: '0.0', f16: '0.0', s32: '0' };

const typeOf = (dtype: DType): string => TYPES[dtype] ?? dtype;

/**
 * Returns the vector type. Eight f16 elements are a vec4<u32>, since WGSL vectors have at most 4
 * elements.
 */
const vectorOf = (dtype: DType, width: number): string =>
  width === 1 ? typeOf(dtype) : width === 8 ? 'vec4<u32>' : `vec${width}<${typeOf(dtype)}>`;

const FIELD: Readonly<Partial<Record<ArgumentRole, string>>> = { m: 'M', n: 'N', k: 'K' };
const fieldOf = (role: ArgumentRole): string => FIELD[role] ?? role;

/**
 * Module-scope names. The reduction kernel has separate scalars and a separate binding of the
 * workspace.
 */
interface Names {
  readonly struct: string;
  readonly scalars: string;
  readonly workspace: string;
}
const bufferName = (operand: GlobalOperand, names: Names): string =>
  operand === 'workspace'
    ? names.workspace
    : isEpilogueName(operand)
      ? operand
      : operand.toUpperCase();

const MAIN: Names = { struct: 'Params', scalars: 'params', workspace: 'workspace' };
const REDUCE: Names = { struct: 'ReduceParams', scalars: 'reduceParams', workspace: 'partials' };

export const wgslOf = ({ pass }: Pick<KernelIr, 'pass'>): Dialect =>
  pass === undefined ? wgsl : reducing;

const wgslWith = (names: Names): Dialect => ({
  type: typeOf,
  zero: dtype => ZEROS[dtype] ?? '0',
  parameter: role => `${names.scalars}.${fieldOf(role)}`,
  // Scalars of the uniform block are 4 bytes each.
  scalar: (role, accumulator) =>
    accumulator === 'f16' ? `f16(${names.scalars}.${role})` : `${names.scalars}.${role}`,
  global: operand => bufferName(operand, names),
  index: (space, axis) => `${space}.${axis}`,
  warp: 'warp',
  lane: 'lane',
  letInt: (name, value) => `let ${name} = ${unsigned(value)};`,
  varInt: (name, value) => `var ${name} = ${unsigned(value)};`,
  letWide: () => unsupported('64-bit integers'),
  registers: (statement, printer) => {
    const { dtype, vector = 1 } = statement;
    if (statement.named) {
      const type = vectorOf(dtype, vector);
      return variablesOf(statement, printer).map(name => `var ${name}: ${type};`);
    }
    const type = statement.shape.reduceRight(
      (inner, extent) => `array<${inner}, ${printer.expr(extent)}>`,
      typeOf(dtype),
    );
    const isExplicit = statement.zeroed && statement.inLoop === true;
    return [isExplicit ? `var ${statement.name} = ${type}();` : `var ${statement.name}: ${type};`];
  },
  register: ({ name, index }, declared, { width, printer }) => {
    if (!declared.named) return name + index.map(at => `[${printer.expr(at)}]`).join('');
    const { vector = 1 } = declared;
    const at = index.map(literal);
    const last = at.at(-1) ?? 0;
    const variable = nameOf(declared, [...at.slice(0, -1), Math.floor(last / vector)], printer);
    const first = last % vector;
    return width === vector ? variable : `${variable}.${'xyzw'.slice(first, first + width)}`;
  },
  forHead: (loop, printer) => {
    const { index } = loop;
    const one = loop.step.op === 'int' && loop.step.value === 1;
    const step = one ? `${index}++` : `${index} += ${printer.expr(loop.step)}`;
    const from = loop.from.op === 'int' ? `${printer.expr(loop.from)}u` : printer.expr(loop.from);
    return [`for (var ${index} = ${from}; ${index} < ${printer.expr(loop.to)}; ${step}) {`];
  },
  globalIndex: ({ outer, stride, inner, offset = int(0) }, vector, printer) =>
    printer.expr(
      inVectors(add(offset, add(mul(outer, stride), inner)), vector, expr => printer.value(expr)),
    ),
  arrayVector: vector => vector ?? 1,
  move: ({ to, from, type }) =>
    `${to} = ${type.from === type.to ? from : `${vectorOf(type.to, type.width)}(${from})`};`,
  moveAsynchronously: () => unsupported('asynchronous copies'),
  addAtomically: () => unsupported('atomic addition of floats'),
  letValue: (name, value) => `let ${name} = ${value};`,
  commit: '',
  wait: () => unsupported('asynchronous copies'),
  gridDependency: () => unsupported('programmatic dependent launch'),
  quadBroadcast: (value, lane) => `quadBroadcast(${value}, ${lane})`,
  shuffleXor: () => unsupported('shuffles without subgroups'),
  broadcast: (value, width, dtype) => `${vectorOf(dtype, width)}(${width === 8 ? '0u' : value})`,
  lanes: (values, dtype) => `${vectorOf(dtype, values.length)}(${values.join(', ')})`,
  ...subgroupMatrices,
  loadRows: () => unsupported('ldmatrix'),
  multiplyFragments: () => unsupported('mma.sync fragments'),
  takePiece: () => unsupported('split terms'),
  convert: (value, { to, width }) => `${vectorOf(to, width)}(${value})`,
  activation: (of, value, { width }) => wgslActivation(of, value, width),
  fma: ({ dtype, place, left, right }) =>
    dtype === 's32'
      ? `${place} += ${left} * ${right};`
      : `${place} = fma(${left}, ${right}, ${place});`,
  // select() evaluates both operands, so a guarded load is an if.
  conditional: () => null,
  select: (condition, value, otherwise) => `select(${otherwise}, ${value}, ${condition})`,
  barrier: 'workgroupBarrier();',
  file: (ir, body, printer) => {
    const rest = [
      ...matrixTypes(ir, printer),
      ...bindings(ir, names),
      '',
      ...sharedDeclarations(ir, printer),
      ...(ir.shared.length > 0 ? [''] : []),
      ...wgslActivations(body),
      ...signature(ir, printer, body),
      ...body,
      '}',
      '',
    ];
    return [
      // Extensions apply to the whole file, so the first kernel enables them.
      ...(ir.pass === undefined ? enabled(extensions(ir, printer)) : []),
      ...constantLines(ir, rest, (name, value) => `const ${name} = ${value}u;`),
      '',
      ...rest,
    ];
  },
});

/** Adds the suffix u to a literal, which would otherwise be an i32. */
const unsigned = (value: string): string => (/^\d+$/.test(value) ? `${value}u` : value);

const wgsl = wgslWith(MAIN);
const reducing = wgslWith(REDUCE);

const extensions = (ir: KernelIr, { options }: Printer): readonly string[] => [
  ...(typesOf(ir).includes('f16') ? ['f16'] : []),
  ...(options.subgroups || ir.matrices !== undefined ? ['subgroups'] : []),
  ...(ir.matrices === undefined ? [] : ['chromium_experimental_subgroup_matrix']),
];

const enabled = (names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [...names.map(name => `enable ${name};`), ''];

const typesOf = ({ dtypes, accumulator }: KernelIr): readonly DType[] => [
  ...Object.values(dtypes),
  accumulator,
];

/** Returns one binding per operand, followed by one binding for the scalars in order. */
export const wgslArguments = (ir: KernelIr): readonly Argument[] => [...ir.operands, ir.parameters];

function bindings(ir: KernelIr, names: Names): readonly string[] {
  const type = typeOf(ir.accumulator === 'f16' ? 'f32' : ir.accumulator);
  const element = (operand: GlobalOperand) =>
    vectorOf(bufferType(ir.dtypes, operand), ir.vectors?.[operand] ?? 1);
  const fields = ir.parameters.map(role => {
    const scalar = role === 'alpha' || role === 'beta' ? type : 'u32';
    return `  ${fieldOf(role)}: ${scalar},`;
  });
  return [
    `struct ${names.struct} {`,
    ...fields,
    '}',
    '',
    ...ir.operands.map((operand, binding) => {
      const name = bufferName(operand, names);
      const written = operand === 'c' || (operand === 'workspace' && ir.pass === undefined);
      const access = written ? 'read_write' : 'read';
      return `@group(0) @binding(${binding}) var<storage, ${access}> ${name}: array<${element(operand)}>;`;
    }),
    `@group(0) @binding(${ir.operands.length}) var<uniform> ${names.scalars}: ${names.struct};`,
  ];
}

function sharedDeclarations(ir: KernelIr, printer: Printer): readonly string[] {
  return ir.shared.map(array => {
    const { vector = 1 } = array;
    if (array.flat) {
      const count = printer.expr(div(mul(array.outer, array.inner), int(vector)));
      return `var<workgroup> ${array.name}: array<${vectorOf(array.dtype, vector)}, ${count}>;`;
    }
    const extents = sharedExtents({ ...array, inner: div(array.inner, int(vector)) }, printer);
    const type = extents.reduceRight(
      (inner, extent) => `array<${inner}, ${extent}>`,
      vectorOf(array.dtype, vector),
    );
    return `var<workgroup> ${array.name}: ${type};`;
  });
}

const PLACE = '@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u';

function signature(ir: KernelIr, { options }: Printer, body: readonly string[]): readonly string[] {
  const size = options.workgroupSize[ir.pass === undefined ? 'main' : 'pass'];
  const asks = (name: string): boolean => body.some(line => new RegExp(`\\b${name}\\b`).test(line));
  const inSubgroup = [
    ...(ir.matrices === undefined ? [] : ['@builtin(subgroup_id) warp: u32']),
    ...(asks('lane') ? ['@builtin(subgroup_invocation_id) lane: u32'] : []),
  ];
  return [
    `@compute @workgroup_size(${size})`,
    ...(ir.matrices === undefined
      ? [`fn ${ir.entry}(${PLACE}) {`]
      : [`fn ${ir.entry}(`, `  ${PLACE},`, `  ${inSubgroup.join(', ')}`, ') {']),
  ];
}
