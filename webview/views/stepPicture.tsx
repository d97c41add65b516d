/** Picture of a step: the tiles of A, B and C, and the shared arrays, cell by cell. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import type { BlockTrace, Step } from '../../src/core/trace/blockTrace';
import { indexOf, positionOf } from '../../src/core/trace/position';
import {
  accumulatorOf,
  elementOf,
  elementTag,
  type TaggedElement,
} from '../../src/core/trace/tags';
import type { TraceState } from '../../src/core/trace/traceState';
import type { TileOfC } from '../../src/core/trace/tileOfC';
import { CellGrid, type CellKind } from './cellGrid';

const TILE_PX = 200;
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
  const { kernel, trace, tile, followed, onFollow } = props;
  const { problem, plan } = kernel;
  const touched = useMemo(() => touchedBy(props.step), [props.step]);
  const followedTag = followed === null ? null : elementTag(followed.operand, followed.index);
  const operandKind = (operand: 'a' | 'b', row: number, column: number): CellKind | null => {
    const tag = elementTag(operand, indexOf(problem, operand, { row, column }));
    if (tag === followedTag) return 'followed';
    return touched.global.has(tag) ? 'read' : null;
  };
  const follow = (operand: 'a' | 'b', row: number, column: number): void => {
    onFollow({ operand, index: indexOf(problem, operand, { row, column }) });
  };
  const tileK = Math.max(1, plan.tile.k);
  return (
    <div class="step-picture">
      <div class="step-operands">
        <CellGrid
          name={t('A, global memory')}
          rows={tile.rows}
          columns={problem.k}
          sidePx={TILE_PX}
          kindAt={(row, k) => operandKind('a', tile.row + row, k)}
          onChoose={(row, k) => {
            follow('a', tile.row + row, k);
          }}
        />
        <CellGrid
          name={t('B, global memory')}
          rows={problem.k}
          columns={tile.columns}
          sidePx={TILE_PX}
          kindAt={(k, column) => operandKind('b', k, tile.column + column)}
          onChoose={(k, column) => {
            follow('b', k, tile.column + column);
          }}
        />
        {trace.arrays.map(array => {
          const cellOf = (row: number, column: number): number =>
            array.base + row * array.inner + column;
          const kindAt = (row: number, column: number): CellKind | null =>
            sharedKind(props, touched, cellOf(row, column), { followedTag, tileK });
          return (
            <CellGrid
              key={array.name}
              name={
                array.stages === 1
                  ? t('{0}, shared memory', array.name)
                  : t('{0}, shared memory, {1} stages', array.name, array.stages)
              }
              rows={array.stages * array.outer}
              columns={array.inner}
              sidePx={ARRAY_PX}
              kindAt={kindAt}
              onChoose={(row, column) => {
                const element = elementOf(props.state.shared[cellOf(row, column)] ?? NaN);
                if (element !== null) onFollow(element);
              }}
            />
          );
        })}
        <Accumulators {...props} />
      </div>
    </div>
  );
}

interface Touched {
  /** Tags of the elements that the step loads from global memory. */
  readonly global: ReadonlySet<number>;
  readonly read: ReadonlySet<number>;
  readonly written: ReadonlySet<number>;
  /** Tags of the accumulators that the step updates or stores. */
  readonly accumulators: ReadonlySet<number>;
}

function touchedBy(step: Step | null): Touched {
  const [global, read, written] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const accumulators = new Set(step?.products.accumulators);
  for (const { space, op, indices, tags } of step?.accesses ?? []) {
    const into = op === 'load' ? read : written;
    if (space === 'shared') for (const index of indices) into.add(index);
    else for (const tag of tags) (op === 'load' ? global : accumulators).add(tag);
  }
  for (const index of step?.arrivals.indices ?? []) written.add(index);
  return { global, read, written, accumulators };
}

function sharedKind(
  { state, kernel }: StepPictureProps,
  { read, written }: Touched,
  cell: number,
  { followedTag, tileK }: { readonly followedTag: number | null; readonly tileK: number },
): CellKind | null {
  const tag = state.shared[cell] ?? NaN;
  if (followedTag !== null && tag === followedTag) return 'followed';
  if (written.has(cell)) return 'written';
  if (read.has(cell)) return 'read';
  if (state.inFlight[cell] === 1) return 'flying';
  if (Number.isNaN(tag)) return null;
  if (tag === 0) return 'padding';
  const element = elementOf(tag);
  if (element === null || element.operand === 'c' || element.operand === 'workspace')
    return 'loaded';
  const { row, column } = positionOf(kernel.problem, element.operand, element.index);
  const iteration = Math.floor((element.operand === 'a' ? column : row) / tileK);
  return iteration % 2 === 0 ? 'loaded' : 'newer';
}

/** The block tile of C: how far each accumulator is, and which elements are stored. */
function Accumulators({ kernel, trace, tile, state, step, followed }: StepPictureProps): VNode {
  const { problem } = kernel;
  const touched = useMemo(() => touchedBy(step), [step]);
  const accumulatorAt = useMemo(
    () => new Map([...trace.storedAt].map(([tag, index]) => [index, tag])),
    [trace],
  );
  const users = useMemo(() => usersOf(step, followed), [step, followed]);
  const kindAt = (row: number, column: number): CellKind | null => {
    const index = indexOf(problem, 'c', { row: tile.row + row, column: tile.column + column });
    const tag = accumulatorAt.get(index);
    if (tag === undefined || accumulatorOf(tag) === null) return null;
    if (users.has(tag)) return 'followed';
    if (touched.accumulators.has(tag)) return 'written';
    if (state.stored.has(index)) return 'newer';
    return (state.products.get(tag) ?? 0) === 0 ? null : 'loaded';
  };
  return (
    <CellGrid
      name={t('accumulators of C, registers')}
      rows={tile.rows}
      columns={tile.columns}
      sidePx={TILE_PX}
      kindAt={kindAt}
    />
  );
}

/** Returns the accumulators that the step multiplies the followed element into. */
function usersOf(step: Step | null, followed: TaggedElement | null): ReadonlySet<number> {
  if (step === null || followed === null) return new Set();
  const tag = elementTag(followed.operand, followed.index);
  const { accumulators, left, right } = step.products;
  return new Set(accumulators.filter((_, i) => left[i] === tag || right[i] === tag));
}
