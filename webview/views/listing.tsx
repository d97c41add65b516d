/**
 * Source listing with line numbers and syntax colors. It highlights the lines of the last change,
 * and the lines that a picture refers to.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useLinkedLines } from '../linkedLines';
import { gutterOf, sourceLines, touched, UNTOUCHED, type SourceLine } from '../listing';
import { Tokens } from './tokens';

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
  const drawn = useLines(text, lines);
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
          <code>{drawn}</code>
        </pre>
      </div>
    </>
  );
}

interface DrawnLine extends SourceLine {
  readonly vnode: VNode;
}

/** Draws the lines. An unchanged line keeps its element, which Preact then does not compare. */
function useLines(text: string, changed: ReadonlySet<number>): readonly VNode[] {
  const last = useRef<readonly DrawnLine[]>([]);
  return useMemo(() => {
    const known = last.current;
    const lines = sourceLines(text, changed);
    last.current = lines.map((line, index) => {
      const before = known[index];
      return before?.tokens === line.tokens && before.changed === line.changed
        ? before
        : { ...line, vnode: <Line key={index} first={index === 0} {...line} /> };
    });
    return last.current.map(({ vnode }) => vnode);
  }, [text, changed]);
}

/** Highlighting excludes the line break. */
const Line = ({ first, tokens, changed }: SourceLine & { readonly first: boolean }): VNode => (
  <>
    {first ? '' : '\n'}
    {changed ? (
      <mark>
        <Tokens tokens={tokens} />
      </mark>
    ) : (
      <Tokens tokens={tokens} />
    )}
  </>
);

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
