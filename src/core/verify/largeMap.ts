/**
 * Locates wrong elements of a large GEMM. Freivalds' check finds the failing rows of each segment
 * of columns. A pseudo-random sample of these rows, within an FMA limit, is compared element by
 * element.
 */
import { tileCount } from '../plan/tileCount';
import type { ResolvedProblem } from '../spec/resolved';
import { elementCheck, tally, type WrongElement } from './elementCheck';
import { reader, type Matrices } from './elements';
import { wrongRows, type Columns } from './freivalds';
import { INTEGER_POISON, pcgHash } from './inputs';
import type { MapMaker } from './wrongMap';

/** FMA limits of Freivalds' check and of the element comparison. */
const CHECK_LIMIT = 2 ** 27;
const COMPARE_LIMIT = 2 ** 26;

interface Large {
  readonly maker: MapMaker;
  readonly product: number;
  readonly found: readonly WrongElement[];
  /** Rows that Freivalds' check cannot verify, because they contain an infinite element. */
  readonly without: ReadonlySet<number>;
}

export function mapLarge(
  problem: ResolvedProblem,
  seed: number,
  matrices: Matrices,
  { maker, product, found, without: unverifiableRows }: Large,
): void {
  const { m, n, k } = problem;
  const noted = new Uint8Array(m * n);
  const note = (wrong: Omit<WrongElement, 'expected'> & { readonly expected?: number }): void => {
    const index = wrong.row * n + wrong.column;
    if (noted[index] === 1) return;
    noted[index] = 1;
    maker.element({ product, ...wrong });
  };
  found.forEach(note);
  const widths = Math.max(1, Math.floor(CHECK_LIMIT / (m * k)));
  const width = maker.tile.n * Math.ceil(tileCount(problem, maker.tile).n / widths);
  const checked = problem.epilogue === undefined ? segments(n, width) : [];
  const failed = checked.flatMap(columns =>
    wrongRows(problem, seed, matrices, row => !unverifiableRows.has(row), columns).map(row => ({
      row,
      columns,
    })),
  );
  const check = elementCheck(problem, matrices, tally(), note);
  const share = Math.ceil((failed.length * width * k) / COMPARE_LIMIT);
  for (const [index, { row, columns }] of failed.entries()) {
    const [from, to] = columns;
    if (pcgHash(index ^ seed) % share === 0) for (let j = from; j < to; j++) check(row, j);
    else if (width === maker.tile.n) maker.somewhere(row, from);
  }
  noteUnwritten(problem, matrices, note);
}

const segments = (n: number, width: number): readonly Columns[] =>
  Array.from({ length: Math.ceil(n / width) }, (_, i) => [i * width, Math.min(n, (i + 1) * width)]);

function noteUnwritten(
  problem: ResolvedProblem,
  { c: data, c0 }: Matrices,
  note: (wrong: Omit<WrongElement, 'expected'>) => void,
): void {
  const c = reader(problem, 'c', data);
  const before = c0 === null ? null : reader(problem, 'c', c0);
  for (let row = 0; row < problem.m; row++) {
    for (let column = 0; column < problem.n; column++) {
      const actual = c(row, column);
      if (Number.isNaN(actual) || actual === INTEGER_POISON) {
        note({ row, column, actual, old: before?.(row, column) ?? null });
      }
    }
  }
}
