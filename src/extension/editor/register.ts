/** Text editor features: CodeLens, hovers, diagnostics with their fixes, completion. */
import { fromSpec } from '../documents/shown';
import type { Documents } from '../documents/register';
import type { ExplorerFeature } from '../explorer/register';
import type { Generation } from '../generate/register';
import type { History } from '../history/register';
import { COMMANDS } from '../ids';
import { isRunOf } from '../runs/lensText';
import type { Base, Feature } from '../shared/base';
import { decodeKernelArgument } from '../../hostValues';
import { commandsOf } from '../shared/commands';
import { anyEvent, onDidChangeSettings } from '../shared/events';
import { settings } from '../shared/settings';
import type { Toolchain } from '../toolchain/register';
import type * as vscode from 'vscode';
import { registerCodeLens } from './codeLens';
import { registerCompletion } from './completion';
import { describeKernel } from './describeKernel';
import { registerForeignLens } from './foreignLens';
import { registerHovers, type LoopOf } from './hover';
import { registerKernelActions } from './kernelActions';
import { createKernelFactsCache } from './kernelFacts';
import { watchKernels } from './kernelProblems';
import { watchSpecs } from './specDiagnostics';

export interface EditorParts extends Base {
  readonly documents: Documents;
  readonly generation: Generation;
  readonly history: History;
  readonly pages: ExplorerFeature;
  readonly toolchain: Toolchain;
  readonly listings: { readonly loopOf: LoopOf; readonly onDidInspect: vscode.Event<void> };
}

export function registerEditor(parts: EditorParts): Feature {
  const { log, documents, generation, history, listings, pages, toolchain } = parts;
  const { store } = history;
  const { compiler, toolChain } = toolchain;
  const { checkWgsl, onDidChangeWgslCompiler } = pages;
  const runs = () => store.all();
  const onDidChange = anyEvent(
    compiler.onDidCompile,
    listings.onDidInspect,
    store.onDidChange,
    documents.onDidAdopt,
    toolChain.onDidChange,
    onDidChangeSettings,
  );
  const knowledge = createKernelFactsCache({
    factsOf: compiler.factsOf.bind(compiler),
    runsOf: (source, specKey) => runs().filter(isRunOf(source, specKey)),
    runs,
    device: settings.device,
  });
  const factsOfText = compiler.factsOfText.bind(compiler);
  return {
    subscriptions: [
      onDidChange(knowledge.forget),
      registerCodeLens(knowledge, onDidChange),
      registerForeignLens(),
      registerHovers(knowledge, listings.loopOf),
      registerKernelActions({ factsOfText, generate: spec => generation.generate(fromSpec(spec)) }),
      watchKernels({
        factsOfText,
        runs,
        onDidChange,
        onDidCompile: compiler.onDidCompile,
        checkWgsl,
        onDidChangeWgslCompiler,
        log,
      }),
      watchSpecs(),
      registerCompletion(),
      commandsOf(parts)(COMMANDS.describeKernel, argument =>
        describeKernel(decodeKernelArgument(argument), document => compiler.compile(document)),
      ),
    ],
  };
}
