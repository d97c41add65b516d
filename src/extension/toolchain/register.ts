/**
 * Registers the compilers and backends of the extension host, and the commands *Check toolchain*
 * and *Remove Dawn*.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Backend } from '../../core/measure/backend';
import { COMMANDS } from '../ids';
import type { Base, Feature } from '../shared/base';
import { commandsOf } from '../shared/commands';
import { Compiler } from './compileKernel';
import { createDawn, type Dawn } from './dawn';
import { createHostBackends, type HostBackendId } from './hostBackend';
import { checkToolchain, ToolChain } from './toolChain';

export interface Toolchain extends Feature {
  readonly toolChain: ToolChain;
  readonly compiler: Compiler;
  readonly dawn: Dawn;
  readonly hostBackend: (id: HostBackendId) => Backend;
  readonly check: () => Promise<void>;
}

export function registerToolchain(base: Base): Toolchain {
  const { abilities, guard, log } = base;
  const command = commandsOf(base);
  const toolChain = new ToolChain(abilities);
  const compiler = new Compiler(toolChain, log);
  const isTrusted = (): boolean => vscode.workspace.isTrusted;
  const dawn = createDawn({ ability: abilities.dawn, log, isTrusted });
  const check = (): Promise<void> => checkToolchain(toolChain, guard, log, dawn);
  return {
    toolChain,
    compiler,
    dawn,
    hostBackend: createHostBackends(abilities, toolChain, compiler),
    check,
    subscriptions: [
      toolChain,
      compiler,
      command(COMMANDS.checkToolChain, check),
      command(COMMANDS.removeDawn, () => guard(t('Removing Dawn'), dawn.remove)),
    ],
  };
}
