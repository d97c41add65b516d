/** Finds the owners of elements of C for every kernel family. */
import { isLowered, type Kernel } from '../kernel/kernel';
import { loweredOwners } from './loweredOwner';
import type { Owners } from './owner';
import { wgmmaOwners } from './wgmmaOwner';

/** Returns the owners of all elements. A block is executed when an element of it is first requested. */
export const ownersOf = (kernel: Kernel): Owners =>
  isLowered(kernel) ? loweredOwners(kernel) : wgmmaOwners(kernel);
