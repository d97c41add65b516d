/**
 * Prints the epilogue of kernels whose source (C or a residual) is loaded by TMA into the store
 * boxes. `plan` is the plan of the computed GEMM.
 */
import source from '../../../../shaders/cuda/wgmma/source.cuh';
import { isActivation } from '../../spec/epilogue';
import { splitAtSource } from '../../plan/wgmma/wgmmaSource';
import { cudaActivation } from '../print/activations';
import { resolveConditions } from './conditions';
import { firstRow, flagsOf, sourceNameOf, type PlanWithWgmma } from './parts';

/** Conversion of a packed pair of elements of C to two floats. */
const UNPACK = {
  f16: ['__half22float2', '__half2'],
  bf16: ['__bfloat1622float2', '__nv_bfloat162'],
} as const;

/** Parameters of the stores besides the accumulators: type and name. */
function scalarsOf(plan: PlanWithWgmma): readonly string[] {
  const { EPILOGUE, GATED, SCALED } = flagsOf(plan);
  return [
    ...(SCALED && !EPILOGUE && !GATED ? ['alpha'] : []),
    ...(sourceNameOf(plan) === 'c' ? ['beta'] : []),
  ];
}

const declared = (names: readonly string[]): string =>
  names.map(name => `, float ${name}`).join('');
const passed = (names: readonly string[]): string => names.map(name => `, ${name}`).join('');

/** Prints the function that finishes a pair of elements of C. */
export function finishPair(plan: PlanWithWgmma): readonly string[] {
  const { problem } = plan.spec;
  const name = sourceNameOf(plan) ?? 'c';
  const { after } = splitAtSource(problem, name);
  const scalars = scalarsOf(plan);
  const [convert, type] = UNPACK[problem.c.dtype === 'f16' ? 'f16' : 'bf16'];
  const scaled = (value: string): string =>
    scalars.includes('alpha') ? `alpha * ${value}` : value;
  const added = (side: 'x' | 'y'): string =>
    scalars.includes('beta') ? `beta * source.${side}` : `source.${side}`;
  const activations = after.flatMap(({ op }) =>
    isActivation(op)
      ? [
          `low = ${cudaActivation(op.op, 'low', 'f32')};`,
          `high = ${cudaActivation(op.op, 'high', 'f32')};`,
        ]
      : [],
  );
  const what = name === 'c' ? 'C before the kernel, times beta,' : 'the residual';
  return [
    `// Add ${what} to two accumulators, and convert them to two adjacent elements of C.`,
    `__device__ __forceinline__ uint32_t finishPair(float low, float high, uint32_t pair${declared(scalars)}) {`,
    `  const float2 source = ${convert}(*reinterpret_cast<const ${type}*>(&pair));`,
    ...(activations.length === 0
      ? [`  return packPair(${scaled('low')} + ${added('x')}, ${scaled('high')} + ${added('y')});`]
      : [
          `  low = ${scaled('low')} + ${added('x')};`,
          `  high = ${scaled('high')} + ${added('y')};`,
          ...activations.map(line => `  ${line}`),
          '  return packPair(low, high);',
        ]),
    '}',
    '',
  ];
}

/** Name of the tensor map of the source. */
const mapOf = (plan: PlanWithWgmma): string =>
  flagsOf(plan).RESIDUAL_SOURCE ? 'mapResidual' : 'mapC';

/** Prints the functions that load, finish and store boxes; empty without a source. */
export function sourceText(plan: PlanWithWgmma): readonly string[] {
  const flags = flagsOf(plan);
  const { BATCHED, COLUMN_MAJOR, RESIDUAL_SOURCE } = flags;
  if (!flags.SOURCE) return [];
  const scalars = scalarsOf(plan);
  const product = BATCHED ? ', batch' : '';
  const at = (row: string, column: string): string =>
    (COLUMN_MAJOR ? `${row}, ${column}` : `${column}, ${row}`) + product;
  const name = '__device__ __forceinline__ void storeTile(';
  const margin = ' '.repeat(name.length);
  const first = RESIDUAL_SOURCE
    ? 'const float (&acc)[BN / 2], const CUtensorMap& map, const CUtensorMap& sourceMap, uint32_t boxes, uint32_t loaded,'
    : 'const float (&acc)[BN / 2], const CUtensorMap& map, uint32_t boxes, uint32_t loaded,';
  const last = `uint32_t& phases, int m, int row, int column${BATCHED ? ', int batch' : ''}${COLUMN_MAJOR ? ', int consumer' : ''}${declared(scalars)}`;
  const text = resolveConditions(source, flags)
    .trim()
    .replaceAll('BOX_COORDINATES', at('row + boxRow(index)', 'column + boxColumn(index)'))
    .replace('STORE_SIGNATURE', `${name}${first}\n${margin}${last})`)
    .replace(
      'FINISH_PAIR',
      `finishPair(d[pair * 2], d[pair * 2 + 1], pairs[pair]${passed(scalars)})`,
    )
    .replace(
      'NEXT_BOX',
      `loadBox(${RESIDUAL_SOURCE ? 'sourceMap' : 'map'}, boxes, loaded, index - 1 + STORE_BUFFERS, row, column${product});`,
    )
    .replace(
      'STORE_BOX',
      `tmaStore(map, address, ${at('row + boxRow(index)', 'column + boxColumn(index)')});`,
    );
  return [...finishPair(plan), ...text.split('\n'), ''];
}

/** First row of the boxes of a warp, or of a warp group if C is column-major. */
const boxRow = (plan: PlanWithWgmma): string =>
  flagsOf(plan).COLUMN_MAJOR ? firstRow(plan) : `${firstRow(plan)} + thread / 32 * WARP_ROWS`;

/** Prints the call that loads the boxes of a tile. */
export const sourceLoads = (plan: PlanWithWgmma): readonly string[] => {
  const { BATCHED, SOURCE } = flagsOf(plan);
  return SOURCE
    ? [
        `loadBoxes(${mapOf(plan)}, boxes, loaded, ${boxRow(plan)}, tile.n${BATCHED ? ', tile.batch' : ''});`,
      ]
    : [];
};

/** Prints the call that finishes and stores the rows of one instruction. */
export function sourceStore(plan: PlanWithWgmma): string {
  const { BATCHED, COLUMN_MAJOR, RESIDUAL_SOURCE } = flagsOf(plan);
  const maps = RESIDUAL_SOURCE ? 'mapC, mapResidual' : 'mapC';
  const more = `${BATCHED ? ', tile.batch' : ''}${COLUMN_MAJOR ? ', consumer' : ''}${passed(scalarsOf(plan))}`;
  return `storeTile(acc[m], ${maps}, boxes, loaded, boxPhases, m, ${boxRow(plan)}, tile.n${more});`;
}
