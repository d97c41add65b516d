/** What a kernel of `mma` needs of an adapter beside the feature: a shape of matrices, and subgroups of 32. */
import * as v from 'valibot';
import type { Runnable } from '../core/kernel/kernel';
import { WARP_LANES } from '../core/hardware/warp';
import { matrixShapeOf } from '../core/plan/mma/matrix';

/** Of Chromium and Dawn alone (docs/dawn/features/subgroup_matrix.md): one multiply-accumulate that an adapter has. */
const configSchema = v.object({
  componentType: v.string(),
  resultComponentType: v.string(),
  M: v.number(),
  N: v.number(),
  K: v.number(),
});
type Config = v.InferOutput<typeof configSchema>;

export interface MatrixInfo extends Partial<
  Pick<GPUAdapterInfo, 'subgroupMinSize' | 'subgroupMaxSize'>
> {
  readonly subgroupMatrixConfigs?: Iterable<unknown>;
}

const text = ({ componentType, resultComponentType, M, N, K }: Config): string =>
  `${M} x ${N} x ${K} of ${componentType} summed in ${resultComponentType}`;

/** One sentence for each that is missing; of a text that no spec gives, its compiler says so. */
export function missingMatrices(
  { spec, problem }: Pick<Runnable, 'spec' | 'problem'>,
  info: MatrixInfo,
): readonly string[] {
  if (spec?.schedule.algorithm !== 'mma') return [];
  const { m, n, k } = matrixShapeOf(spec.schedule, { m: 0, n: 0, k: 0 }).shape;
  const wanted: Config = {
    componentType: problem.a.dtype,
    resultComponentType: problem.accumulator,
    M: m,
    N: n,
    K: k,
  };
  const offered = configsOf(info).map(text);
  const sizes = [info.subgroupMinSize, info.subgroupMaxSize];
  return [
    ...(offered.includes(text(wanted))
      ? []
      : [
          `The kernel multiplies matrices of ${text(wanted)}; this adapter offers ${offered.length === 0 ? 'none' : offered.join(', ')}. Set schedule.mma and the types to one that it has.`,
        ]),
    ...(sizes.every(size => size === WARP_LANES)
      ? []
      : [
          `The kernel's warps are subgroups of ${WARP_LANES} invocations; those of this adapter have ${[...new Set(sizes)].map(size => size ?? 'unknown sizes').join(' to ')}. Choose another algorithm.`,
        ]),
  ];
}

function configsOf({ subgroupMatrixConfigs = [] }: MatrixInfo): readonly Config[] {
  return [...subgroupMatrixConfigs].flatMap(config => {
    const decoded = v.safeParse(configSchema, config);
    return decoded.success ? [decoded.output] : [];
  });
}
