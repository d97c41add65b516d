/** What rules of `wgmma` are made of. */
import type { WgmmaPlan } from './plan';
import type { Breach, ShapeInput, ShapeRule } from './rule';

type Rule = (input: ShapeInput & { readonly wgmma: WgmmaPlan }) => readonly Omit<Breach, 'rule'>[];

/** A rule of plans that have warp groups. */
export const wgmmaRule =
  (name: string, of: Rule): ShapeRule =>
  input => {
    const { wgmma } = input.geometry;
    return wgmma === undefined
      ? []
      : of({ ...input, wgmma }).map(breach => ({ rule: name, ...breach }));
  };
