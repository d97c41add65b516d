/**
 * Checks the requirements of an `mma` kernel in addition to features: a supported matrix shape, and
 * subgroups of 32 invocations.
 */
import * as v from 'valibot';
import type { Runnable } from '../core/kernel/kernel';
import { WARP_LANES } from '../core/hardware/warp';
import { matrixShapeOf } from '../core/plan/mma/matrix';

/**
 * A matrix shape that the adapter supports. Experimental in Chromium and Dawn
 * (docs/dawn/features/subgroup_matrix.md).
 */
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
  `${M} x ${N} x ${K} of ${componentType} with ${resultComponentType} accumulation`;

/**
 * Returns one sentence per missing requirement, and an empty list for kernels without an `mma`
 * spec.
 */
export function missingRequirements(
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
          `The kernel requires matrices of ${text(wanted)}; this adapter supports ${offered.length === 0 ? 'none' : offered.join(', ')}. Fix: set schedule.mma and the element types to a supported combination.`,
        ]),
    ...(sizes.every(size => size === WARP_LANES)
      ? []
      : [
          `The kernel requires subgroups of ${WARP_LANES} invocations; this adapter has ${[...new Set(sizes)].map(size => size ?? 'unknown sizes').join(' to ')}. Fix: choose a different algorithm.`,
        ]),
  ];
}

function configsOf({ subgroupMatrixConfigs = [] }: MatrixInfo): readonly Config[] {
  return [...subgroupMatrixConfigs].flatMap(config => {
    const decoded = v.safeParse(configSchema, config);
    return decoded.success ? [decoded.output] : [];
  });
}
