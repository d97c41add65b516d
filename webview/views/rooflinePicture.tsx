/** Marks of the roofline chart, as a listbox for pointer and keyboard. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Chart, Mark } from '../../src/core/charts/chart';
import { MarkShape } from './rooflineMark';
import type { Item } from './rooflineReadout';

interface PictureProps {
  readonly chart: Chart;
  readonly items: readonly Item[];
  readonly pointed: string | null;
  readonly onPoint: (key: string | null) => void;
}

/** The interactive marks share one tab stop. */
export function Picture({ chart, items, pointed, onPoint }: PictureProps): VNode {
  const list = useRef<SVGGElement>(null);
  const marksOf = (key: string): readonly Mark[] =>
    chart.marks.filter(({ item, kind }) => item === key && kind !== 'text');
  const drawn = items.filter(({ key }) => marksOf(key).length > 0);
  const current = drawn.find(({ key }) => key === pointed) ?? drawn[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const index = drawn.findIndex(({ key }) => key === current?.key);
    const to = {
      ArrowRight: index + 1,
      ArrowDown: index + 1,
      ArrowLeft: index - 1,
      ArrowUp: index - 1,
      Home: 0,
      End: drawn.length - 1,
    }[event.key];
    const next = to === undefined ? undefined : drawn[(to + drawn.length) % drawn.length];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onPoint(next.key);
    list.current?.querySelector<SVGElement>(`[data-item="${next.key}"]`)?.focus();
  };
  const behind = chart.marks.filter(({ item, kind }) => item === undefined || kind === 'text');
  return (
    <svg
      width={chart.width}
      height={chart.height}
      viewBox={`0 0 ${chart.width} ${chart.height}`}
      aria-label={chart.title}
      role="group"
    >
      <g aria-hidden="true">
        {behind
          .filter(({ item }) => item === undefined)
          .map((mark, index) => (
            <MarkShape key={index} mark={mark} />
          ))}
      </g>
      <g
        ref={list}
        role="listbox"
        aria-label={t('Ceilings, points and runs')}
        onKeyDown={onKeyDown}
      >
        {[...drawn].reverse().map(({ key, name, facts }) => (
          <g
            key={key}
            role="option"
            data-item={key}
            class={key === pointed ? 'item pointed' : 'item'}
            tabIndex={key === current?.key ? 0 : -1}
            aria-selected={key === pointed}
            aria-posinset={drawn.findIndex(item => item.key === key) + 1}
            aria-setsize={drawn.length}
            aria-label={[name, ...facts].join(', ')}
            onFocus={() => {
              onPoint(key);
            }}
            // Use onPointerMove, not onPointerEnter, so that scrolling under a resting pointer
            // keeps the keyboard selection.
            onPointerMove={() => {
              onPoint(key);
            }}
          >
            {marksOf(key).map((mark, index) => (
              <MarkShape key={index} mark={mark} reachable />
            ))}
          </g>
        ))}
      </g>
      <g aria-hidden="true" class="labels">
        {behind
          .filter(({ item }) => item !== undefined)
          .map((mark, index) => (
            <MarkShape key={index} mark={mark} />
          ))}
      </g>
    </svg>
  );
}
