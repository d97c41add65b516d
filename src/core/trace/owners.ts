/** Finds the owners of elements of C for every kernel family. */
import { isLowered, type Kernel } from '../kernel/kernel';
import { loweredOwners } from './loweredOwner';
import type { Element, Owner } from './owner';
import { wgmmaOwners } from './wgmmaOwner';

/** Returns a function from an element inside of C to its owner. */
export const ownersOf = (kernel: Kernel): ((element: Element) => Owner) =>
  isLowered(kernel) ? loweredOwners(kernel) : wgmmaOwners(kernel);
