/** Registers *Generate tiled GEMM*. */
import { COMMANDS } from '../ids';
import type { Shown } from '../documents/shown';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { generate, generateFrom } from './generate';

export interface GenerateParts extends Base {
  readonly toolchain: Pick<Toolchain, 'compiler'>;
}

export interface Generation extends Feature {
  /** Writes the kernels of a spec. Without trust or a writable folder, opens previews instead. */
  readonly generate: (shown: Shown) => Promise<void>;
}

export function registerGenerate(base: GenerateParts): Generation {
  const { abilities, log, toolchain } = base;
  const parts = { compiler: toolchain.compiler, files: abilities.files, log };
  return {
    generate: shown => generate(shown, parts),
    subscriptions: [
      commandsOf(base)(COMMANDS.generate, argument => generateFrom(uriOf(argument), parts)),
    ],
  };
}
