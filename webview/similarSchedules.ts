/** Texts about ranked schedules whose predicted times are nearly equal. */
import { t } from '@vscode/l10n';
import type { RankedGroup } from '../src/core/search/rank/nearDuplicates';
import { resolve } from '../src/core/defaults/resolve';
import type { GemmSpec } from '../src/core/spec/schema';
import { changesBetween, nameOf, type Change } from './changes';

/** Excludes explicit defaults and the dependent field `splitKReduction`. */
export const isOfNote = ({ path, before, after }: Change): boolean =>
  !path.endsWith('splitKReduction') && (before !== undefined || (after !== 0 && after !== 'none'));

/** Returns the number of similar schedules and the fields that differ, or an empty list. */
export function similarText(
  { schedule, alike }: Pick<RankedGroup, 'schedule' | 'alike'>,
  spec: GemmSpec,
): readonly string[] {
  if (alike.length === 0) return [];
  const first = resolve({ ...spec, schedule });
  const changes = alike.flatMap(other =>
    changesBetween(first, resolve({ ...spec, schedule: other.schedule })),
  );
  const fields = [...new Set(changes.filter(isOfNote).map(({ path }) => nameOf(path)))];
  const count = t('Schedules with nearly the same predicted time: {0} more.', alike.length);
  return [fields.length === 0 ? count : `${count} ${t('They differ in {0}.', fields.join(', '))}`];
}
