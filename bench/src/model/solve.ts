/**
 * Solves nonlinear least-squares problems by Marquardt's method: "An Algorithm for Least-Squares
 * Estimation of Nonlinear Parameters" (1963).
 */

type Vector = readonly number[];

export interface Solution {
  readonly at: Vector;
  /** Half of the sum of squared residuals. */
  readonly loss: number;
}

const STEP = 1e-4;

export function solved(
  residuals: (at: Vector) => Vector,
  from: Vector,
  iterations: number,
): Solution {
  let at = from;
  let values = residuals(at);
  let damping = 1e-2;
  for (let i = 0; i < iterations && damping < 1e8; i++) {
    const columns = at.map((_, j) => {
      const moved = residuals(at.map((value, k) => (k === j ? value + STEP : value)));
      return moved.map((value, row) => (value - (values[row] ?? 0)) / STEP);
    });
    const normal = columns.map((left, j) =>
      columns.map(
        (right, k) => dot(left, right) * (j === k ? 1 + damping : 1) + (j === k ? 1e-9 : 0),
      ),
    );
    const step = linear(
      normal,
      columns.map(column => -dot(column, values)),
    );
    const next = at.map((value, j) => value + Math.max(-1, Math.min(1, step[j] ?? 0)));
    const reached = residuals(next);
    if (dot(reached, reached) < dot(values, values)) {
      const gained = 1 - dot(reached, reached) / dot(values, values);
      [at, values, damping] = [next, reached, damping / 3];
      if (gained < 1e-7) break;
    } else damping *= 4;
  }
  return { at, loss: dot(values, values) / 2 };
}

const dot = (left: Vector, right: Vector): number =>
  left.reduce((sum, value, i) => sum + value * (right[i] ?? 0), 0);

/** Solves a linear system by Gauss-Jordan elimination with partial pivoting. */
function linear(matrix: readonly Vector[], right: Vector): Vector {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const below = rows.slice(column);
    const pivot = below.reduce((best, row) =>
      Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best,
    );
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(column, 0, pivot);
    for (let i = 0; i < size; i++) {
      const row = rows[i];
      if (row === undefined || i === column) continue;
      const factor = (row[column] ?? 0) / (pivot[column] ?? 1);
      rows[i] = row.map((value, k) => value - factor * (pivot[k] ?? 0));
    }
  }
  return rows.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1));
}
