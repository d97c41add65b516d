/** Notes on `wgmma` kernels, whose main loop has no loop IR. */
import { t } from '@vscode/l10n';
import { short } from '../../text/numbers';
import type { Plan } from '../../plan/plan';
import type { WgmmaPlan } from '../../plan/wgmma/wgmmaPlan';
import { isTransposedCopy } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import type { Note } from '../../text/note';

/**
 * Returns notes on the hand-written main loop and on operands that are copied or split before it.
 */
export function warpGroupNotes(plan: Plan | null): readonly Note[] {
  if (plan?.family !== 'wgmma') return [];
  const { workspaceBytes, pieces } = plan.wgmma;
  const model = t(
    'The main loop is hand-written: its traffic follows a declared model, and individual accesses are not counted.',
  );
  if (pieces !== undefined) {
    const split = t(
      'FP32 emulation: a pre-pass kernel splits A and B into {1} terms ({0} MB); {2} {1} products replace one f32 product.',
      short(workspaceBytes / 1e6),
      pieces.dtype,
      pieces.products.length,
    );
    return [model, split].map(text => ({ level: 'info', text }));
  }
  return [{ level: 'info', text: model }, ...copyNotes(plan, plan.wgmma)];
}

/** Returns notes on operands that are copied before every GEMM, with the reason. */
function copyNotes({ spec }: Plan, wgmma: WgmmaPlan): readonly Note[] {
  const copies = (turned: boolean): readonly [names: string, megabytes: string] | null => {
    const names = (['a', 'b'] as const).filter(
      name => wgmma[name].relaid !== undefined && isTransposedCopy(wgmma[name]) === turned,
    );
    const elements = names.reduce((sum, name) => sum + (wgmma[name].relaid?.batchStride ?? 0), 0);
    const bytes = spec.problem.batch * elements * DTYPE_BYTES[wgmma.element];
    return names.length === 0
      ? null
      : [names.map(name => name.toUpperCase()).join(', '), short(bytes / 1e6)];
  };
  const [turned, moved] = [copies(true), copies(false)];
  return [
    ...(turned === null
      ? []
      : [
          t(
            'wgmma transposes only 16-bit elements: {0} is transposed before each GEMM ({1} MB). A layout with contiguous K avoids the copy.',
            ...turned,
          ),
        ]),
    ...(moved === null
      ? []
      : [
          t(
            'TMA requires strides in multiples of 16 bytes: {0} is copied before each GEMM ({1} MB). Align its leading dimension to avoid the copy.',
            ...moved,
          ),
        ]),
  ].map(text => ({ level: 'advice', text }));
}
