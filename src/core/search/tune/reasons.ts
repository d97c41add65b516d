/** Reports why a space has no legal member: the rules that its members violate most often. */
import { t } from '@vscode/l10n';
import { plan } from '../../plan/planner';
import type { ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import type { TuneSpace } from './space';

/** Number of members to check, spread over the space. */
const ASKED = 500;
const TOLD = 3;

export function reasonsAgainst(
  space: TuneSpace,
  spec: ResolvedSpec,
  target: Target,
  walked: number,
): readonly string[] {
  const every = Math.max(1, Math.floor(walked / ASKED));
  const rules = new Map<string, { count: number; readonly example: string }>();
  let [at, asked] = [0, 0];
  for (const schedule of space.walk()) {
    if (at++ % every !== 0) continue;
    asked++;
    const planned = plan({ ...spec, schedule }, target);
    if (planned.ok) continue;
    const said = new Set<string>();
    for (const { rule, path, message } of planned.violations) {
      const key = `${rule} ${path}`;
      if (said.has(key)) continue;
      said.add(key);
      const known = rules.get(key);
      if (known === undefined) rules.set(key, { count: 1, example: message });
      else known.count++;
    }
  }
  return [...rules.entries()]
    .sort(([, one], [, other]) => other.count - one.count)
    .slice(0, TOLD)
    .map(([rule, { count, example }]) =>
      t('{0} of {1} checked schedules violate {2}: {3}', count, asked, rule, example),
    );
}
