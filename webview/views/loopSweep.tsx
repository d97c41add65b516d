/** The loops of a nest on small matrices, FMA by FMA, with the lines that a cache holds. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Cache } from '../../src/core/nests/cacheLines';
import type { LoopNest, LoopProblem } from '../../src/core/nests/nest';
import { sweepOf, sweepState, type SweepState } from '../../src/core/nests/sweep';
import { formatNumber } from '../format';
import { CellGrid, type CellKind } from './cellGrid';
import { usePlayback } from './playback';
import { StepControls } from './stepControls';

export interface LoopSweepProps {
  readonly nest: LoopNest;
  readonly dtype: LoopProblem['dtype'];
}

const SIZE = { m: 16, n: 16, k: 8 };
/** Lines of 4 elements, so that the small matrices have several lines per row. */
const CACHE: Cache = { lineBytes: 16, lines: 24 };
const STEP_MS = 80;
const CELL_PX = 14;

export function LoopSweep({ nest, dtype }: LoopSweepProps): VNode {
  const problem = useMemo(() => ({ ...SIZE, dtype }), [dtype]);
  const sweep = useMemo(() => sweepOf(nest, problem), [nest, problem]);
  const { count, playing, play, move } = usePlayback(sweep.fmas.length, STEP_MS);
  const at = Math.min(count, sweep.fmas.length);
  const state = useMemo(
    () => sweepState(sweep, { problem, cache: CACHE }, at),
    [sweep, problem, at],
  );
  const { last, misses } = state;
  return (
    <div class="loop-sweep">
      <StepControls
        numSteps={sweep.fmas.length}
        count={at}
        playing={playing}
        stops={sweep.ends}
        stopName="innermost loop"
        race={null}
        onPlay={play}
        onMove={move}
      />
      <p role={playing ? undefined : 'status'}>
        {last === null
          ? t('Before the first FMA.')
          : t(
              'C({0}, {1}) += A({0}, {2}) * B({2}, {1}). FMAs: {3}. Cache misses: {4}.',
              last.i,
              last.j,
              last.k,
              formatNumber(at),
              formatNumber(misses),
            )}
      </p>
      <div class="step-product">
        <div class="step-b">
          <Matrix name="B" operand="b" rows={SIZE.k} columns={SIZE.n} state={state} />
        </div>
        <div class="step-a">
          <Matrix name="A" operand="a" rows={SIZE.m} columns={SIZE.k} state={state} />
        </div>
        <div class="step-c">
          <Matrix name="C" operand="c" rows={SIZE.m} columns={SIZE.n} state={state} />
        </div>
      </div>
      <ul class="cell-legend">
        <Entry kind="read" text={t('factors of the last FMA')} />
        <Entry kind="written" text={t('element of C that it updates')} />
        <Entry kind="even" text={t('in the cache ({0} lines of 4 elements)', CACHE.lines)} />
        <Entry kind="odd" text={t('complete element of C')} />
      </ul>
    </div>
  );
}

const Entry = ({ kind, text }: { readonly kind: CellKind; readonly text: string }): VNode => (
  <li>
    <svg width="12" height="12" viewBox="0 0 1 1" aria-hidden="true">
      <rect class={`cell-${kind}`} width="1" height="1" />
    </svg>
    {text}
  </li>
);

interface MatrixProps {
  readonly name: string;
  readonly operand: 'a' | 'b' | 'c';
  readonly rows: number;
  readonly columns: number;
  readonly state: SweepState;
}

const Matrix = ({ name, operand, rows, columns, state }: MatrixProps): VNode => (
  <CellGrid
    name={name}
    rows={rows}
    columns={columns}
    cellPx={CELL_PX}
    kindAt={(row, column) => kindOf(operand, state, row, column)}
  />
);

function kindOf(
  operand: 'a' | 'b' | 'c',
  { last, cached, products }: SweepState,
  row: number,
  column: number,
): CellKind | null {
  const isLast =
    last !== null &&
    {
      a: row === last.i && column === last.k,
      b: row === last.k && column === last.j,
      c: row === last.i && column === last.j,
    }[operand];
  if (isLast) return operand === 'c' ? 'written' : 'read';
  if (cached.has(operand, row, column)) return 'even';
  return operand === 'c' && products[row * SIZE.n + column] === SIZE.k ? 'odd' : null;
}
