/** Notes on `wgmma` kernels, whose hand-written main loop is not analyzed. */
import { t } from '@vscode/l10n';
import { short } from '../../text/numbers';
import type { Plan } from '../../plan/plan';
import type { WgmmaPlan } from '../../plan/wgmma/wgmmaPlan';
import { isSpecialized } from '../../plan/wgmma/specialization';
import { isTransposedCopy } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import type { Note } from '../../text/note';

/**
 * Returns notes on the hand-written main loop, and on operands that a pre-pass kernel copies or
 * splits.
 */
export function warpGroupNotes(plan: Plan | null): readonly Note[] {
  if (plan?.family !== 'wgmma') return [];
  const { workspaceBytes, fp32Emulation } = plan.wgmma;
  const model = t(
    'The main loop is hand-written. Its traffic is computed by a model, and individual accesses are not counted.',
  );
  if (fp32Emulation !== undefined) {
    const split = t(
      'FP32 emulation: a pre-pass kernel splits A and B into {1} terms ({0} MB); {2} {1} products replace one f32 product.',
      short(workspaceBytes / 1e6),
      fp32Emulation.dtype,
      fp32Emulation.products.length,
    );
    return [model, split].map(text => ({ level: 'info', text }));
  }
  return [
    { level: 'info', text: model },
    ...(isSpecialized(plan.wgmma) ? [] : [{ level: 'info', text: unpredicted() } as const]),
    ...copyNotes(plan, plan.wgmma),
  ];
}

const unpredicted = (): string =>
  t(
    'No time is predicted for kernelSchedule tma: the time model was fitted to kernels with warp specialization.',
  );

function copyNotes({ spec }: Plan, wgmma: WgmmaPlan): readonly Note[] {
  const copies = (transposed: boolean): readonly [names: string, megabytes: string] | null => {
    const names = (['a', 'b'] as const).filter(
      name => wgmma[name].repacked !== undefined && isTransposedCopy(wgmma[name]) === transposed,
    );
    const elements = names.reduce((sum, name) => sum + (wgmma[name].repacked?.batchStride ?? 0), 0);
    const bytes = spec.problem.batch * elements * DTYPE_BYTES[wgmma.element];
    return names.length === 0
      ? null
      : [names.map(name => name.toUpperCase()).join(', '), short(bytes / 1e6)];
  };
  const [transposed, moved] = [copies(true), copies(false)];
  return [
    ...(transposed === null
      ? []
      : [
          t(
            'wgmma transposes only 16-bit elements. Transposed before each GEMM: {0} ({1} MB). Fix: use a layout with contiguous K.',
            ...transposed,
          ),
        ]),
    ...(moved === null
      ? []
      : [
          t(
            'TMA requires strides in multiples of 16 bytes. Copied before each GEMM: {0} ({1} MB). Fix: align the leading dimension and the batch stride.',
            ...moved,
          ),
        ]),
  ].map(text => ({ level: 'advice', text }));
}
