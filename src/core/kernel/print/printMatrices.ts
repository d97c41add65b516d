/** Prints matrix operations of a warp: declarations, loads, stores and multiply-accumulates. */
import { add, div, int, mul } from '../ir/expr';
import type {
  Expr,
  GlobalElement,
  KernelIr,
  MatrixRegister,
  SharedArray,
  SharedElement,
  Statement,
} from '../ir/ir';
import type { Layout } from '../../spec/schema';
import type { Dialect, MatricesStatement, MatrixMove, Printer } from './dialect';

export interface MatrixContext {
  readonly dialect: Dialect;
  readonly printer: Printer;
  readonly ir: KernelIr;
  readonly matrices: Map<string, MatricesStatement>;
}

type MatrixStatement = Extract<
  Statement,
  { readonly op: 'matrices' | 'loadMatrix' | 'storeMatrix' | 'multiplyMatrices' }
>;

export function printMatrices(
  statement: MatrixStatement,
  context: MatrixContext,
): readonly string[] {
  const { dialect, printer, matrices } = context;
  switch (statement.op) {
    case 'matrices':
      matrices.set(statement.name, statement);
      return dialect.matrices(statement, printer);
    case 'loadMatrix': {
      const { place, from, order } = statement;
      const { use } = declarationOf(place, context);
      return [dialect.loadMatrix(moveOf(place, from, order, context), use)];
    }
    case 'storeMatrix': {
      const { place, value, order } = statement;
      return [dialect.storeMatrix(moveOf(value, place, order, context))];
    }
    case 'multiplyMatrices': {
      const name = (of: MatrixRegister): string => nameOf(of, context);
      const { place, left, right } = statement;
      return [dialect.multiplyMatrices(name(place), name(left), name(right))];
    }
  }
}

export const inRows = ({ outer, inner }: SharedElement, { inner: row }: SharedArray): Expr =>
  add(mul(outer, row), inner);

function moveOf(
  matrix: MatrixRegister,
  element: GlobalElement | SharedElement,
  order: Layout,
  context: MatrixContext,
): MatrixMove {
  const { dialect, printer, ir } = context;
  const common = { matrix: nameOf(matrix, context), order };
  if (element.op === 'global') {
    const { operand } = element.site;
    const vector = dialect.arrayVector(ir.vectors?.[operand]);
    return {
      ...common,
      array: dialect.global(operand),
      at: dialect.globalIndex(element, vector, printer),
      stride: printer.expr(div(element.stride, int(vector))),
    };
  }
  const array = ir.shared.find(({ name }) => name === element.array);
  if (array === undefined) throw new Error(`${element.array} is not declared`);
  const inArray = (of: Expr): string =>
    printer.expr(div(of, int(dialect.arrayVector(array.vector))));
  return {
    ...common,
    array: element.array,
    at: inArray(inRows(element, array)),
    stride: inArray(array.inner),
  };
}

const nameOf = (of: MatrixRegister, context: MatrixContext): string =>
  context.dialect.matrix(of, declarationOf(of, context), context.printer);

function declarationOf({ name }: MatrixRegister, { matrices }: MatrixContext): MatricesStatement {
  const declared = matrices.get(name);
  if (declared === undefined) throw new Error(`${name} is not declared`);
  return declared;
}
