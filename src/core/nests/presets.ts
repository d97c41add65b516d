/** Named loop nests, from three loops to the hierarchy of a GPU. */
import { nestOf } from './text';
import type { LoopNest } from './nest';

export interface NestPreset {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly nest: LoopNest;
}

const preset = (id: string, name: string, text: string, about: string): NestPreset => ({
  id,
  name,
  about,
  nest: nestOf(text),
});

export const NEST_PRESETS: readonly NestPreset[] = [
  preset(
    'ijk',
    'i, j, k',
    'i j k',
    'Inner product: each element of C is a dot product of a row of A and a column of B.',
  ),
  preset(
    'kij',
    'k, i, j',
    'k i j',
    'Outer product: each k adds a column of A times a row of B to all of C.',
  ),
  preset(
    'ikj',
    'i, k, j',
    'i k j',
    'Rows of B: the innermost loop reads B and C along contiguous rows.',
  ),
  preset(
    'tiled',
    'tiled',
    'i:16 j:16 k:16 i j k',
    'Each loop is split, so that tiles of A, B and C are reused while they are in the cache.',
  ),
  preset(
    'grid',
    'grid and block',
    'i:16@grid j:16@grid k:16 i@block j@block k',
    'One thread block per tile of C, and one thread per element. The loops over k stay sequential.',
  ),
  preset(
    'shared',
    'shared memory',
    'i:16@grid j:16@grid k:16+shared i@block j@block k',
    'Each block copies tiles of A and B to shared memory, so that its threads share them.',
  ),
  preset(
    'thread-tile',
    'thread tiles',
    'i:64@grid j:64@grid k:8+shared i:4@block j:4@block k i j',
    'Each thread keeps 4 x 4 accumulators, and reuses each loaded value 4 times.',
  ),
  preset(
    'warp-tile',
    'warp tiles',
    'i:64@grid j:64@grid k:8+shared i:32@block j:16@block i:4@warp j:4@warp k i j@vector',
    'The hierarchy of a GPU: grid, block tile, warp tile, thread tile and vectorized accesses.',
  ),
];

export const presetNamed = (id: string): NestPreset | undefined =>
  NEST_PRESETS.find(preset_ => preset_.id === id);
