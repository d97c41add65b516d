/** The line above every kernel: `Benchmark | Verify | occupancy 50 % (registers) | 61 % of roof`. */
import * as vscode from 'vscode';
import { analyze } from '../core/analysis/analyze';
import { DEFAULT_DEVICE, isDeviceId } from '../core/device/devices';
import { kernelSites } from '../core/emit/kernelFile';
import type { Measurement } from '../core/measure/measurement';
import type { KernelArgument } from './commandArguments';
import type { CompiledFacts } from './facts';
import { COMMANDS, KERNEL_GLOB, type CommandId } from './ids';
import { kernelOf } from './kernelDocument';
import { occupancyText, roofText, runText } from './lensText';
import { settings } from './settings';

/** Previews have no file name yet. */
const KERNELS: vscode.DocumentSelector = [
  { pattern: KERNEL_GLOB },
  { scheme: 'untitled', language: 'cuda-cpp' },
  { scheme: 'untitled', language: 'wgsl' },
];

export interface LensParts {
  readonly factsOf: (source: string, entry: string, device: string) => CompiledFacts | undefined;
  /** Runs of exactly this text, newest last. */
  readonly runsOf: (source: string) => readonly Measurement[];
  /** Facts, runs or settings have changed. */
  readonly onDidChange: vscode.Event<void>;
}

export function registerCodeLens(parts: LensParts): vscode.Disposable {
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: parts.onDidChange,
    provideCodeLenses: document => (settings.codeLensEnabled() ? lenses(document, parts) : []),
  };
  return vscode.languages.registerCodeLensProvider(KERNELS, provider);
}

function lenses(document: vscode.TextDocument, parts: LensParts): vscode.CodeLens[] {
  return kernelSites(document.getText()).flatMap(({ entry, line }) => {
    const range = new vscode.Range(line, 0, line, 0);
    const argument: KernelArgument = { uri: document.uri.toString(), entry };
    const lens = (title: string, command: CommandId, tooltip: string): vscode.CodeLens =>
      new vscode.CodeLens(range, { title, command, tooltip, arguments: [argument] });
    return titles(document, entry, parts).map(([title, command, tooltip]) =>
      lens(title, command, tooltip),
    );
  });
}

type Title = readonly [title: string, command: CommandId, tooltip: string];

function titles(
  document: vscode.TextDocument,
  entry: string,
  { factsOf, runsOf }: LensParts,
): readonly Title[] {
  const file = kernelOf(document, entry);
  if (!file.ok) {
    const title = 'not runnable: // @gemm is missing or unusable';
    return [[title, COMMANDS.runAndVerify, file.reason]];
  }
  const { runnable, origin } = file;
  const device = runnable.spec?.device ?? settings.device();
  const facts = factsOf(runnable.source, entry, device);
  const runs = runsOf(runnable.source);
  const analysis = analyze(runnable, {
    device: isDeviceId(device) ? device : DEFAULT_DEVICE,
    measurements: runs,
    ...(facts === undefined ? {} : { resources: facts }),
  });
  const occupancy = occupancyText(analysis);
  const from = facts === undefined ? 'Estimated' : `By ${facts.compiler}`;
  const newest = runs.findLast(({ timing }) => timing !== undefined);
  return [
    ['Benchmark', COMMANDS.benchmark, 'Verify this kernel, then time it'],
    ['Verify', COMMANDS.runAndVerify, 'Run this kernel and compare its result'],
    ...(occupancy === null
      ? []
      : [[occupancy, COMMANDS.showRoofline, `${from}, on ${device}`] as const]),
    [roofText(analysis, newest), COMMANDS.showRoofline, runText(newest)],
    ...(origin === 'edited'
      ? [
          [
            'edited',
            COMMANDS.showRoofline,
            'It runs as edited; its spec is that of its head',
          ] as const,
        ]
      : []),
  ];
}
