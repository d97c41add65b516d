/** The diff of two kernel sources: side by side on a wide page, unified otherwise. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { pairedLines, difference, type Part } from '../../src/core/text/hunks';
import type { DiffLine } from '../../src/core/text/lineDiff';
import { tokensOf } from '../sourceTokens';
import { Tokens } from './tokens';

export interface CodeDifferenceProps {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly wide: boolean;
}

export function CodeDifference({ name, before, after, wide }: CodeDifferenceProps): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details
      open={open}
      onToggle={event => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        {before === after ? t('{0}: identical source', name) : t('{0}: source differences', name)}
      </summary>
      {open && before !== after ? (
        <Lines name={name} before={before} after={after} wide={wide} />
      ) : null}
    </details>
  );
}

function Lines({ name, before, after, wide }: CodeDifferenceProps): VNode {
  const { parts, added, removed } = useMemo(() => difference(before, after), [before, after]);
  return (
    <>
      <p class="hint">
        {t(
          'Lines only in the current source (+): {0}; only in the pinned source (−): {1}',
          added,
          removed,
        )}
      </p>
      <div class="listing" role="region" aria-label={t('{0}: difference', name)} tabIndex={0}>
        <table class={wide ? 'difference wide' : 'difference'}>
          {wide ? <Columns /> : null}
          <tbody>
            {parts.map((part, index) =>
              wide ? <Abreast key={index} part={part} /> : <Unified key={index} part={part} />,
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Sets column widths for the fixed table layout, because the first row may be collapsed. */
const Columns = (): VNode => (
  <colgroup>
    <col class="at" />
    <col />
    <col class="at" />
    <col />
  </colgroup>
);

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };

const Text = ({ line: { kind, text } }: { readonly line: DiffLine }): VNode => (
  <>
    {`${SIGNS[kind]} `}
    <Tokens tokens={tokensOf(text).tokens} />
  </>
);

const Folded = ({
  lines,
  columns,
}: {
  readonly lines: number;
  readonly columns: number;
}): VNode => (
  <tr class="folded">
    <td colSpan={columns}>
      {lines === 1 ? t('1 unchanged line') : t('{0} unchanged lines', lines)}
    </td>
  </tr>
);

function Unified({ part }: { readonly part: Part }): VNode {
  if (part.kind === 'folded') return <Folded lines={part.lines} columns={3} />;
  return (
    <>
      {part.lines.map(line => (
        <tr key={`${line.before ?? ''} ${line.after ?? ''}`} class={line.kind}>
          <td class="at">{line.before}</td>
          <td class="at">{line.after}</td>
          <td>
            <Text line={line} />
          </td>
        </tr>
      ))}
    </>
  );
}

function Abreast({ part }: { readonly part: Part }): VNode {
  if (part.kind === 'folded') return <Folded lines={part.lines} columns={4} />;
  return (
    <>
      {pairedLines(part.lines).map(([left, right], index) => (
        <tr key={index}>
          <td class="at">{left?.before}</td>
          <td class={left?.kind}>{left === null ? '' : <Text line={left} />}</td>
          <td class="at">{right?.after}</td>
          <td class={right?.kind}>{right === null ? '' : <Text line={right} />}</td>
        </tr>
      ))}
    </>
  );
}
