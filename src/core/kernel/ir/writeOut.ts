/** Full unrolling: replaces each `written-out` loop by its iterations, with literal indices. */
import { OPERATIONS } from './affine';
import { add, div, int, mod, mul, sub } from './expr';
import type {
  Condition,
  Expr,
  GlobalElement,
  KernelIr,
  MatrixRegister,
  Place,
  RegisterElement,
  SharedElement,
  Statement,
  Value,
} from './ir';

interface Iteration {
  readonly indices: ReadonlyMap<string, number>;
  readonly names: ReadonlyMap<string, string>;
  readonly note: Note | undefined;
}

/**
 * Callback that receives each resulting statement and a statement from which it was expanded. In
 * nested loops, it is called once per nesting level, innermost first.
 */
export type Note = (written: Statement, of: Statement) => void;

export function writtenOut(ir: KernelIr, note?: Note): readonly Statement[] {
  const constants = new Map(ir.constants.map(({ name, value }) => [name, value]));
  return statements(ir.body, { indices: new Map(), names: new Map(), note }, constants);
}

type Constants = ReadonlyMap<string, number>;

function statements(
  body: readonly Statement[],
  at: Iteration,
  constants: Constants,
): readonly Statement[] {
  return body.flatMap(statement => {
    const out = written(statement, at, constants);
    if (at.note !== undefined) for (const line of out) at.note(line, statement);
    return out;
  });
}

function written(statement: Statement, at: Iteration, constants: Constants): readonly Statement[] {
  const expr = (of: Expr): Expr => filled(of, at, constants);
  const inner = (body: readonly Statement[]) => statements(body, at, constants);
  switch (statement.op) {
    case 'let':
      return [{ ...statement, name: renamed(statement.name, at), value: expr(statement.value) }];
    case 'registers':
      return [{ ...statement, name: renamed(statement.name, at) }];
    case 'assign':
      return [
        {
          ...statement,
          place: place(statement.place, expr, at),
          value: value(statement.value, expr, at),
        },
      ];
    case 'fma':
      return [
        {
          ...statement,
          place: place(statement.place, expr, at),
          left: value(statement.left, expr, at),
          right: value(statement.right, expr, at),
        },
      ];
    case 'matrices':
      return [{ ...statement, name: renamed(statement.name, at) }];
    case 'loadMatrix':
      return [
        {
          ...statement,
          place: matrix(statement.place, expr, at),
          from: element(statement.from, expr),
        },
      ];
    case 'storeMatrix':
      return [
        {
          ...statement,
          place: element(statement.place, expr),
          value: matrix(statement.value, expr, at),
        },
      ];
    case 'multiplyMatrices':
      return [
        {
          ...statement,
          place: matrix(statement.place, expr, at),
          left: matrix(statement.left, expr, at),
          right: matrix(statement.right, expr, at),
        },
      ];
    case 'loadRows':
      return [
        {
          ...statement,
          place: register(statement.place, expr, at),
          from: element(statement.from, expr),
        },
      ];
    case 'multiplyFragments':
      return [
        {
          ...statement,
          place: register(statement.place, expr, at),
          left: register(statement.left, expr, at),
          right: register(statement.right, expr, at),
        },
      ];
    case 'takePiece':
      return [
        {
          ...statement,
          place: register(statement.place, expr, at),
          rest: register(statement.rest, expr, at),
        },
      ];
    case 'if': {
      const { condition, body, otherwise } = statement;
      return [
        {
          ...statement,
          condition: conditions(condition, expr),
          body: inner(body),
          ...(otherwise === undefined ? {} : { otherwise: inner(otherwise) }),
        },
      ];
    }
    case 'for': {
      const { from, to, step, body, index } = statement;
      if (statement.unroll !== 'written-out') {
        const advancing = statement.advancing?.map(one => ({
          name: renamed(one.name, at),
          from: expr(one.from),
          by: expr(one.by),
        }));
        return [
          {
            ...statement,
            from: expr(from),
            to: expr(to),
            step: expr(step),
            ...(advancing === undefined ? {} : { advancing }),
            body: inner(body),
          },
        ];
      }
      const [first, end, stride] = [from, to, step].map(bound => valueOf(expr(bound), constants));
      const out: Statement[] = [];
      const declared = body.flatMap(line =>
        line.op === 'let' || line.op === 'registers' || line.op === 'matrices' ? [line.name] : [],
      );
      for (let i = first ?? 0; i < (end ?? 0); i += stride ?? 1) {
        const indices = new Map([...at.indices, [index, i]]);
        const suffix = [...indices.values()].join('_');
        const names = new Map([
          ...at.names,
          ...declared.map(name => [name, `${name}${suffix}`] as const),
        ]);
        out.push(...statements(body, { ...at, indices, names }, constants));
      }
      return out;
    }
    default:
      return [statement];
  }
}

const renamed = (name: string, { names }: Iteration): string => names.get(name) ?? name;

const register = (
  of: RegisterElement,
  expr: (of: Expr) => Expr,
  at: Iteration,
): RegisterElement => ({ ...of, name: renamed(of.name, at), index: of.index.map(expr) });

const matrix = (of: MatrixRegister, expr: (of: Expr) => Expr, at: Iteration): MatrixRegister => ({
  name: renamed(of.name, at),
  index: of.index.map(expr),
});

const place = (of: Place, expr: (of: Expr) => Expr, at: Iteration): Place =>
  of.op === 'register' ? register(of, expr, at) : element(of, expr);

function element<Of extends GlobalElement | SharedElement>(of: Of, expr: (of: Expr) => Expr): Of {
  const inner = { outer: expr(of.outer), inner: expr(of.inner) };
  if (of.op === 'global') return { ...of, ...inner, stride: expr(of.stride) };
  return { ...of, ...inner, ...(of.stage === undefined ? {} : { stage: expr(of.stage) }) };
}

function value(of: Value, expr: (of: Expr) => Expr, at: Iteration): Value {
  switch (of.op) {
    case 'zero':
    case 'scalar':
      return of;
    case 'mul':
    case 'add':
    case 'sub':
      return { ...of, left: value(of.left, expr, at), right: value(of.right, expr, at) };
    case 'broadcast':
    case 'convert':
    case 'activation':
      return { ...of, value: value(of.value, expr, at) };
    case 'lanes':
      return { ...of, values: of.values.map(each => value(each, expr, at)) };
    case 'quadBroadcast':
      return { ...of, value: register(of.value, expr, at), lane: expr(of.lane) };
    case 'shuffleXor':
      return { ...of, value: register(of.value, expr, at), mask: expr(of.mask) };
    case 'guarded':
      return { ...of, condition: conditions(of.condition, expr), value: value(of.value, expr, at) };
    default:
      return place(of, expr, at);
  }
}

const conditions = (of: Condition, expr: (of: Expr) => Expr): Condition =>
  of.map(term => ({ ...term, left: expr(term.left), right: expr(term.right) }));

/**
 * Returns the value of an expression of literals and constants. All other leaves evaluate to NaN.
 */
export function valueOf(expr: Expr, constants: Constants): number {
  switch (expr.op) {
    case 'int':
      return expr.value;
    case 'constant':
      return constants.get(expr.name) ?? NaN;
    case 'parameter':
    case 'variable':
    case 'threadIdx':
    case 'blockIdx':
    case 'warpIdx':
    case 'laneIdx':
      return NaN;
    case 'select':
      return expr.condition.every(({ left, right, orEqual }) => {
        const [one, other] = [valueOf(left, constants), valueOf(right, constants)];
        return orEqual === true ? one <= other : one < other;
      })
        ? valueOf(expr.value, constants)
        : valueOf(expr.otherwise, constants);
    default: {
      const [left, right] = [valueOf(expr.left, constants), valueOf(expr.right, constants)];
      // Bitwise operators of JavaScript read NaN as 0.
      return Number.isNaN(left + right) ? NaN : OPERATIONS[expr.op](left, right);
    }
  }
}

const BUILD = { '+': add, '-': sub, '*': mul, '/': div, '%': mod } as const;

/**
 * Substitutes indices and folds operations on literals. Named constants are folded only as divisors
 * of literals.
 */
function filled(expr: Expr, at: Iteration, constants: Constants): Expr {
  switch (expr.op) {
    case 'variable': {
      const index = at.indices.get(expr.name);
      return index === undefined ? { ...expr, name: renamed(expr.name, at) } : int(index);
    }
    case 'int':
    case 'constant':
    case 'parameter':
    case 'threadIdx':
    case 'blockIdx':
    case 'warpIdx':
    case 'laneIdx':
      return expr;
    case 'select': {
      const inside = (of: Expr): Expr => filled(of, at, constants);
      return {
        op: 'select',
        condition: conditions(expr.condition, inside),
        value: inside(expr.value),
        otherwise: inside(expr.otherwise),
      };
    }
    default: {
      const [left, right] = [filled(expr.left, at, constants), filled(expr.right, at, constants)];
      const quotient = expr.op === '/' || expr.op === '%';
      const known = right.op === 'int' || (quotient && right.op === 'constant');
      if (left.op === 'int' && known) {
        return int(OPERATIONS[expr.op](left.value, valueOf(right, constants)));
      }
      if (expr.op === '^' && right.op === 'int' && right.value === 0) return left;
      if (expr.op === '^' || expr.op === '<<' || expr.op === 'min') return { ...expr, left, right };
      return BUILD[expr.op](left, right);
    }
  }
}
