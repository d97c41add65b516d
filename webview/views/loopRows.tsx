/** The loops of a nest as a list, and the edits of the selected loop. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import {
  assigned,
  merged,
  moved,
  split,
  splitFactors,
  toggledShared,
} from '../../src/core/nests/edits';
import {
  LEVELS,
  parentStep,
  variablesOf,
  type Level,
  type LoopNest,
} from '../../src/core/nests/nest';
import type { NestReport } from '../../src/core/nests/report';
import { Button, Select } from '../kit';

export interface LoopRowsProps {
  readonly nest: LoopNest;
  readonly report: NestReport;
  readonly selected: number;
  readonly onSelect: (at: number) => void;
  /** Called with the changed nest and the position of the selected loop in it. */
  readonly onChange: (nest: LoopNest, at: number) => void;
}

const levelName = (level: Level): string =>
  ({
    grid: t('grid (thread blocks)'),
    block: t('block (threads or warps)'),
    warp: t('warp (lanes)'),
    thread: t('thread (one after another)'),
    vector: t('vector (one access)'),
    mma: t('mma (one instruction)'),
  })[level];

export function LoopRows(props: LoopRowsProps): VNode {
  const { nest, report, selected, onSelect, onChange } = props;
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const violations = [
    ...report.violations.sequential,
    ...report.violations.cuda,
    ...report.violations.wgsl,
  ];
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= nest.length) return;
    onChange(moved(nest, from, to), to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (event.altKey) move(selected, selected + step);
    else onSelect(Math.max(0, Math.min(nest.length - 1, selected + step)));
  };
  return (
    <>
      <ul
        ref={list}
        class="loop-rows"
        role="listbox"
        tabIndex={0}
        aria-label={t('Loops, outermost first. Alt and an arrow key moves a loop.')}
        aria-activedescendant={`loop-row-${selected}`}
        onKeyDown={onKeyDown}
      >
        {nest.map((loop, at) => (
          <li
            key={`${loop.axis} ${loop.step}`}
            id={`loop-row-${at}`}
            role="option"
            aria-selected={at === selected}
            class={[
              `loop-${loop.level}`,
              at === dragged && 'dragged',
              violations.some(violation => violation.at === at) && 'invalid',
            ]
              .filter(Boolean)
              .join(' ')}
            draggable
            onClick={() => {
              onSelect(at);
              list.current?.focus();
            }}
            onDragStart={event => {
              setDragged(at);
              event.dataTransfer?.setData('text/plain', report.lines[at] ?? '');
            }}
            onDragOver={event => {
              if (dragged !== null) event.preventDefault();
            }}
            onDrop={event => {
              event.preventDefault();
              if (dragged !== null) move(dragged, at);
              setDragged(null);
            }}
            onDragEnd={() => {
              setDragged(null);
            }}
          >
            <code>{report.lines[at]}</code>
          </li>
        ))}
      </ul>
      <pre class="loop-body">
        <code>{report.lines[nest.length]?.trim()}</code>
      </pre>
      <Edits {...props} onMove={move} />
    </>
  );
}

interface EditsProps extends LoopRowsProps {
  readonly onMove: (from: number, to: number) => void;
}

/** Choice that splits no loop. */
const NONE = 'none';

function Edits({ nest, selected, onChange, onMove }: EditsProps): VNode | null {
  const loop = nest[selected];
  if (loop === undefined) return null;
  const name = variablesOf(nest)[selected] ?? '';
  const factors = splitFactors(nest, selected);
  const isOutermostK = loop.axis === 'k' && loop.step > 1 && parentStep(nest, loop) === null;
  return (
    <div class="loop-edits" role="group" aria-label={t('Edits of loop {0}', name)}>
      <Button
        disabled={selected === 0}
        onPress={() => {
          onMove(selected, selected - 1);
        }}
      >
        {t('Move out')}
      </Button>
      <Button
        disabled={selected === nest.length - 1}
        onPress={() => {
          onMove(selected, selected + 1);
        }}
      >
        {t('Move in')}
      </Button>
      <Select
        id="loop-level"
        label={t('Level of loop {0}', name)}
        value={loop.level}
        choices={LEVELS.filter(level => level !== 'mma' || loop.level === 'mma').map(level => ({
          value: level,
          label: levelName(level),
        }))}
        onChoose={value => {
          const level = LEVELS.find(known => known === value);
          if (level !== undefined) onChange(assigned(nest, selected, level), selected);
        }}
      />
      {factors.length === 0 ? null : (
        <Select
          id="loop-split"
          label={t('Split loop {0}', name)}
          value={NONE}
          choices={[
            { value: NONE, label: t('split {0}', name) },
            ...factors.map(factor => ({
              value: String(factor),
              label: t('split by {0}', factor),
            })),
          ]}
          onChoose={value => {
            onChange(split(nest, selected, Number(value)), selected);
          }}
        />
      )}
      {loop.step === 1 ? null : (
        <Button
          title={t(
            'Removes this loop; the next inner loop over {0} covers its iterations',
            loop.axis,
          )}
          onPress={() => {
            onChange(merged(nest, selected), Math.max(0, selected - 1));
          }}
        >
          {t('Merge')}
        </Button>
      )}
      {isOutermostK ? (
        <Button
          onPress={() => {
            onChange(toggledShared(nest, selected), selected);
          }}
        >
          {loop.shared === true ? t('Read global memory') : t('Copy tiles to shared memory')}
        </Button>
      ) : null}
    </div>
  );
}
