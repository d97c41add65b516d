/** Accesses that stand before, in and after a main loop are one site: what is done ahead and what is done last. */
import type { AccessSite } from './accessSite';

/** Sites as they were found, those around a main loop with the ones that they are in it. */
export const withTwins = (all: readonly AccessSite[]): readonly AccessSite[] =>
  all
    .filter(access => !standsInMainLoop(access, all))
    .map(access => ({ ...access, outside: twinsOf(access, all) }));

/** Where several accesses of a main loop have one name, they stand before and after it in the same order. */
function twinsOf(access: AccessSite, all: readonly AccessSite[]): readonly AccessSite[] {
  if (access.site.once === true) return [];
  const alike = all.filter(({ site, op }) => op === access.op && site.name === access.site.name);
  const looped = alike.filter(({ site }) => site.once !== true);
  const place = looped.indexOf(access);
  return alike.filter(({ site }) => site.once).filter((_, i) => i % looped.length === place);
}

/** An access before or after a main loop, in which it stands again. */
const standsInMainLoop = ({ site, op }: AccessSite, all: readonly AccessSite[]): boolean =>
  site.once === true &&
  all.some(other => other.op === op && other.site.name === site.name && !other.site.once);
