/** Picture of a step: the tiles of A, B and C, and the shared arrays, cell by cell. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import type { BlockTrace, Step } from '../../src/core/trace/blockTrace';
import { indexOf, positionOf, type Position } from '../../src/core/trace/position';
import {
  accumulatorOf,
  elementOf,
  elementTag,
  wholeTag,
  type TaggedElement,
} from '../../src/core/trace/tags';
import type { TraceState } from '../../src/core/trace/traceState';
import type { TileOfC } from '../../src/core/trace/tileOfC';
import { CellGrid, type CellKind } from './cellGrid';

const TILE_PX = 240;
const ARRAY_PX = 160;

export interface StepPictureProps {
  readonly kernel: LoweredKernel;
  readonly trace: BlockTrace;
  readonly tile: TileOfC;
  readonly state: TraceState;
  /** The last executed step; null before the first step. */
  readonly step: Step | null;
  readonly followed: TaggedElement | null;
  readonly onFollow: (element: TaggedElement) => void;
}

export function StepPicture(props: StepPictureProps): VNode {
  const { kernel, trace, tile, state, followed, onFollow } = props;
  const { problem } = kernel;
  const touched = useMemo(() => touchedBy(props.step, trace), [props.step]);
  const resident = useMemo(() => new Set(state.shared.map(wholeTag)), [state]);
  const followedTag = followed === null ? null : elementTag(followed.operand, followed.index);
  const operandKind = (operand: 'a' | 'b', at: Position): CellKind | null => {
    const element = { operand, index: indexOf(problem, operand, at) };
    const tag = elementTag(operand, element.index);
    if (tag === followedTag) return 'followed';
    if (touched.global.has(tag) || touched.multiplied.has(tag)) return 'read';
    return resident.has(tag) ? parityKind(kernel, element) : null;
  };
  const follow = (operand: 'a' | 'b', at: Position): void => {
    onFollow({ operand, index: indexOf(problem, operand, at) });
  };
  const cellPx = TILE_PX / Math.max(tile.rows, tile.columns, problem.k);
  return (
    <div class="step-picture">
      <div class="step-product">
        <div class="step-b">
          <CellGrid
            name={t('B, global')}
            rows={problem.k}
            columns={tile.columns}
            cellPx={cellPx}
            kindAt={(k, column) => operandKind('b', { row: k, column: tile.column + column })}
            onChoose={(k, column) => {
              follow('b', { row: k, column: tile.column + column });
            }}
          />
        </div>
        <div class="step-a">
          <CellGrid
            name={t('A, global')}
            rows={tile.rows}
            columns={problem.k}
            cellPx={cellPx}
            kindAt={(row, k) => operandKind('a', { row: tile.row + row, column: k })}
            onChoose={(row, k) => {
              follow('a', { row: tile.row + row, column: k });
            }}
          />
        </div>
        <div class="step-c">
          <Accumulators {...props} cellPx={cellPx} />
        </div>
      </div>
      <div class="step-arrays">
        {trace.arrays.map(array => {
          const cellOf = (row: number, column: number): number =>
            array.base + row * array.inner + column;
          const rows = array.stages * array.outer;
          return (
            <CellGrid
              key={array.name}
              name={
                array.stages === 1
                  ? t('{0}, shared', array.name)
                  : t('{0}, shared, {1} stages', array.name, array.stages)
              }
              rows={rows}
              columns={array.inner}
              cellPx={ARRAY_PX / Math.max(rows, array.inner)}
              kindAt={(row, column) => sharedKind(props, touched, cellOf(row, column))}
              onChoose={(row, column) => {
                const element = elementOf(state.shared[cellOf(row, column)] ?? NaN);
                if (element !== null) onFollow(element);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

interface Touched {
  /** Tags of the elements that the step loads from global memory. */
  readonly global: ReadonlySet<number>;
  readonly read: ReadonlySet<number>;
  readonly written: ReadonlySet<number>;
  /** Tags of the elements of A and B that the step multiplies. */
  readonly multiplied: ReadonlySet<number>;
  /** Tags of the accumulators that the step updates or stores. */
  readonly accumulators: ReadonlySet<number>;
}

function touchedBy(step: Step | null, trace: BlockTrace): Touched {
  const [global, read, written] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const accumulators = new Set<number>();
  for (const position of step?.products.accumulators ?? [])
    accumulators.add(trace.accumulators[position] ?? NaN);
  for (const { space, op, indices, tags } of step?.accesses ?? []) {
    const into = op === 'load' ? read : written;
    if (space === 'shared') for (const index of indices) into.add(index);
    else for (const tag of tags) (op === 'load' ? global : accumulators).add(tag);
  }
  for (const index of step?.arrivals.indices ?? []) written.add(index);
  const multiplied = new Set(step?.products.elements);
  return { global, read, written, multiplied, accumulators };
}

function sharedKind(
  { state, kernel, followed }: StepPictureProps,
  { read, written, multiplied }: Touched,
  cell: number,
): CellKind | null {
  const tag = state.shared[cell] ?? NaN;
  const element = elementOf(tag);
  if (followed !== null && tag === elementTag(followed.operand, followed.index)) return 'followed';
  if (written.has(cell)) return 'written';
  if (read.has(cell) || multiplied.has(tag)) return 'read';
  if (state.inFlight[cell] === 1) return 'in-flight';
  if (Number.isNaN(tag)) return null;
  if (tag === 0) return 'padding';
  return element === null ? 'even' : parityKind(kernel, element);
}

/** Returns alternating kinds for the elements of consecutive k-iterations. */
function parityKind({ problem, plan }: LoweredKernel, element: TaggedElement): CellKind {
  const { operand, index } = element;
  if (operand !== 'a' && operand !== 'b') return 'even';
  const { row, column } = positionOf(problem, operand, index);
  const iteration = Math.floor((operand === 'a' ? column : row) / Math.max(1, plan.tile.k));
  return iteration % 2 === 0 ? 'even' : 'odd';
}

/** The block tile of C: how far each accumulator is, and which elements are stored. */
function Accumulators(props: StepPictureProps & { readonly cellPx: number }): VNode {
  const { kernel, trace, tile, state, step, cellPx } = props;
  const touched = useMemo(() => touchedBy(step, trace), [step]);
  /** Position of the accumulator by element of C. */
  const accumulatorAt = useMemo(
    () => new Map(Array.from(trace.storedAt, (index, position) => [index, position])),
    [trace],
  );
  const kindAt = (inRow: number, inColumn: number): CellKind | null => {
    const at = { row: tile.row + inRow, column: tile.column + inColumn };
    const index = indexOf(kernel.problem, 'c', at);
    const position = accumulatorAt.get(index);
    const tag = trace.accumulators[position ?? -1];
    if (position === undefined || tag === undefined || accumulatorOf(tag) === null) return null;
    if (touched.accumulators.has(tag)) return usesFollowed(props, at) ? 'followed' : 'written';
    if (state.stored[position] === 1) return 'odd';
    return (state.products[position] ?? 0) === 0 ? null : 'even';
  };
  return (
    <CellGrid
      name={t('C, registers')}
      rows={tile.rows}
      columns={tile.columns}
      cellPx={cellPx}
      kindAt={kindAt}
    />
  );
}

/**
 * Returns whether the step multiplies the followed element into an element of C: elements of A
 * into their row, elements of B into their column.
 */
function usesFollowed(
  { kernel, step, followed }: StepPictureProps,
  { row, column }: Position,
): boolean {
  if (step === null || followed === null) return false;
  const { operand, index } = followed;
  if (operand !== 'a' && operand !== 'b') return false;
  if (!step.products.elements.includes(elementTag(operand, index))) return false;
  const at = positionOf(kernel.problem, operand, index);
  return operand === 'a' ? at.row === row : at.column === column;
}
