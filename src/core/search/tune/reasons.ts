/** Reports the rules that a space without legal schedules violates most often. */
import { t } from '@vscode/l10n';
import { plan } from '../../plan/planner';
import type { ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import type { TuneSpace } from './space';

/** Approximate number of schedules to check, spread evenly over the space. */
const MAX_CHECKED = 500;
const MAX_REPORTED = 3;

export function reasonsAgainst(
  space: TuneSpace,
  spec: ResolvedSpec,
  target: Target,
  enumerated: number,
): readonly string[] {
  const every = Math.max(1, Math.floor(enumerated / MAX_CHECKED));
  const rules = new Map<string, { count: number; readonly example: string }>();
  let [at, checked] = [0, 0];
  for (const schedule of space.walk()) {
    if (at++ % every !== 0) continue;
    checked++;
    const planned = plan({ ...spec, schedule }, target);
    if (planned.ok) continue;
    const reported = new Set<string>();
    for (const { rule, path, message } of planned.violations) {
      const key = `${rule} ${path}`;
      if (reported.has(key)) continue;
      reported.add(key);
      const known = rules.get(key);
      if (known === undefined) rules.set(key, { count: 1, example: message });
      else known.count++;
    }
  }
  return [...rules.entries()]
    .sort(([, one], [, other]) => other.count - one.count)
    .slice(0, MAX_REPORTED)
    .map(([rule, { count, example }]) =>
      t('{0} of {1} checked schedules violate {2}: {3}', count, checked, rule, example),
    );
}
