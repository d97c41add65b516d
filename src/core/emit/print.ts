/** Prints the loop IR through a dialect: structure, indentation and operator precedence live here. */
import type { Condition, Expr, KernelIr, Place, Statement, Value } from '../ir/ir';
import type { Plan } from '../plan/plan';
import type { DType } from '../spec/dtype';
import type { Dialect, Printer } from './dialect';

/** The text of a kernel without its file head. */
export function print(ir: KernelIr, plan: Plan, dialect: Dialect): string {
  const printer: Printer = {
    plan,
    expr: value => printExpr(value, dialect),
    lines: statements => statements.flatMap(statement => printStatement(statement, context)),
  };
  const context: Context = { dialect, printer, dtype: ir.dtype };
  const body = printer.lines(ir.body).map(line => (line === '' ? '' : `  ${line}`));
  return dialect.file(ir, body, printer).join('\n');
}

interface Context {
  readonly dialect: Dialect;
  readonly printer: Printer;
  readonly dtype: DType;
}

const PRECEDENCE = { '*': 3, '/': 3, '%': 3, '+': 2, '<<': 1, '^': 0, min: 4 } as const;

/** An integer expression with as few parentheses as its meaning needs. */
export function printExpr(expr: Expr, dialect: Dialect, outer = -1): string {
  switch (expr.op) {
    case 'int':
      return String(expr.value);
    case 'constant':
    case 'variable':
      return expr.name;
    case 'parameter':
      return dialect.parameter(expr.role);
    case 'threadIdx':
      return dialect.index('thread', expr.axis);
    case 'blockIdx':
      return dialect.index('block', expr.axis);
    case 'min':
      return `min(${printExpr(expr.left, dialect)}, ${printExpr(expr.right, dialect)})`;
    default: {
      const level = PRECEDENCE[expr.op];
      // Left-associative; a right operand of the same level keeps its parentheses unless it is a sum.
      const right = expr.op === '+' ? level : level + 0.5;
      const text = `${printExpr(expr.left, dialect, level)} ${expr.op} ${printExpr(expr.right, dialect, right)}`;
      return level < outer ? `(${text})` : text;
    }
  }
}

const printCondition = (condition: Condition, dialect: Dialect): string =>
  condition
    .map(({ left, right }) => `${printExpr(left, dialect)} < ${printExpr(right, dialect)}`)
    .join(' && ');

function printPlace(place: Place, { dialect, printer }: Context): string {
  const subscript = (index: Expr) => `[${printExpr(index, dialect)}]`;
  switch (place.op) {
    case 'register':
      return place.name + place.index.map(subscript).join('');
    case 'shared':
      return place.array + subscript(place.outer) + subscript(place.inner);
    case 'global':
      return `${place.site.operand.toUpperCase()}[${dialect.globalIndex(place, printer)}]`;
  }
}

function printValue(value: Value, context: Context): string {
  const { dialect } = context;
  switch (value.op) {
    case 'zero':
      return dialect.zero(context.dtype);
    case 'scalar':
      return dialect.parameter(value.role);
    case 'register':
    case 'shared':
    case 'global':
      return printPlace(value, context);
    case 'mul':
      return `${printFactor(value.left, context)} * ${printFactor(value.right, context)}`;
    case 'add':
      return `${printValue(value.left, context)} + ${printValue(value.right, context)}`;
    case 'guarded': {
      const condition = printCondition(value.condition, dialect);
      const text = dialect.conditional(
        condition,
        printValue(value.value, context),
        dialect.zero(context.dtype),
      );
      if (text === null) throw new Error('a guarded value stands on its own in an assignment');
      return text;
    }
  }
}

const printFactor = (value: Value, context: Context): string =>
  value.op === 'add' ? `(${printValue(value, context)})` : printValue(value, context);

const indent = (lines: readonly string[]): readonly string[] =>
  lines.map(line => (line === '' ? '' : `  ${line}`));

function printStatement(statement: Statement, context: Context): readonly string[] {
  const { dialect, printer } = context;
  switch (statement.op) {
    case 'comment':
      return [`// ${statement.text}`];
    case 'blank':
      return [''];
    case 'let':
      return [dialect.letInt(statement.name, printer.expr(statement.value))];
    case 'registers':
      return [dialect.registers(statement, printer)];
    case 'assign':
      return printAssign(statement, context);
    case 'fma': {
      const place = printPlace(statement.place, context);
      const [left, right] = [
        printFactor(statement.left, context),
        printFactor(statement.right, context),
      ];
      return [dialect.fma(context.dtype, place, left, right)];
    }
    case 'for': {
      return [
        ...dialect.forHead(statement, printer),
        ...indent(printer.lines(statement.body)),
        '}',
      ];
    }
    case 'if': {
      const condition = printCondition(statement.condition, dialect);
      return [`if (${condition}) {`, ...indent(printer.lines(statement.body)), '}'];
    }
    case 'barrier':
      return [dialect.barrier];
  }
}

/** A guarded load is an expression where the language has one that skips it, else an if. */
function printAssign(
  statement: Extract<Statement, { op: 'assign' }>,
  context: Context,
): readonly string[] {
  const place = printPlace(statement.place, context);
  const { value } = statement;
  const { dialect } = context;
  if (value.op !== 'guarded' || dialect.conditional('', '', '') !== null) {
    return [`${place} = ${printValue(value, context)};`];
  }
  return [
    `if (${printCondition(value.condition, dialect)}) {`,
    `  ${place} = ${printValue(value.value, context)};`,
    '} else {',
    `  ${place} = ${dialect.zero(context.dtype)};`,
    '}',
  ];
}
