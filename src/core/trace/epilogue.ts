/**
 * Reduces the IR of a kernel to the data movement of its epilogue: the main loop is removed, and
 * arithmetic is replaced by a copy of the accumulator. Executed on accumulators with distinct
 * initial values, it shows which accumulator each store to C receives.
 */
import type { KernelIr, Statement, Value } from '../kernel/ir/ir';
import { allStatements } from '../kernel/ir/statements';

export interface Epilogue {
  readonly ir: KernelIr;
  /**
   * Returns the statement of the kernel's IR that a statement of the epilogue replaces, or the
   * statement itself if it is unchanged.
   */
  readonly originalOf: (statement: Statement) => Statement;
}

/** Returns the IR of the epilogue. Declarations of the main loop remain, without effect. */
export function epilogueOf(ir: KernelIr): Epilogue {
  const reduction: Reduction = { carriers: accumulatorsOf(ir.body), originals: new Map() };
  return {
    ir: { ...ir, body: kept(ir.body, reduction) },
    originalOf: statement => reduction.originals.get(statement) ?? statement,
  };
}

interface Reduction {
  /** Register arrays that hold accumulators or copies of them. */
  readonly carriers: Set<string>;
  readonly originals: Map<Statement, Statement>;
}

function accumulatorsOf(body: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  for (const statement of allStatements(body))
    if (isMultiply(statement) && 'name' in statement.place) names.add(statement.place.name);
  return names;
}

type Multiply = Extract<Statement, { op: 'fma' | 'multiplyFragments' | 'multiplyMatrices' }>;

const isMultiply = (statement: Statement): statement is Multiply =>
  statement.op === 'fma' ||
  statement.op === 'multiplyFragments' ||
  statement.op === 'multiplyMatrices';

function kept(body: readonly Statement[], reduction: Reduction): readonly Statement[] {
  const { carriers, originals } = reduction;
  return body.flatMap((statement): readonly Statement[] => {
    switch (statement.op) {
      case 'for': {
        if ([...allStatements(statement.body)].some(isMultiply)) {
          addPromoted(statement.body, carriers);
          return [];
        }
        return [{ ...statement, body: kept(statement.body, reduction) }];
      }
      case 'if': {
        const { body: then, otherwise } = statement;
        return [
          {
            ...statement,
            body: kept(then, reduction),
            ...(otherwise === undefined ? {} : { otherwise: kept(otherwise, reduction) }),
          },
        ];
      }
      case 'assign': {
        const value = carried(statement.value, carriers);
        if (value === null) return [];
        const { place, width } = statement;
        if (place.op === 'register') carriers.add(place.name);
        const copy: Statement = {
          op: 'assign',
          place,
          value,
          ...(width === undefined ? {} : { width }),
        };
        originals.set(copy, statement);
        return [copy];
      }
      case 'let':
      case 'registers':
      case 'matrices':
      case 'barrier':
      case 'storeMatrix':
        return [statement];
      default:
        return [];
    }
  });
}

/** Adds the FP32 accumulators to which a removed loop promotes those of the tensor cores. */
function addPromoted(body: readonly Statement[], carriers: Set<string>): void {
  for (const statement of allStatements(body)) {
    if (statement.op !== 'assign' || statement.place.op !== 'register') continue;
    if (carried(statement.value, carriers) !== null) carriers.add(statement.place.name);
  }
}

/**
 * Returns the accumulator that a value copies, without the arithmetic, or null if the value
 * contains none.
 */
function carried(value: Value, carriers: ReadonlySet<string>): Value | null {
  switch (value.op) {
    case 'register':
      return carriers.has(value.name) ? value : null;
    case 'shared':
      // The staging buffer of C is the only shared array that holds accumulators.
      return value.site.operand === 'c' || value.site.operand === 'workspace' ? value : null;
    case 'mul':
    case 'add':
    case 'sub':
      return carried(value.left, carriers) ?? carried(value.right, carriers);
    case 'convert':
    case 'activation':
      return carried(value.value, carriers);
    case 'guarded':
    case 'broadcast':
      return wrapped(value, carriers);
    case 'lanes': {
      const values = value.values.map(each => carried(each, carriers));
      return values.includes(null)
        ? null
        : { ...value, values: values.filter(each => each !== null) };
    }
    case 'zero':
    case 'scalar':
    case 'global':
    case 'quadBroadcast':
    case 'shuffleXor':
      return null;
  }
}

function wrapped(
  value: Extract<Value, { op: 'guarded' | 'broadcast' }>,
  carriers: ReadonlySet<string>,
): Value | null {
  const inner = carried(value.value, carriers);
  return inner === null ? null : { ...value, value: inner };
}
