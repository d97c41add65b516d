/**
 * The CodeLens line above every kernel: `Benchmark | Verify | occupancy 50 % (registers) | 61 % of
 * roofline`.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainText } from '../../core/text/plainText';
import type { KernelArgument } from '../../hostValues';
import { COMMANDS, type CommandId } from '../ids';
import { kernelTextOf } from '../documents/kernelDocument';
import { accessText, bareText, occupancyText, rooflineShareText, runText } from '../runs/lensText';
import { settings } from '../shared/settings';
import { isTooLong, KERNELS, tooLongText } from '../documents/selectors';
import { analyzeTitle } from './describeKernel';
import type { BareFacts, KernelFactsCache } from './kernelFacts';
import { lensPlaces, MAX_KERNELS, type LensKind } from './lensPlaces';

interface Title {
  readonly title: string;
  readonly command: CommandId;
  readonly tooltip: string;
}

class KernelLens extends vscode.CodeLens {
  constructor(
    line: number,
    readonly document: vscode.TextDocument,
    readonly kind: LensKind,
    readonly entry: string,
  ) {
    super(new vscode.Range(line, 0, line, 0));
  }
}

export function registerCodeLens(
  knowledge: KernelFactsCache,
  onDidChange: vscode.Event<void>,
): vscode.Disposable {
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: onDidChange,
    provideCodeLenses: document => (settings.codeLensEnabled() ? lensesOf(document) : []),
    resolveCodeLens: (lens, token) => {
      if (!(lens instanceof KernelLens) || token.isCancellationRequested) return undefined;
      const { document, kind, entry } = lens;
      lens.command = command(titleOf(document, kind, entry, knowledge), document, entry);
      return lens;
    },
  };
  return vscode.languages.registerCodeLensProvider(KERNELS, provider);
}

function lensesOf(document: vscode.TextDocument): vscode.CodeLens[] {
  if (isTooLong(document)) return [tooLong(document)];
  return lensPlaces(kernelTextOf(document)).map(
    ({ line, kind, entry }) => new KernelLens(line, document, kind, entry),
  );
}

function tooLong(document: vscode.TextDocument): vscode.CodeLens {
  const title = tooLongText(document);
  const tooltip = t('Move the kernels to a separate file.');
  const lens = new vscode.CodeLens(new vscode.Range(0, 0, 0, 0));
  lens.command = command({ title, tooltip, command: COMMANDS.openExplorer }, document);
  return lens;
}

function command(
  title: Title,
  document: vscode.TextDocument,
  entry?: string,
): vscode.Command & Title {
  const argument: KernelArgument = {
    uri: document.uri.toString(),
    ...(entry === undefined ? {} : { entry }),
  };
  // VS Code renders `$(name)` in titles as an icon, so escape it.
  const words = { title: plainText(title.title), tooltip: plainText(title.tooltip) };
  return { ...title, ...words, arguments: [argument] };
}

function titleOf(
  document: vscode.TextDocument,
  kind: LensKind,
  entry: string,
  knowledge: KernelFactsCache,
): Title {
  switch (kind) {
    case 'benchmark':
      return {
        title: t('Benchmark'),
        command: COMMANDS.benchmark,
        tooltip: t('Verify this kernel, then time it'),
      };
    case 'verify':
      return {
        title: t('Verify'),
        command: COMMANDS.runAndVerify,
        tooltip: t('Run this kernel and verify its result'),
      };
    case 'describe':
      return {
        title: analyzeTitle(),
        command: COMMANDS.describeKernel,
        tooltip: t(
          'Adds a comment with the problem size and the launch of {0}, so that it can be run, verified and analyzed. The values are inferred from the source.',
          entry,
        ),
      };
    case 'bare':
      return bare(knowledge.bare(kernelTextOf(document), entry));
    case 'limit':
      return {
        title: t('GEMM: CodeLens is limited to the first {0} kernels of a file', MAX_KERNELS),
        command: COMMANDS.openExplorer,
        tooltip: t('Commands and hovers work on all kernels.'),
      };
    case 'occupancy':
    case 'roof':
      return analyzed(document, kind, entry, knowledge);
  }
}

function bare(facts: BareFacts | undefined): Title {
  const command = COMMANDS.describeKernel;
  if (facts === undefined) {
    const why = t('Save the file to compile it: register counts require nvcc output.');
    return { title: t('occupancy unknown'), command, tooltip: why };
  }
  const { occupancy, device, compiler } = facts;
  const from = t('{0}, on {1}', compiler, device);
  return { title: bareText(occupancy), command, tooltip: [from, ...occupancy.notes].join('. ') };
}

function analyzed(
  document: vscode.TextDocument,
  kind: 'occupancy' | 'roof',
  entry: string,
  knowledge: KernelFactsCache,
): Title {
  const facts = knowledge.of(kernelTextOf(document), entry);
  if (!facts.ok) {
    const title = kind === 'occupancy' ? t('not runnable: invalid // @gemm') : t('Fix annotation…');
    return { title, command: COMMANDS.describeKernel, tooltip: facts.reason };
  }
  const { analysis, newest, ofSpec, compiled, device, origin } = facts;
  const { showRoofline } = COMMANDS;
  if (kind === 'roof') {
    const tooltip = runText(newest, ofSpec);
    return { title: rooflineShareText(analysis, newest, ofSpec), command: showRoofline, tooltip };
  }
  const memory = accessText(analysis);
  const occupied = occupancyText(analysis) ?? t('occupancy unknown');
  const occupancy = memory === undefined ? occupied : `${occupied}, ${memory}`;
  const from =
    compiled === undefined
      ? t('Estimated, on {0}', device)
      : t('{0}, on {1}', compiled.compiler, device);
  const why = analysis.occupancy === null ? (analysis.notes.at(-1)?.text ?? '') : from;
  const edited = t(
    'Runs use the edited source; the analysis uses the spec in the // @gemm comment',
  );
  return origin === 'edited'
    ? { title: t('edited, {0}', occupancy), command: showRoofline, tooltip: `${why}. ${edited}` }
    : { title: occupancy, command: showRoofline, tooltip: why };
}
