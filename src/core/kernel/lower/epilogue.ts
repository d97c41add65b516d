/**
 * Epilogue: computes alpha * acc + beta * C and the operations of `problem.epilogue`, or stores or
 * atomically adds the result of a split-K slice.
 */
import { blockIdx } from '../ir/expr';
import type { Expr, GlobalElement, Value } from '../ir/ir';
import { lanePlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import { bufferType } from '../../spec/resolved';
import { gateOf } from '../../spec/epilogue';
import { applyEpilogue, hasEpilogue, type ElementsOfC } from './epilogueOps';
import { ofSecondProduct } from './gate';
import * as name from './names';

interface At {
  readonly row: Expr;
  readonly column: Expr;
}

/** Elements of an operation on several elements: the offset of the first one, or the width. */
export type Lanes = Pick<ElementsOfC, 'offset' | 'width'>;

export interface Epilogue {
  readonly place: GlobalElement;
  /** Whether other thread blocks add to the same elements of C. */
  readonly atomic: boolean;
  /** Whether accumulators are stored without any operation. */
  readonly plain: boolean;
  /** Whether accumulators are neither scaled nor added to C before the epilogue. */
  readonly plainProduct: boolean;
  readonly readsC: boolean;
  /** Previous element of C, in the accumulator type. */
  readonly old: Value;
  /**
   * Computes the value to store or add, in the accumulator type; `old` is the previous element of
   * C.
   */
  readonly value: (sum: Value, oldValue: Value, lanes?: Lanes) => Value;
  /** Scales an accumulator by alpha and applies the gate, without adding C. */
  readonly product: (sum: Value) => Value;
  /** Adds the previous element of C to a scaled accumulator, and applies the epilogue. */
  readonly total: (product: Value, oldValue: Value, lanes?: Lanes) => Value;
  readonly stored: (value: Value) => Value;
}

/**
 * Returns the epilogue of the main kernel. With two-pass split-K, the reduction kernel applies
 * alpha and beta. With atomic split-K, a pre-pass kernel applies beta.
 */
export function epilogue(plan: Plan, at: At): Epilogue {
  const { beta } = plan.spec.problem;
  const reduction = plan.split?.reduction;
  if (reduction === 'two-pass') {
    const place = name.partialResult(plan, { ...at, part: blockIdx('z'), site: 'workspace store' });
    return of(plan, at, { place, scaled: false, beta: 0, atomic: false, applies: false });
  }
  const atomic = reduction === 'atomic';
  const site = atomic ? 'C atomic add' : 'C store';
  const place = name.globalElement(plan, { ...at, operand: 'c', site });
  return of(plan, at, {
    place,
    scaled: isScaled(plan),
    beta: atomic ? 0 : beta,
    atomic,
    applies: !atomic,
  });
}

export function reducedEpilogue(plan: Plan, at: At): Epilogue {
  const { alpha, beta } = plan.spec.problem;
  const place = name.globalElement(plan, { ...at, operand: 'c', site: 'C store' });
  return of(plan, at, { place, scaled: alpha !== 1, beta, atomic: false, applies: true });
}

function of(
  plan: Plan,
  at: At,
  given: Pick<Epilogue, 'place' | 'atomic'> & {
    readonly scaled: boolean;
    readonly beta: number;
    /** Whether this kernel applies the operations of the epilogue. */
    readonly applies: boolean;
  },
): Epilogue {
  const { place, atomic, scaled, beta, applies } = given;
  const gate = applies ? gateOf(plan.spec.problem) : undefined;
  const scaledSum = (sum: Value): Value => (scaled ? times('alpha', sum) : sum);
  const product = (sum: Value): Value =>
    gate === undefined
      ? scaledSum(sum)
      : {
          op: 'mul',
          left: { op: 'activation', of: gate.op.act, value: scaledSum(sum) },
          right: scaledSum(ofSecondProduct(sum)),
        };
  const total = (left: Value, oldValue: Value, lanes: Lanes = {}): Value => {
    const kept = beta === 1 ? oldValue : times('beta', oldValue);
    const sum: Value = beta === 0 ? left : { op: 'add', left, right: kept };
    return applies ? applyEpilogue(plan, sum, { ...at, ...lanes }) : sum;
  };
  return {
    place,
    atomic,
    plain: !scaled && beta === 0 && !(applies && hasEpilogue(plan)),
    plainProduct: !scaled && beta === 0 && gate === undefined,
    readsC: beta !== 0,
    old: name.toAccumulator(
      plan,
      'c',
      name.globalElement(plan, { ...at, operand: 'c', site: 'C load' }),
    ),
    stored: value =>
      name.converted(value, plan.accumulator, bufferType(plan.dtypes, place.site.operand)),
    value: (sum, oldValue, lanes) => total(product(sum), oldValue, lanes),
    product,
    total,
  };
}

export const times = (role: 'alpha' | 'beta', value: Value): Value => ({
  op: 'mul',
  left: { op: 'scalar', role },
  right: value,
});

/**
 * Returns whether accumulators are scaled by alpha. An alpha of 1 is omitted, except in a main
 * kernel with double-buffered fragments: vector stores of unscaled accumulators would require
 * adjacent registers and so constrain their register banks (bench/reports/performance.md).
 */
export const isScaled = (plan: Plan): boolean =>
  plan.spec.problem.alpha !== 1 ||
  (lanePlanIn(plan)?.fragments === 2 && plan.split?.reduction !== 'two-pass');
