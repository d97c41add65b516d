/** Defines an access site: a load or store statement of a kernel. */
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
  /** Part of `inner` that selects the batch entry or a part of the workspace. */
  readonly offset: Affine;
  /** Warp index in the block. */
  readonly warp: Affine;
  readonly row: number;
  /** Elements per lane. Accesses are aligned to this width. */
  readonly width: number;
  /** Whether an asynchronous copy executes the access. */
  readonly copied: boolean;
  /** Masks that must all hold for a lane to be active. */
  readonly masks: readonly Mask[];
  /** Number of warp executions in the whole grid. */
  readonly visits: number;
  /** Sites of the same access in the pipeline's prologue and drain. */
  readonly outside: readonly AccessSite[];
}
