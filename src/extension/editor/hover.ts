/**
 * Hovers: tile parameters with their value and their names in other libraries, and kernels with
 * their facts.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Analysis } from '../../core/report/analysis';
import { rooflineThumbnail } from '../../core/charts/rooflineThumbnail';
import { constantsOf } from '../../core/source/sourceConstants';
import type { KernelText } from '../../core/source/kernelFile';
import {
  codeSpan,
  joined,
  markup,
  ownMarkup,
  picture,
  table,
  type Markdown,
} from '../../core/text/markdown';
import { termValueOf } from '../../core/report/termValues';
import {
  inKernelText,
  namesElsewhere,
  termOfPath,
  termOfWord,
  type Term,
} from '../../core/text/glossary';
import { locationAt } from '../../core/spec/jsonText';
import { chartTheme } from '../display/chartTheme';
import { markdownString } from '../display/markdownString';
import { kernelTextOf } from '../documents/kernelDocument';
import { accessText, rooflineShareText, runText } from '../runs/lensText';
import { isTooLong, KERNELS, SPECS } from '../documents/selectors';
import { layoutMarkdown } from './layoutHover';
import type { KernelFacts, KernelFactsCache } from './kernelFacts';

const WORD = /@?[\p{ID_Start}_][\p{ID_Continue}]*/u;
/** Pattern of a PTX instruction with its modifiers, as in inline assembly. */
const PTX_INSTRUCTION = /\b[a-z]\w*(?:(?:\.|::)\w+)+/;

/**
 * Returns facts about the main loop in the listing of a kernel; undefined if there is no listing.
 */
export type LoopOf = (source: string, entry: string, device: string) => string | undefined;

export function registerHovers(knowledge: KernelFactsCache, loopOf: LoopOf): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider(KERNELS, {
      provideHover: (document, position, token) =>
        token.isCancellationRequested || isTooLong(document)
          ? undefined
          : kernelHover(document, position, knowledge, loopOf),
    }),
    vscode.languages.registerHoverProvider(SPECS, { provideHover: specHover }),
  );
}

function kernelHover(
  document: vscode.TextDocument,
  position: vscode.Position,
  knowledge: KernelFactsCache,
  loopOf: LoopOf,
): vscode.Hover | undefined {
  const range = document.getWordRangeAtPosition(position, WORD);
  if (range === undefined) return undefined;
  const word = document.getText(range);
  const file = kernelTextOf(document);
  const kernel = file.kernels.find(({ entry }) => entry === word);
  if (kernel !== undefined) {
    const facts = knowledge.of(file, word);
    const loop = facts.ok ? loopOf(file.text, word, facts.device) : undefined;
    return new vscode.Hover(markdownString(card(word, facts, loop)), range);
  }
  const instruction = document.getWordRangeAtPosition(position, PTX_INSTRUCTION);
  const named = instruction === undefined ? undefined : termOfWord(document.getText(instruction));
  const term = named ?? termOfWord(word);
  if (term === undefined) return undefined;
  return new vscode.Hover(
    markdownString(explain(term, valueIn(term, word, position.line, file, knowledge))),
    named === undefined ? range : instruction,
  );
}

/**
 * Returns the value of a term in the kernel at a line, from its spec and analysis. The fallback is
 * a constant of that name. Returns undefined if there is neither.
 */
function valueIn(
  term: Term,
  word: string,
  line: number,
  file: KernelText,
  knowledge: KernelFactsCache,
): Markdown | undefined {
  const kernel = file.kernels.findLast(site => site.line <= line) ?? file.kernels[0];
  const facts = kernel === undefined ? undefined : knowledge.of(file, kernel.entry);
  if (facts?.ok === true) {
    const { x, y, z } = facts.runnable.block;
    const figures = { ...facts.analysis, threads: x * y * z };
    const text = inKernelText(term, termValueOf(facts.runnable.spec, figures));
    if (text !== null) return ownMarkup(t('In this kernel: **{0}**'), text);
  }
  const constant = constantsOf(file.text)[word];
  return constant === undefined
    ? undefined
    : ownMarkup(t('In this file: **{0}** (constant)'), constant);
}

function specHover(
  document: vscode.TextDocument,
  position: vscode.Position,
): vscode.Hover | undefined {
  const place = locationAt(document.getText(), document.offsetAt(position));
  if (place === undefined) return undefined;
  const path = place.path.join('.');
  const range = new vscode.Range(document.positionAt(place.start), document.positionAt(place.end));
  if (place.kind === 'value') {
    const layout = layoutMarkdown(path, document.getText(range));
    return layout === undefined ? undefined : new vscode.Hover(markdownString(layout), range);
  }
  const term = termOfPath(path);
  return term === undefined
    ? undefined
    : new vscode.Hover(markdownString(explain(term, undefined)), range);
}

function explain(term: Term, value: Markdown | undefined): Markdown {
  const names = namesElsewhere(term);
  return joined(
    [
      markup`**${term.name}**: ${ownMarkup(term.definition)}`,
      ...(value === undefined ? [] : ['', value]),
      ...(names.length === 0
        ? []
        : [
            '',
            table(
              [t('Elsewhere'), ''],
              names.map(([library, name]) => [library, ownMarkup(name)]),
            ),
          ]),
      '',
      markup`${t('Source')}: ${ownMarkup(term.source)}`,
    ],
    '\n',
  );
}

function card(entry: string, facts: KernelFacts, loop: string | undefined): Markdown {
  if (!facts.ok) return markup`**${entry}**\n\n${facts.reason}`;
  const { analysis, runnable, runs, compiled, device } = facts;
  // All figures are for the analyzed device; the newest run names its own machine.
  const { occupancy, prediction, roofline } = analysis;
  const memory = accessText(analysis);
  const { attainable, machine } = roofline;
  const from =
    compiled === undefined ? t('estimated, on {0}', device) : `${compiled.compiler}, ${device}`;
  const registers =
    occupancy === null
      ? ''
      : t('{0} registers, {1} blocks/SM', occupancy.registers.value, occupancy.blocksPerSm);
  const rows: readonly (readonly [string, string | Markdown])[] = [
    [t('spec'), codeSpan(runnable.specKey)],
    [
      t('occupancy'),
      `${[shareOf(analysis), registers].filter(Boolean).join(', ') || t('occupancy unknown')} (${from})`,
    ],
    ...(prediction === null
      ? []
      : [
          [
            t('predicted'),
            `${Number(prediction.tflops.value.toPrecision(3))} TFLOP/s (${machine})`,
          ] as const,
        ]),
    ...(Number.isFinite(attainable.value)
      ? [
          [
            t('attainable (compulsory traffic)'),
            `${Number(attainable.value.toPrecision(3))} TFLOP/s (${machine})`,
          ] as const,
        ]
      : []),
    ...(loop === undefined ? [] : [[t('main loop'), loop] as const]),
    ...(memory === undefined ? [] : [[t('memory access'), memory] as const]),
    [t('newest run'), newestText(facts)],
  ];
  const image = rooflineThumbnail(roofline, { theme: chartTheme() });
  const alt = t('Roofline of {0}; {1} runs', machine, runs.length);
  return joined(
    [
      markup`**${entry}**`,
      '',
      table(['', ''], rows),
      '',
      picture(alt, image, `|height=${IMAGE_HEIGHT}`),
    ],
    '\n',
  );
}

/** Returns the text of the newest run and, if there is a run, its fraction of the roofline. */
function newestText({
  analysis,
  newest,
  ofSpec,
}: Pick<Extract<KernelFacts, { ok: true }>, 'analysis' | 'newest' | 'ofSpec'>): string {
  const text = runText(newest, ofSpec);
  return newest === undefined ? text : `${text}, ${rooflineShareText(analysis, newest)}`;
}

/**
 * Image height in pixels, which keeps the hover within the height that VS Code shows without
 * scrolling.
 */
const IMAGE_HEIGHT = 110;

/**
 * Formats occupancy as `25 % (registers)`, because the row label contains the word; returns an
 * empty string if the occupancy is unknown.
 */
const shareOf = ({ occupancy }: Analysis): string =>
  occupancy === null
    ? ''
    : `${Math.round(100 * occupancy.occupancy)} % (${occupancy.limiters.join(', ')})`;
