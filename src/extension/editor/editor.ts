/** What stands in text editors: CodeLens over kernels. */
import * as vscode from 'vscode';
import type { Measurement } from '../../core/measure/measurement';
import { isRunOf } from '../lensText';
import { settings } from '../settings';
import { registerCodeLens } from './codeLens';
import { createKnowledge, type KnownParts } from './kernelFacts';

export interface EditorParts {
  readonly factsOf: KnownParts['factsOf'];
  readonly runs: () => readonly Measurement[];
  /** Facts, runs or settings have changed. */
  readonly onDidChange: vscode.Event<void>;
}

export function registerEditor({
  factsOf,
  runs,
  onDidChange,
}: EditorParts): readonly vscode.Disposable[] {
  const knowledge = createKnowledge({
    factsOf,
    runsOf: (source, specKey) => runs().filter(isRunOf(source, specKey)),
    device: settings.device,
  });
  return [onDidChange(knowledge.forget), registerCodeLens(knowledge, onDidChange)];
}
