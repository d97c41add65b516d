/** A place in a kernel's text where warps load or store. */
import type { Affine } from '../kernel/ir/affine';
import type { Site } from '../kernel/ir/ir';
import type { Mask } from './lanes';

export interface AccessSite {
  readonly site: Site;
  readonly op: 'load' | 'store';
  readonly space: 'global' | 'shared';
  /** Element index: `base + outer * row + inner`. */
  readonly base: number;
  readonly outer: Affine;
  readonly inner: Affine;
  /** Elements between two rows. */
  readonly row: number;
  /** Elements each lane moves, aligned to as many. */
  readonly width: number;
  /** Stored by an asynchronous copy. */
  readonly copied: boolean;
  /** Lanes in which all of them hold take part. */
  readonly masks: readonly Mask[];
  /** How often warps come by, in all blocks of the grid together. */
  readonly visits: number;
  /** The same access before and after the main loop. */
  readonly outside: readonly AccessSite[];
}
