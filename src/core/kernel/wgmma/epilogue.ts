/**
 * Device function that applies the epilogue to the accumulators of a warp group. A lane holds two
 * adjacent columns of rows lane / 4 and lane / 4 + 8 in every 8 columns. `plan` is the plan of the
 * computed GEMM.
 */
import {
  elementOperands,
  isActivation,
  namedOps,
  type EpilogueName,
  type ElementOperand,
  type NamedOp,
} from '../../spec/epilogue';
import { splitAtSource } from '../../plan/wgmma/wgmmaSource';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { cudaActivation, cudaActivations } from '../print/activations';
import { convertedText, cudaType, PAIRS } from '../print/cudaTypes';
import { gateFunction } from './gate';
import { finishPair } from './source';
import { firstRow, flagsOf, sourceNameOf, type PlanWithWgmma } from './parts';
import { reducersName } from './reducers';

/** Position of the loaded elements: the accumulator pair is in row m and columns n and n + 1. */
type Axis = 'm' | 'n' | 'both' | 'none';

interface Loaded {
  readonly name: string;
  readonly pointer: string;
  readonly dtype: DType;
  readonly axis: Axis;
  /** Index of the element in column n, and of the element in column n + 1. */
  readonly indices: readonly [string, string];
  readonly isPaired: boolean;
}

/** Operations that change the accumulators: those before the source. */
function appliedOps(plan: PlanWithWgmma): readonly NamedOp[] {
  const source = sourceNameOf(plan);
  const { problem } = plan.spec;
  return source === undefined ? namedOps(problem.epilogue) : splitAtSource(problem, source).before;
}

const appliedOperands = (plan: PlanWithWgmma): readonly ElementOperand[] => {
  const names = appliedOps(plan).map(({ operand }) => operand);
  return elementOperands(plan.spec.problem).filter(({ name }) => names.includes(name));
};

const isPairedVector = (plan: PlanWithWgmma, dtype: DType): boolean =>
  PAIRS[dtype] !== undefined && plan.spec.problem.n % 2 === 0;

/** Indices of the elements in both columns; a pair starts at an even column. */
const columnsOf = (isPaired: boolean, at: (column: string) => string): readonly [string, string] =>
  isPaired ? [at('even'), at('even + 1')] : [at('n'), at('next')];

const vectorAlongN = (
  common: Pick<Loaded, 'name' | 'pointer' | 'dtype'>,
  isPaired: boolean,
): Loaded => ({
  ...common,
  axis: 'n',
  indices: columnsOf(isPaired, column => column),
  isPaired,
});

const LINE = 'static_cast<long long>';

/** Stride of a residual: N or M if it is packed, otherwise a number. */
export function strideOf(
  { spec: { problem } }: PlanWithWgmma,
  { layout, ld }: ElementOperand,
): string {
  const [packed, name] =
    layout === 'row' ? ([problem.n, 'N'] as const) : ([problem.m, 'M'] as const);
  return ld === packed ? name : String(ld);
}

function loadedOf(plan: PlanWithWgmma, operand: ElementOperand): Loaded {
  const { op, dtype, name: pointer, ld } = operand;
  const name = `${op.op}${pointer.slice('epilogue'.length)}`;
  const common = { name, pointer, dtype };
  if (op.op === 'residual') {
    const isRow = op.layout === 'row';
    const stride = strideOf(plan, operand);
    const at = (column: string): string =>
      isRow ? `${LINE}(m) * ${stride} + ${column}` : `${LINE}(${column}) * ${stride} + m`;
    const isPaired = isRow && ld % 2 === 0 && isPairedVector(plan, dtype);
    return { ...common, axis: 'both', indices: columnsOf(isPaired, at), isPaired };
  }
  if (op.along === undefined)
    return { ...common, axis: 'none', indices: ['0', '0'], isPaired: false };
  return op.along === 'm'
    ? { ...common, axis: 'm', indices: ['m', 'm'], isPaired: false }
    : vectorAlongN(common, isPairedVector(plan, dtype));
}

/** C before the kernel, which the epilogue adds with beta. */
function oldOf(plan: PlanWithWgmma): readonly Loaded[] {
  const { c, beta, n, batch } = plan.spec.problem;
  if (beta === 0 || sourceNameOf(plan) !== undefined) return [];
  const isRow = c.layout === 'row';
  const at = (column: string): string =>
    isRow ? `${LINE}(m) * ldc + ${column}` : `${LINE}(${column}) * ldc + m`;
  const strides = [n, c.ld, ...(batch === 1 ? [] : [c.batchStride])];
  const isPaired =
    isRow && PAIRS[c.dtype] !== undefined && strides.every(stride => stride % 2 === 0);
  return [
    {
      name: 'old',
      pointer: 'C',
      dtype: c.dtype,
      axis: 'both',
      indices: columnsOf(isPaired, at),
      isPaired,
    },
  ];
}

const isSingle = ({ axis }: Loaded): boolean => axis === 'none' || axis === 'm';

/** Declares the loaded values: one variable, a pair, or two variables for two columns. */
function load(of: Loaded): string {
  const { name, pointer, dtype, isPaired, indices } = of;
  const element = (index: string): string =>
    dtype === 'f32' ? `${pointer}[${index}]` : convertedText(`${pointer}[${index}]`, dtype, 'f32');
  if (isSingle(of)) return `const float ${name} = ${element(indices[0])};`;
  if (isPaired) {
    const type = PAIRS[dtype] ?? '';
    return `const ${type} ${name} = *reinterpret_cast<const ${type}*>(${pointer} + ${indices[0]});`;
  }
  return `const float2 ${name} = {${element(indices[0])}, ${element(indices[1])}};`;
}

function partOf(of: Loaded, side: 'x' | 'y'): string {
  if (isSingle(of)) return of.name;
  const part = `${of.name}.${side}`;
  return of.isPaired && of.dtype !== 'f32' ? `static_cast<float>(${part})` : part;
}

/** Prints the activations and the function; the latter only if operations precede the stores. */
export function epilogueText(plan: PlanWithWgmma): readonly string[] {
  const { EPILOGUE, SOURCE } = flagsOf(plan);
  const text = EPILOGUE ? applyText(plan) : [];
  const gate = gateFunction(plan);
  const called = [...gate, ...text, ...(SOURCE ? finishPair(plan) : [])];
  const output = plan.spec.problem.c.dtype;
  return [...cudaActivations(called, { accumulator: 'f32', output }), ...gate, ...text];
}

function applyText(plan: PlanWithWgmma): readonly string[] {
  const { SPLIT, MMA, SCALED, GATED } = flagsOf(plan);
  const old = oldOf(plan);
  const operands = appliedOperands(plan).map(operand => loadedOf(plan, operand));
  const all = [...old, ...operands];
  const byName = new Map(operands.map(operand => [operand.pointer, operand]));
  const both = (text: (value: string, side: 'x' | 'y') => string): readonly string[] => [
    text('low', 'x'),
    text('high', 'y'),
  ];
  const steps = appliedOps(plan).flatMap(({ op, operand }) => {
    if (isActivation(op))
      return both(value => `${value} = ${cudaActivation(op.op, value, 'f32')};`);
    const loaded = operand === undefined ? undefined : byName.get(operand);
    if (loaded === undefined) return [];
    const sign = op.op === 'scale' ? '*=' : '+=';
    return both((value, side) => `${value} ${sign} ${partOf(loaded, side)};`);
  });
  const added = old.flatMap(loaded =>
    both((value, side) => `${value} += beta * ${partOf(loaded, side)};`),
  );
  const needs = (axis: 'm' | 'n'): boolean =>
    all.some(loaded => loaded.axis === axis || loaded.axis === 'both');
  const columns = all.filter(loaded => !isSingle(loaded));
  const loadsOf = (axes: readonly Axis[]): readonly string[] =>
    all.filter(({ axis }) => axes.includes(axis)).map(load);
  const column = 'column + block * 8 + lane % 4 * 2';
  const rows = MMA ? 'GROUP_ROWS' : 'WGMMA_M';
  const row = `row + eight / 2 * ${rows} + thread / 32 * 16 + lane / 4 + eight % 2 * 8`;
  // A gate has already scaled both products.
  const scaled = (value: string): string => (SCALED && !GATED ? `alpha * ${value}` : value);
  const clamped = needs('m') || needs('n');
  const body = [
    ...(clamped ? ['const int thread = threadIdx.x % WARP_GROUP, lane = thread % 32;'] : []),
    ...loadsOf(['none']),
    '#pragma unroll',
    'for (int block = 0; block < BN / 8; ++block) {',
    ...(SPLIT ? [`  if (block / (BN / 8 / ${reducersName(plan)}) != slice) continue;`] : []),
    ...(columns.some(({ isPaired }) => isPaired)
      ? [`  const int even = min(${column}, N - 2);`]
      : []),
    ...(columns.every(({ isPaired }) => isPaired)
      ? []
      : [`  const int n = min(${column}, N - 1), next = min(n + 1, N - 1);`]),
    ...loadsOf(['n']).map(line => `  ${line}`),
    '  #pragma unroll',
    '  for (int eight = 0; eight < M_INSTRUCTIONS * 2; ++eight) {',
    ...(needs('m') ? [`    const int m = min(${row}, M - 1);`] : []),
    ...loadsOf(['m', 'both']).map(line => `    ${line}`),
    '    float* pair = &acc[eight / 2][block * 4 + eight % 2 * 2];',
    `    float low = ${scaled('pair[0]')}, high = ${scaled('pair[1]')};`,
    ...[...added, ...steps].map(line => `    ${line}`),
    '    pair[0] = low;',
    '    pair[1] = high;',
    '  }',
    '}',
  ];
  const name = '__device__ __forceinline__ void applyEpilogue(';
  const [sizes, pointers] = parametersOf(plan);
  const declared = (parameters: readonly Parameter[]): string =>
    parameters.map(each => each.declared).join(', ');
  const margin = ' '.repeat(name.length);
  return [
    `// Apply the epilogue to the accumulators of a warp group, in groups of 8 rows. Each warp owns 16 of
// every 64 rows, as two such groups.`,
    ...(clamped
      ? [
          '// Elements outside of C use the operands of its last row and column, and are not stored.',
        ]
      : []),
    `${name}float (&acc)[M_INSTRUCTIONS][BN / 2], int row, int column, ${declared(sizes)}${pointers.length === 0 ? ') {' : ','}`,
    ...(pointers.length === 0 ? [] : [`${margin}${declared(pointers)}) {`]),
    ...body.map(line => `  ${line}`),
    '}',
    '',
  ];
}

interface Parameter {
  readonly declared: string;
  readonly passed: string;
}

/** Returns the extents and scalars, and the operands. */
function parametersOf(plan: PlanWithWgmma): readonly [readonly Parameter[], readonly Parameter[]] {
  const { SPLIT, BATCHED, SCALED, GATED } = flagsOf(plan);
  const isBatched = (operand: ElementOperand): boolean => BATCHED && operand.op.op === 'residual';
  const offset = (operand: ElementOperand): string => {
    const isRow = operand.layout === 'row';
    const stride = strideOf(plan, operand);
    return ` + ${LINE}(tile.batch) * ${isRow ? 'M' : 'N'} * ${stride}`;
  };
  const same = (declared: string, passed: string): Parameter => ({ declared, passed });
  return [
    [
      same('int M', 'M'),
      same('int N', 'N'),
      ...(SPLIT ? [same('int slice', 'slice')] : []),
      ...(SCALED && !GATED ? [same('float alpha', 'alpha')] : []),
      ...(oldOf(plan).length === 0
        ? []
        : [
            same('float beta', 'beta'),
            same('const Output* C', BATCHED ? 'C + tile.batch * strideC' : 'C'),
            same('int ldc', 'ldc'),
          ]),
    ],
    appliedOperands(plan).map(operand =>
      same(
        `const ${cudaType(operand.dtype)}* ${operand.name}`,
        `${operand.name}${isBatched(operand) ? offset(operand) : ''}`,
      ),
    ),
  ];
}

/** Prints the call of the function. */
export const epilogueCall = (plan: PlanWithWgmma): readonly string[] =>
  flagsOf(plan).EPILOGUE
    ? [
        `applyEpilogue(acc, ${firstRow(plan)}, tile.n, ${parametersOf(plan)
          .flat()
          .map(({ passed }) => passed)
          .join(', ')});`,
      ]
    : [];

/**
 * Returns the operands that the epilogue loads in pairs along N, which requires an even N, and the
 * alignment of each in bytes.
 */
export const pairNeeds = (plan: PlanWithWgmma): Readonly<Partial<Record<EpilogueName, number>>> =>
  flagsOf(plan).EPILOGUE
    ? Object.fromEntries(
        appliedOperands(plan)
          .filter(operand => loadedOf(plan, operand).isPaired)
          .map(({ name, dtype }) => [name, 2 * DTYPE_BYTES[dtype]]),
      )
    : {};
