/** What an analysis says of `wgmma`, whose main loop has no loop IR. */
import { t } from '@vscode/l10n';
import { short } from '../../text/numbers';
import type { Plan, WgmmaPlan } from '../../plan/plan';
import { isTurned } from '../../plan/wgmma/wgmma';
import { DTYPE_BYTES } from '../../types/dtype';
import type { Note } from '../../text/note';

/** What is not counted of a main loop that is written by hand, and what a copy before costs. */
export function warpGroupNotes(plan: Plan | null): readonly Note[] {
  if (plan?.family !== 'wgmma') return [];
  const { workspaceBytes, pieces } = plan.wgmma;
  const model = t(
    'The main loop is written by hand: its traffic is that of the declared model, and accesses are not counted one by one.',
  );
  if (pieces !== undefined) {
    const split = t(
      'A and B are split before every product, into {0} MB of {1}: {2} products of them are one of f32.',
      short(workspaceBytes / 1e6),
      pieces.dtype,
      pieces.products.length,
    );
    return [model, split].map(text => ({ level: 'info', text }));
  }
  return [{ level: 'info', text: model }, ...copyNotes(plan, plan.wgmma)];
}

/** What is copied before every product, and why. */
function copyNotes({ spec }: Plan, wgmma: WgmmaPlan): readonly Note[] {
  const copies = (turned: boolean): readonly [names: string, megabytes: string] | null => {
    const names = (['a', 'b'] as const).filter(
      name => wgmma[name].relaid !== undefined && isTurned(wgmma[name]) === turned,
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
            'wgmma transposes elements of 16 bits alone: {0} is transposed before every product, {1} MB; with K as its contiguous index it would not be.',
            ...turned,
          ),
        ]),
    ...(moved === null
      ? []
      : [
          t(
            'TMA counts strides in 16 bytes: {0} is copied before every product, {1} MB; a leading dimension that is such a multiple needs no copy.',
            ...moved,
          ),
        ]),
  ].map(text => ({ level: 'advice', text }));
}
