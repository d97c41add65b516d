/** Prints the loop IR through a dialect. This file defines structure and indentation. */
import { inVectors } from './vectorIndex';
import type { Expr, KernelIr, Place, Statement, Value } from '../ir/ir';
import { valueOf, writtenOut, type Note } from '../ir/writeOut';
import { WORD_BYTES } from '../../plan/mma/fragments';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { bufferType } from '../../spec/resolved';
import type { Dialect, MoveType, Printer, PrintOptions, RegistersStatement } from './dialect';
import { printCondition, printExpr, within } from './printExpr';
import { loadedOnce } from './namesOnly';
import { COMMENT_COLUMNS, wrapText } from './wrapText';
import { inRows, printMatrices, type MatrixContext } from './printMatrices';

/** Callback that receives the lines of each IR statement and returns the lines to print. */
export type Mark = (lines: readonly string[], statement: Statement) => readonly string[];

export function print(ir: KernelIr, options: PrintOptions, dialect: Dialect, mark?: Mark): string {
  const origins = new Map<Statement, Statement>();
  const note: Note = (written, of) => {
    if (!origins.has(written)) origins.set(written, of);
  };
  const constants = new Map(ir.constants.map(({ name, value }) => [name, value]));
  const printer: Printer = {
    options,
    expr: (value, rightOf) =>
      printExpr(value, dialect, rightOf === undefined ? undefined : within(rightOf)),
    value: expr => valueOf(expr, constants),
    lines: body =>
      body.flatMap(statement => {
        const lines = printStatement(statement, context);
        return mark === undefined ? lines : mark(lines, origins.get(statement) ?? statement);
      }),
    moves: () => context.moves,
  };
  const statements = writtenOut(ir, mark === undefined ? undefined : note);
  const context: Context = {
    dialect,
    printer,
    ir,
    registers: new Map(),
    matrices: new Map(),
    moves: [],
    named: loadedOnce(statements),
  };
  const body = printer.lines(statements).map(line => (line === '' ? '' : `  ${line}`));
  return dialect.file(ir, body, printer).join('\n');
}

interface Context extends MatrixContext {
  /** Latest declaration of each name: two loops may each declare a `v`. */
  readonly registers: Map<string, RegistersStatement>;
  readonly moves: MoveType[];
  readonly named: ReturnType<typeof loadedOnce>;
}

function printPlace(place: Place, context: Context, width = 1): string {
  const { dialect, printer, ir } = context;
  const subscript = (index: Expr) => `[${printExpr(index, dialect)}]`;
  switch (place.op) {
    case 'register': {
      const declared = context.registers.get(place.name);
      if (declared === undefined) throw new Error(`${place.name} is not declared`);
      return dialect.register(place, declared, { width, printer });
    }
    case 'shared': {
      const array = ir.shared.find(({ name }) => name === place.array);
      const vector = dialect.arrayVector(array?.vector);
      const inArray = (index: Expr) =>
        subscript(inVectors(index, vector, expr => printer.value(expr)));
      if (array?.flat) return place.array + inArray(inRows(place, array));
      const stage = place.stage === undefined ? '' : subscript(place.stage);
      return place.array + stage + subscript(place.outer) + inArray(place.inner);
    }
    case 'global': {
      const { operand } = place.site;
      const vector = dialect.arrayVector(ir.vectors?.[operand]);
      return `${dialect.global(operand)}[${dialect.globalIndex(place, vector, printer)}]`;
    }
  }
}

interface Typed {
  readonly width: number;
  readonly dtype: DType;
}

function printValue(value: Value, context: Context, type: Typed): string {
  const { dialect } = context;
  const { width, dtype } = type;
  switch (value.op) {
    case 'zero':
      return width === 1
        ? dialect.zero(dtype)
        : dialect.broadcast(dialect.zero(dtype), width, dtype);
    case 'scalar':
      return dialect.scalar(value.role, dtype);
    case 'broadcast':
      return dialect.broadcast(printValue(value.value, context, { width: 1, dtype }), width, dtype);
    case 'lanes':
      return dialect.lanes(
        value.values.map(each => printValue(each, context, { width: 1, dtype })),
        dtype,
      );
    case 'quadBroadcast': {
      const inner = printPlace(value.value, context);
      return dialect.quadBroadcast(inner, printExpr(value.lane, dialect));
    }
    case 'shuffleXor': {
      const inner = printPlace(value.value, context);
      return dialect.shuffleXor(inner, printExpr(value.mask, dialect));
    }
    case 'convert': {
      const { from, to } = value;
      const inner = printValue(value.value, context, { width, dtype: from });
      return dialect.convert(inner, { width, from, to });
    }
    case 'activation':
      return dialect.activation(value.of, printValue(value.value, context, type), type);
    case 'register':
    case 'shared':
    case 'global':
      return printPlace(value, context, width);
    case 'mul':
      return `${printFactor(value.left, context, type)} * ${printFactor(value.right, context, type)}`;
    case 'add':
      return `${printValue(value.left, context, type)} + ${printValue(value.right, context, type)}`;
    case 'sub':
      return `${printValue(value.left, context, type)} - ${printFactor(value.right, context, type)}`;
    case 'guarded': {
      const condition = printCondition(value.condition, dialect);
      const zero = printValue({ op: 'zero' }, context, type);
      const text = dialect.conditional(condition, printValue(value.value, context, type), zero);
      if (text === null)
        throw new Error('a guarded value must be the whole right-hand side of an assignment');
      return text;
    }
  }
}

const printFactor = (value: Value, context: Context, type: Typed): string =>
  value.op === 'add' ? `(${printValue(value, context, type)})` : printValue(value, context, type);

function typeOf(place: Place, { ir, registers }: Context): DType {
  switch (place.op) {
    case 'register':
      return registers.get(place.name)?.dtype ?? ir.accumulator;
    case 'shared':
      return ir.shared.find(({ name }) => name === place.array)?.dtype ?? ir.accumulator;
    case 'global':
      return bufferType(ir.dtypes, place.site.operand);
  }
}

/** Any width above 1: printPlace then returns the address of the first element. */
const WHOLE = 2;

/**
 * Maximum number of characters of comment text per line. The remaining 8 columns are for `// ` and
 * two levels of indentation.
 */
const COMMENT_WIDTH = COMMENT_COLUMNS - 8;

const indent = (lines: readonly string[]): readonly string[] =>
  lines.map(line => (line === '' ? '' : `  ${line}`));

function printStatement(statement: Statement, context: Context): readonly string[] {
  const { dialect, printer } = context;
  switch (statement.op) {
    case 'comment':
      return wrapText(statement.text, COMMENT_WIDTH).map(line => `// ${line}`);
    case 'blank':
      return [''];
    case 'let':
      return [
        (statement.wide ? dialect.letWide : dialect.letInt)(
          statement.name,
          printer.expr(statement.value),
        ),
      ];
    case 'registers':
      context.registers.set(statement.name, statement);
      return context.named.has(statement) && dialect.letValue('', '') !== null
        ? []
        : dialect.registers(statement, printer);
    case 'assign':
      return printAssign(statement, context);
    case 'fma': {
      const { width = 1, left, right } = statement;
      const dtype = typeOf(statement.place, context);
      const factor = (of: Value) => printFactor(of, context, { width, dtype });
      const scalar = (['left', 'right'] as const).find(side => statement[side].op === 'broadcast');
      return [
        dialect.fma({
          dtype,
          width,
          place: printPlace(statement.place, context, width),
          left: factor(left),
          right: factor(right),
          ...(scalar === undefined ? {} : { broadcast: scalar }),
        }),
      ];
    }
    case 'matrices':
    case 'loadMatrix':
    case 'storeMatrix':
    case 'multiplyMatrices':
      return printMatrices(statement, context);
    case 'loadRows': {
      const to = printPlace(statement.place, context, WHOLE);
      const from = printPlace(statement.from, context);
      return [dialect.loadRows(to, from, statement)];
    }
    case 'multiplyFragments': {
      const { place, left, right } = statement;
      const part = (of: Place): string => printPlace(of, context, WHOLE);
      return [dialect.multiplyFragments(part(place), part(left), part(right))];
    }
    case 'takePiece': {
      const { place, rest } = statement;
      const width = WORD_BYTES / DTYPE_BYTES[typeOf(place, context)];
      return [dialect.takePiece(printPlace(place, context), printPlace(rest, context, width))];
    }
    case 'for': {
      const { advancing = [], body } = statement;
      const adds = advancing.map(({ name, by }) => `${name} += ${printer.expr(by)};`);
      return [
        ...advancing.map(({ name, from }) => dialect.varInt(name, printer.expr(from))),
        ...dialect.forHead(statement, printer),
        ...indent([...printer.lines(body), ...adds]),
        '}',
      ];
    }
    case 'if': {
      const condition = printCondition(statement.condition, dialect);
      const { otherwise } = statement;
      return [
        `if (${condition}) {`,
        ...indent(printer.lines(statement.body)),
        ...(otherwise === undefined ? [] : ['} else {', ...indent(printer.lines(otherwise))]),
        '}',
      ];
    }
    case 'barrier':
      return [dialect.barrier];
    case 'commit':
      return [dialect.commit];
    case 'wait':
      return [dialect.wait(statement.pending)];
    case 'gridDependency':
      return [dialect.gridDependency(statement.action)];
  }
}

/**
 * Returns the vectorized or asynchronous move of an assignment, or null if the assignment also
 * computes or moves a single element.
 */
function moveOf(
  { place, value, width = 1, asynchronous }: Extract<Statement, { op: 'assign' }>,
  to: DType,
): { readonly source: Place; readonly type: MoveType } | null {
  if (width === 1 && asynchronous !== true) return null;
  const source = value.op === 'convert' ? value.value : value;
  if (source.op !== 'global' && source.op !== 'shared' && source.op !== 'register') return null;
  const from = value.op === 'convert' ? value.from : to;
  return { source, type: { width, from, to, stores: place.op !== 'register' } };
}

/** Prints `to += value` if the assignment adds to its target, otherwise returns null. */
function increment(
  { value, atomic }: Extract<Statement, { op: 'assign' }>,
  context: Context,
  { to, type }: { readonly to: string; readonly type: Typed },
): string | null {
  if (value.op !== 'add' || atomic === true) return null;
  return printValue(value.left, context, type) === to
    ? `${to} += ${printValue(value.right, context, type)};`
    : null;
}

/**
 * Prints an assignment. A guarded load becomes a conditional expression if the language can skip
 * the load, otherwise an if statement.
 */
function printAssign(
  statement: Extract<Statement, { op: 'assign' }>,
  context: Context,
): readonly string[] {
  const { value, width = 1, asynchronous, atomic } = statement;
  const { dialect } = context;
  const { place } = statement;
  const to = printPlace(place, context, width);
  const type = { width, dtype: typeOf(place, context) };
  const move = moveOf(statement, type.dtype);
  const declared = place.op === 'register' ? context.registers.get(place.name) : undefined;
  const named =
    declared !== undefined && context.named.has(declared)
      ? dialect.letValue(to, printValue(value, context, type))
      : null;
  if (named !== null) return [named];
  const added = increment(statement, context, { to, type });
  if (added !== null) return [added];
  if (atomic) return [dialect.addAtomically(to, printValue(value, context, type))];
  if (move !== null) {
    const moved = { to, from: printPlace(move.source, context, width), type: move.type };
    if (asynchronous) return dialect.moveAsynchronously(moved);
    context.moves.push(move.type);
    return [dialect.move(moved)];
  }
  if (value.op !== 'guarded' || dialect.conditional('', '', '') !== null) {
    return [`${to} = ${printValue(value, context, type)};`];
  }
  return [
    `if (${printCondition(value.condition, dialect)}) {`,
    `  ${to} = ${printValue(value.value, context, type)};`,
    '} else {',
    `  ${to} = ${printValue({ op: 'zero' }, context, type)};`,
    '}',
  ];
}
