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
  type Coloring,
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
import { layoutPicture, type LayoutDrawing } from './layoutPicture';
import { FoldedSave } from './savePicture';

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
  const placed = { window, onStart: setStart };
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
      {failed === null ? null : (
        <p id={`${ID}-error`} class="invalid" role="alert">
          {t('Column {0}: {1}', failed.span.start + 1, failed.message)}
        </p>
      )}
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
      {gridChoice !== null ? (
        <Drawings
          {...placed}
          drawings={[{ title: chosen?.label ?? '', gridOf: gridChoice.gridOf }]}
          lines={[]}
        />
      ) : explained instanceof ExpressionError ? null : tileText === '' ? (
        <Explained
          {...placed}
          explained={explained}
          coloring={{ color, bytes: DTYPE_BYTES[dtype] }}
          lines={[t('{0} ({1})', colorName(color), dtype)]}
        />
      ) : (
        <ThreadValues {...placed} explained={explained} text={tileText} />
      )}
      <p class="hint">
        {t(
          'Colors repeat after 8 groups; the text of a cell is exact. Banks and sectors are those of {0} elements. m: matrices, g: tiles in global memory, s: tiles in shared memory, t: threads.',
          dtype,
        )}
      </p>
    </div>
  );
}

interface Placed {
  readonly window: GridWindow;
  readonly onStart: (start: WindowStart) => void;
}

interface DrawingsProps extends Placed {
  readonly drawings: readonly LayoutDrawing[];
  /** Lines of the saved picture. */
  readonly lines: readonly string[];
  /** Whether the captions have the titles; default: true. */
  readonly isTitled?: boolean;
}

const Drawings = (props: DrawingsProps): VNode => {
  const { drawings, lines, window, onStart, isTitled = true } = props;
  return (
    <>
      {drawings.map(({ title, gridOf }) => (
        <LayoutCells
          key={title}
          title={title}
          isTitled={isTitled}
          grid={gridOf(window)}
          onStart={onStart}
        />
      ))}
      <FoldedSave picture={layoutPicture(drawings, lines, window)} />
    </>
  );
};

interface ExplainedProps extends Placed {
  readonly explained: ExplainedLayout;
  readonly coloring: Coloring;
  readonly lines: readonly string[];
}

function Explained({ explained, coloring, lines, ...placed }: ExplainedProps): VNode {
  const { report, steps } = explained;
  const drawings = steps.map(({ title, value, isIndex }): LayoutDrawing => ({
    title: steps.length === 1 ? resultText(report) : title,
    // Indices into another layout have no banks, sectors or threads.
    gridOf: window =>
      layoutGrid(value, isIndex ? { ...coloring, color: 'offset' } : coloring, window),
  }));
  return (
    <>
      <p class="layout-result">
        <code>{resultText(report)}</code>
      </p>
      {'cute' in report ? (
        <p class="hint">
          {t(
            '_ marks static integers (compile-time constants); the others are dynamic (run time).',
          )}
        </p>
      ) : null}
      {drawings.length === 0 ? null : (
        // A single grid is the result above.
        <Drawings {...placed} drawings={drawings} lines={lines} isTitled={drawings.length > 1} />
      )}
    </>
  );
}

interface ThreadValuesProps extends Placed {
  readonly explained: ExplainedLayout;
  readonly text: string;
}

/** Tile with the thread (T) and the value (V) of each element. */
function ThreadValues({ explained, text, ...placed }: ThreadValuesProps): VNode {
  const tile = tileOfText(text);
  const value = explained.steps.at(-1)?.value;
  const drawn = tile === null || value === undefined ? null : tiledOr(value, tile, placed.window);
  if (tile === null || value === undefined || drawn instanceof LayoutError) {
    return (
      <p class="invalid" role="alert">
        {(drawn instanceof LayoutError ? drawn.message : null) ??
          t('Enter a layout, and a tile as rows x columns, such as 16x8.')}
      </p>
    );
  }
  const title = resultText(explained.report);
  const gridOf = (window: GridWindow): LayoutGrid => threadValueGrid(value, tile, window);
  return (
    <Drawings
      {...placed}
      drawings={[{ title, gridOf }]}
      lines={[t('Thread (T) and value (V) of each element of a {0} tile', text)]}
    />
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
