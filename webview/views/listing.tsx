/**
 * Source listing with line numbers and syntax colors. It highlights the lines of the last change,
 * and the lines that a picture refers to.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import { useLinkedLines } from '../linkedLines';
import { gutterOf, sourceLines, touched, UNTOUCHED, type SourceLine } from '../listing';
import { Tokens } from './tokens';

export interface ListingProps {
  /** Accessible name. */
  readonly label: string;
  readonly text: string;
  /** Source code before the last change; null if there is none. */
  readonly before: string | null;
  /** Highlighted lines; default: the lines that a picture refers to. */
  readonly linked?: readonly Lines[];
}

export function Listing({ label, text, before, linked: given }: ListingProps): VNode {
  const { lines, removed } = useMemo(
    () => (before === null ? UNTOUCHED : touched(before, text)),
    [before, text],
  );
  const drawn = useLines(text, lines);
  const gutter = useMemo(() => gutterOf(text, lines), [text, lines]);
  const fromPictures = useLinkedLines(text);
  const linked = given ?? fromPictures;
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

/**
 * Draws the lines. Equal lines keep their elements, also after lines were inserted before them, and
 * Preact does not compare a line with itself.
 */
function useLines(text: string, changed: ReadonlySet<number>): readonly VNode[] {
  const last = useRef<ReadonlyMap<string, DrawnLine>>(new Map());
  return useMemo(() => {
    const known = last.current;
    const drawn = new Map<string, DrawnLine>();
    const occurrences = new Map<SourceLine['tokens'], number>();
    for (const line of sourceLines(text.replace(/\n$/, ''), changed)) {
      const { tokens } = line;
      const occurrence = occurrences.get(tokens) ?? 0;
      occurrences.set(tokens, occurrence + 1);
      const key = `${occurrence} ${tokens.map(token => token.text).join('')}`;
      const before = known.get(key);
      const isSame = before?.tokens === tokens && before.changed === line.changed;
      drawn.set(key, isSame ? before : { ...line, vnode: <Line key={key} {...line} /> });
    }
    last.current = drawn;
    return [...drawn.values()].map(({ vnode }) => vnode);
  }, [text, changed]);
}

/** Highlighting excludes the line break. */
const Line = ({ tokens, changed }: SourceLine): VNode => (
  <>
    {changed ? (
      <mark>
        <Tokens tokens={tokens} />
      </mark>
    ) : (
      <Tokens tokens={tokens} />
    )}
    {'\n'}
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
