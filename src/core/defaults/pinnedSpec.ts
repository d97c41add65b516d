/** A spec with every default written out. */
import { toSpec } from '../spec/toSpec';
import type { GemmSpec } from '../spec/schema';
import { resolve } from './resolve';

/**
 * Returns the spec with its resolved schedule, so that later defaults do not change it. It lists no
 * targets if the spec lists none.
 */
export function pinnedSpec(spec: GemmSpec): GemmSpec {
  const pinned = toSpec(resolve(spec));
  if (spec.targets === undefined) delete pinned.targets;
  return pinned;
}
