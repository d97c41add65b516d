/**
 * Merges the accesses in the prologue, main loop and drain of a software pipeline into one access
 * site.
 */
import type { AccessSite } from './accessSite';

/**
 * Moves each access outside the main loop to the `outside` list of the matching access inside it.
 * Accesses without a match remain separate sites.
 */
export const withCounterparts = (all: readonly AccessSite[]): readonly AccessSite[] =>
  all
    .filter(access => !isInMainLoop(access, all))
    .map(access => ({ ...access, outside: counterpartsOf(access, all) }));

/**
 * Returns the accesses outside the main loop that match an access inside it. Accesses with the same
 * name and operation are matched by their order.
 */
function counterpartsOf(access: AccessSite, all: readonly AccessSite[]): readonly AccessSite[] {
  if (access.site.once === true) return [];
  const sameSite = all.filter(({ site, op }) => op === access.op && site.name === access.site.name);
  const looped = sameSite.filter(({ site }) => site.once !== true);
  const index = looped.indexOf(access);
  return sameSite.filter(({ site }) => site.once).filter((_, i) => i % looped.length === index);
}

const isInMainLoop = ({ site, op }: AccessSite, all: readonly AccessSite[]): boolean =>
  site.once === true &&
  all.some(other => other.op === op && other.site.name === site.name && !other.site.once);
