/** The lines of the kernel around the current step. */
import { t } from '@vscode/l10n';
import { Fragment, type VNode } from 'preact';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import { tokensOf } from '../sourceTokens';
import { Tokens } from './tokens';

/** Number of lines before and after the statement that are shown with it. */
const CONTEXT_LINES = 3;

export interface ExcerptProps {
  readonly source: string;
  /** Lines of the step; undefined if the step has no line in the source. */
  readonly lines: Lines | undefined;
}

export function Excerpt({ source, lines }: ExcerptProps): VNode {
  const all = source.split('\n');
  const from = lines === undefined ? 0 : Math.max(0, lines.first - 1 - CONTEXT_LINES);
  const to = lines === undefined ? 0 : lines.first + CONTEXT_LINES;
  return (
    <pre class="step-code" tabIndex={0} role="region" aria-label={t('Source code of the step')}>
      {all.slice(from, to).map((text, i) => {
        const number = from + i + 1;
        const isCurrent =
          lines !== undefined && number >= lines.first && number <= Math.min(lines.last, to);
        const line = (
          <>
            {`${String(number).padStart(4)}  `}
            <Tokens tokens={tokensOf(text).tokens} />
            {'\n'}
          </>
        );
        return isCurrent ? (
          <mark key={number}>{line}</mark>
        ) : (
          <Fragment key={number}>{line}</Fragment>
        );
      })}
    </pre>
  );
}
