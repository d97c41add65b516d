/** The legal text nearest to a spec that is not legal: its quick fixes, applied one after the other. Pure. */
import { t } from '@vscode/l10n';
import { specProblems, type SpecFix } from './specProblems';

export interface Repair {
  /** Of a button: what one click changes. */
  readonly title: string;
  readonly text: string;
}

/** Fixes after which a spec is given up: more than it has fields that can break a rule at once. */
const MOST_FIXES = 24;

/** Undefined of a text that is legal or no spec, and where no fix is known. */
export function repairOf(text: string): Repair | undefined {
  const applied: SpecFix[] = [];
  const seen = new Set([text]);
  let now = text;
  while (applied.length <= MOST_FIXES) {
    const errors = specProblems(now, { schemaSpeaks: false }).filter(
      ({ severity }) => severity === 'error',
    );
    const [only] = applied;
    if (errors.length === 0) {
      if (only === undefined) return undefined;
      return {
        title: applied.length === 1 ? only.button : t('Apply nearest legal values'),
        text: now,
      };
    }
    const fix = errors
      .flatMap(problem => problem.fix ?? [])
      .find(one => !seen.has(fixed(now, one)));
    if (fix === undefined) return undefined;
    now = fixed(now, fix);
    seen.add(now);
    applied.push(fix);
  }
  return undefined;
}

/** The edits of a fix do not overlap; the last one is made first, so that the places of the others stay. */
const fixed = (text: string, { edits }: SpecFix): string =>
  edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
