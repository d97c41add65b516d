/** Registers *Generate tiled GEMM*. */
import * as vscode from 'vscode';
import { COMMANDS } from '../ids';
import type { Shown } from '../documents/shown';
import type { Base, Feature } from '../shared/base';
import { commandsOf, uriOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { generate, generateFrom } from './generate';

export interface GenerateParts extends Base {
  readonly toolchain: Pick<Toolchain, 'compiler' | 'toolChain'>;
}

export interface Generation extends Feature {
  /** Writes the kernels of a spec. Without trust or a writable folder, opens previews instead. */
  readonly generate: (shown: Shown) => Promise<void>;
  /** Fires with the content of the spec file after its kernels were written. */
  readonly onDidGenerate: vscode.Event<Shown>;
}

export function registerGenerate(base: GenerateParts): Generation {
  const { abilities, log, toolchain } = base;
  const generated = new vscode.EventEmitter<Shown>();
  const onGenerated = generated.fire.bind(generated);
  const { compiler, toolChain } = toolchain;
  const mayHaveCuda = toolChain.mayHaveCuda.bind(toolChain);
  const parts = { compiler, mayHaveCuda, files: abilities.files, log, onGenerated };
  return {
    onDidGenerate: generated.event,
    generate: shown => generate(shown, parts),
    subscriptions: [
      generated,
      commandsOf(base)(COMMANDS.generate, argument => generateFrom(uriOf(argument), parts)),
    ],
  };
}
