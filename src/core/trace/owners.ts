/** Finds the owners of elements of C for every kernel family. */
import { isLowered, type Kernel } from '../kernel/kernel';
import { loweredOwners } from './loweredOwner';
import type { Owners } from './owner';
import { wgmmaOwners } from './wgmmaOwner';

export const ownersOf = (kernel: Kernel): Owners =>
  isLowered(kernel) ? loweredOwners(kernel) : wgmmaOwners(kernel);
