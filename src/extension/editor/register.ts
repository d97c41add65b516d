/** What stands in text editors: CodeLens, hovers, Problems with their fixes, completion. */
import * as vscode from 'vscode';
import { isRunOf } from '../runs/lensText';
import { settings } from '../shared/settings';
import { registerCodeLens } from './codeLens';
import { registerCompletion } from './completion';
import { registerHovers, type LoopOf } from './hover';
import { registerKernelActions, type ActionParts } from './kernelActions';
import { watchKernels, type ProblemParts } from './kernelProblems';
import { createKnowledge, type KnownParts } from './kernelFacts';

export interface EditorParts extends ProblemParts, ActionParts {
  readonly factsOf: KnownParts['factsOf'];
  readonly loopOf: LoopOf;
}

export function registerEditor(parts: EditorParts): readonly vscode.Disposable[] {
  const { factsOf, runs, onDidChange } = parts;
  const knowledge = createKnowledge({
    factsOf,
    runsOf: (source, specKey) => runs().filter(isRunOf(source, specKey)),
    runs,
    device: settings.device,
  });
  return [
    onDidChange(knowledge.forget),
    registerCodeLens(knowledge, onDidChange),
    registerHovers(knowledge, parts.loopOf),
    registerKernelActions(parts),
    watchKernels(parts),
    registerCompletion(),
  ];
}
