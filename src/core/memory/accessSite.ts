/** A statement in the kernel text at which warps load or store. */
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
  /** Elements per lane; the access is aligned to its width. */
  readonly width: number;
  /** Written by an asynchronous copy. */
  readonly copied: boolean;
  /** A lane is active if all masks hold. */
  readonly masks: readonly Mask[];
  /** Number of executions by warps, summed over all blocks of the grid. */
  readonly visits: number;
  /** The same access in the prologue and epilogue of the main loop. */
  readonly outside: readonly AccessSite[];
}
