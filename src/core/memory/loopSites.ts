/** Merges accesses in the prologue, main loop and epilogue of a software pipeline into one site. */
import type { AccessSite } from './accessSite';

/** Attaches accesses outside a main loop to their counterparts inside it. */
export const withCounterparts = (all: readonly AccessSite[]): readonly AccessSite[] =>
  all
    .filter(access => !isInMainLoop(access, all))
    .map(access => ({ ...access, outside: counterpartsOf(access, all) }));

/**
 * Finds the counterparts of a main-loop access outside the loop; accesses with the same name occur
 * in the same order there.
 */
function counterpartsOf(access: AccessSite, all: readonly AccessSite[]): readonly AccessSite[] {
  if (access.site.once === true) return [];
  const sameSite = all.filter(({ site, op }) => op === access.op && site.name === access.site.name);
  const looped = sameSite.filter(({ site }) => site.once !== true);
  const index = looped.indexOf(access);
  return sameSite.filter(({ site }) => site.once).filter((_, i) => i % looped.length === index);
}

/** Returns whether an access outside a main loop also occurs inside it. */
const isInMainLoop = ({ site, op }: AccessSite, all: readonly AccessSite[]): boolean =>
  site.once === true &&
  all.some(other => other.op === op && other.site.name === site.name && !other.site.once);
