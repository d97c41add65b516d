/**
 * Grid of a CuTe layout: a layout of the kernel or any expression, in colors by thread, bank or
 * sector. A composition is shown with its operands, a swizzle with the layout without it.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  LAYOUT_COLORS,
  layoutGrid,
  threadValueGrid,
  tileOfText,
  type GridWindow,
  type LayoutColor,
  type LayoutGrid,
} from '../../src/core/charts/layoutGrid';
import { explainLayout, type ExplainedLayout } from '../../src/core/charts/layoutSteps';
import type { Kernel } from '../../src/core/kernel/kernel';
import { tupleText } from '../../src/core/layout/intTuple';
import { LayoutError } from '../../src/core/layout/layout';
import type { Report } from '../../src/core/layout/print';
import { ExpressionError } from '../../src/core/layout/tokens';
import type { PlacedLayout } from '../../src/core/layout/value';
import { cuteLayouts, cuteSource } from '../../src/core/plan/cuteSource';
import { DTYPE_BYTES } from '../../src/core/types/dtype';
import { Select } from '../kit';
import { LayoutCells, type WindowStart } from './layoutCells';
import { layoutChoices } from './layoutChoices';

/** Choice of an expression that the user typed. */
const TYPED = 'expression';
const ID = 'layout-expression';
const TILE_ID = 'layout-tile';
const EXAMPLE = 'tile((8,8):(1,8), (4,4))';
/** Rows and columns of a grid that are shown at a time. */
const WINDOW = { rows: 16, columns: 16 } as const;
const FIRST: WindowStart = { row: 0, column: 0 };

const colorName = (color: LayoutColor): string =>
  ({
    offset: t('Color: offset modulo 8'),
    thread: t('Color: thread'),
    bank: t('Color: shared-memory bank'),
    sector: t('Color: 32-byte sector'),
  })[color];

export function LayoutExplorer({ kernel }: { readonly kernel: Kernel }): VNode {
  const choices = useMemo(() => layoutChoices(kernel), [kernel]);
  const before = useMemo(() => cuteSource(cuteLayouts(kernel.plan)), [kernel]);
  const initial = choices.find(({ id }) => id === 'tC') ?? choices.find(({ id }) => id === 'gC');
  const [chosenId, setChosenId] = useState(initial?.id ?? TYPED);
  const [text, setText] = useState(initial?.id ?? 'gC');
  /** Null for the color that suits the choice. */
  const [chosenColor, setColor] = useState<LayoutColor | null>(null);
  const [start, setStart] = useState(FIRST);
  const [tileText, setTileText] = useState('');
  const explained = useMemo(() => explainedOr(text, before), [text, before]);
  const chosen = choices.find(({ id }) => id === chosenId);
  const dtype = kernel.spec.problem.a.dtype;
  const window = { ...start, ...WINDOW };
  const suitable = chosen?.shown.kind === 'expression' ? chosen.shown.color : 'offset';
  const color = chosenColor ?? suitable;
  const gridChoice = chosen?.shown.kind === 'grid' ? chosen.shown : null;
  const grid = useMemo(() => gridChoice?.gridOf(window) ?? null, [chosen, start]);
  const failed = explained instanceof ExpressionError ? explained : null;
  const show = (id: string): void => {
    const shown = choices.find(choice => choice.id === id)?.shown;
    setChosenId(id);
    setStart(FIRST);
    if (shown?.kind !== 'expression') return;
    setText(shown.expression);
    setColor(null);
  };
  return (
    <div class="layout-explorer">
      <div class="choices">
        <Select
          id="layout-choice"
          label={t('Layout')}
          value={chosen?.id ?? TYPED}
          choices={[
            { value: TYPED, label: t('Expression') },
            ...choices.map(({ id, label }) => ({ value: id, label })),
          ]}
          onChoose={show}
        />
        {gridChoice !== null ? null : (
          <Select
            id="layout-color"
            label={t('Color by')}
            value={color}
            choices={LAYOUT_COLORS.map(value => ({ value, label: colorName(value) }))}
            onChoose={value => {
              setColor(LAYOUT_COLORS.find(known => known === value) ?? null);
            }}
          />
        )}
      </div>
      <label class="layout-input" for={ID}>
        {t('Layout expression (CuTe notation or C++ source)')}
        <input
          id={ID}
          type="text"
          spellcheck={false}
          autocomplete="off"
          value={gridChoice === null ? text : ''}
          placeholder={EXAMPLE}
          aria-invalid={failed === null ? undefined : 'true'}
          aria-describedby={failed === null ? undefined : `${ID}-error`}
          onInput={event => {
            const typed = event.currentTarget.value;
            setText(typed);
            setChosenId(choices.some(({ id }) => id === typed) ? typed : TYPED);
            setStart(FIRST);
          }}
        />
      </label>
      <label class="layout-input" for={TILE_ID}>
        {t('Tile of a thread-value layout, such as 16x8 (optional)')}
        <input
          id={TILE_ID}
          type="text"
          spellcheck={false}
          autocomplete="off"
          value={tileText}
          onInput={event => {
            setTileText(event.currentTarget.value.trim());
            setStart(FIRST);
          }}
        />
      </label>
      {failed === null ? null : (
        <p id={`${ID}-error`} class="invalid" role="alert">
          {t('Column {0}: {1}', failed.span.start + 1, failed.message)}
        </p>
      )}
      {gridChoice !== null && grid !== null ? (
        <LayoutCells title={chosen?.label ?? ''} isTitled grid={grid} onStart={setStart} />
      ) : tileText !== '' && failed === null && !(explained instanceof ExpressionError) ? (
        <ThreadValues explained={explained} text={tileText} window={window} onStart={setStart} />
      ) : failed === null && !(explained instanceof ExpressionError) ? (
        <Explained
          explained={explained}
          gridOf={step =>
            layoutGrid(
              step.value,
              { color: step.isIndex ? 'offset' : color, bytes: DTYPE_BYTES[dtype] },
              window,
            )
          }
          onStart={setStart}
        />
      ) : null}
      <p class="hint">
        {t(
          'Colors repeat after 8 groups; the text of a cell is exact. Banks and sectors are those of {0} elements. m: matrices, g: tiles in global memory, s: tiles in shared memory, t: threads.',
          dtype,
        )}
      </p>
    </div>
  );
}

interface ThreadValuesProps {
  readonly explained: ExplainedLayout;
  readonly text: string;
  readonly window: GridWindow;
  readonly onStart: (start: WindowStart) => void;
}

/** Tile with the thread (T) and the value (V) of each element. */
function ThreadValues({ explained, text, window, onStart }: ThreadValuesProps): VNode {
  const tile = tileOfText(text);
  const value = explained.steps.at(-1)?.value;
  const drawn = tile === null || value === undefined ? null : tiledOr(value, tile, window);
  if (drawn === null || drawn instanceof LayoutError) {
    return (
      <p class="invalid" role="alert">
        {drawn?.message ?? t('Enter a layout, and a tile as rows x columns, such as 16x8.')}
      </p>
    );
  }
  return (
    <LayoutCells title={resultText(explained.report)} isTitled grid={drawn} onStart={onStart} />
  );
}

function tiledOr(
  value: PlacedLayout,
  tile: { readonly rows: number; readonly columns: number },
  window: GridWindow,
): LayoutGrid | LayoutError {
  try {
    return threadValueGrid(value, tile, window);
  } catch (error) {
    if (error instanceof LayoutError) return error;
    throw error;
  }
}

interface ExplainedProps {
  readonly explained: ExplainedLayout;
  readonly gridOf: (step: ExplainedLayout['steps'][number]) => LayoutGrid;
  readonly onStart: (start: WindowStart) => void;
}

const Explained = ({ explained, gridOf, onStart }: ExplainedProps): VNode => (
  <>
    <p class="layout-result">
      <code>{resultText(explained.report)}</code>
    </p>
    {'cute' in explained.report ? (
      <p class="hint">
        {t('_ marks static integers (compile-time constants); the others are dynamic (run time).')}
      </p>
    ) : null}
    {explained.steps.map(step => (
      <LayoutCells
        key={step.title}
        title={step.title}
        // A single grid is the result above.
        isTitled={explained.steps.length > 1}
        grid={gridOf(step)}
        onStart={onStart}
      />
    ))}
  </>
);

function resultText(report: Report): string {
  if ('value' in report) return tupleText(report.value);
  const { cute, layout, offset, swizzle } = report;
  const text = cute ?? layout;
  return offset === 0 || swizzle !== undefined
    ? text
    : t('{0}, starting at offset {1}', text, offset);
}

function explainedOr(text: string, before: string): ExplainedLayout | ExpressionError {
  try {
    return explainLayout(text, before);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}
