/**
 * Hovers: tile parameters with their value and their names in other libraries, and kernels with
 * their facts.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { constantsOf } from '../../core/source/sourceConstants';
import type { KernelText } from '../../core/source/kernelFile';
import { joined, markup, ownMarkup, table, type Markdown } from '../../core/text/markdown';
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
import { isTooLong, KERNELS, SPECS } from '../documents/selectors';
import { kernelCard } from './kernelCard';
import { layoutMarkdown } from './layoutHover';
import type { KernelFactsCache } from './kernelFacts';

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
    return new vscode.Hover(
      markdownString(kernelCard(word, facts, { loop, theme: chartTheme() })),
      range,
    );
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
