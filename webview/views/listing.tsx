/**
 * Source listing with line numbers and dimmed comments. It highlights the lines of the last change,
 * and the lines that a picture refers to.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useLinkedLines } from '../linkedLines';
import { gutterOf, segmentsOf, touched, UNTOUCHED } from '../listing';

export interface ListingProps {
  /** Accessible name. */
  readonly label: string;
  readonly text: string;
  /** Source code before the last change; null if there is none. */
  readonly before: string | null;
}

export function Listing({ label, text, before }: ListingProps): VNode {
  const { lines, removed } = useMemo(
    () => (before === null ? UNTOUCHED : touched(before, text)),
    [before, text],
  );
  const segments = useMemo(() => segmentsOf(text, lines), [text, lines]);
  const gutter = useMemo(() => gutterOf(text, lines), [text, lines]);
  const linked = useLinkedLines(text);
  const element = useRef<HTMLDivElement>(null);
  const goToFirst = () => {
    element.current?.querySelector('mark')?.scrollIntoView({ block: 'center' });
    element.current?.focus({ preventScroll: true });
  };
  return (
    <>
      {before === null ? null : (
        <p class="touched">
          {lines.size === 0 ? (
            <span>{nothingAdded(removed)}</span>
          ) : (
            <button type="button" class="link" onClick={goToFirst}>
              {linesChanged(lines.size, removed)}
            </button>
          )}
        </p>
      )}
      <div ref={element} class="listing" tabIndex={0} role="region" aria-label={label}>
        <pre class="gutter" aria-hidden="true">
          {gutter}
        </pre>
        <pre class="source">
          {linked.map(({ first, last }) => (
            <span
              key={`${first} ${last}`}
              class="linked-lines"
              style={{ insetBlockStart: `${first - 1}lh`, blockSize: `${last - first + 1}lh` }}
            />
          ))}
          <code>
            {segments.map(({ text: part, comment, changed }) => {
              const kind = comment ? 'comment' : undefined;
              if (changed) return <mark class={kind}>{part}</mark>;
              return comment ? <span class={kind}>{part}</span> : part;
            })}
          </code>
        </pre>
      </div>
    </>
  );
}

const linesChanged = (changed: number, removed: number): string => {
  if (removed > changed) {
    return t('Lines added or changed: {0}, removed: {1}; go to first', changed, removed - changed);
  }
  return changed === 1
    ? t('1 line added or changed: go to it')
    : t('{0} lines added or changed: go to first', changed);
};

const nothingAdded = (removed: number): string => {
  if (removed === 0) return t('The last change did not affect this source code.');
  return removed === 1 ? t('1 line removed.') : t('{0} lines removed.', removed);
};
