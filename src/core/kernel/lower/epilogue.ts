/** What becomes of a block's sums: C := alpha * acc + beta * C, or what leads to it where K is in parts. */
import { blockIdx } from '../ir/expr';
import type { Expr, GlobalElement, Value } from '../ir/ir';
import { lanePlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import * as name from './names';

interface At {
  readonly row: Expr;
  readonly column: Expr;
}

export interface Epilogue {
  readonly place: GlobalElement;
  /** Others add to the same place. */
  readonly atomic: boolean;
  /** Whether a sum is stored as it is. */
  readonly plain: boolean;
  readonly readsC: boolean;
  /** C as it was, in the type of the sum. */
  readonly old: Value;
  /** What is stored or added, in the type of the sum; `old` is an element of C that was read. */
  readonly value: (sum: Value, old: Value) => Value;
  /** The same in the type of the place. */
  readonly stored: (value: Value) => Value;
}

/** Of the kernel that multiplies. Parts are scaled where they are added, and beta is another kernel's. */
export function epilogue(plan: Plan, at: At): Epilogue {
  const { beta } = plan.spec.problem;
  const reduction = plan.split?.reduction;
  if (reduction === 'two-pass') {
    const place = name.partialSum(plan, { ...at, part: blockIdx('z'), site: 'workspace store' });
    return of(plan, at, { place, scaled: false, beta: 0, atomic: false });
  }
  const atomic = reduction === 'atomic';
  const site = atomic ? 'C atomic add' : 'C store';
  const place = name.globalElement(plan, { ...at, operand: 'c', site });
  return of(plan, at, { place, scaled: isScaled(plan), beta: atomic ? 0 : beta, atomic });
}

/** Of the kernel that adds up the parts. */
export function reducedEpilogue(plan: Plan, at: At): Epilogue {
  const { alpha, beta } = plan.spec.problem;
  const place = name.globalElement(plan, { ...at, operand: 'c', site: 'C store' });
  return of(plan, at, { place, scaled: alpha !== 1, beta, atomic: false });
}

function of(
  plan: Plan,
  at: At,
  given: Pick<Epilogue, 'place' | 'atomic'> & { readonly scaled: boolean; readonly beta: number },
): Epilogue {
  const { place, atomic, scaled, beta } = given;
  return {
    place,
    atomic,
    plain: !scaled && beta === 0,
    readsC: beta !== 0,
    old: name.toSum(plan, 'c', name.globalElement(plan, { ...at, operand: 'c', site: 'C load' })),
    stored: value => name.converted(value, plan.accumulator, plan.dtypes[place.site.operand]),
    value: (sum, old) => {
      const product = scaled ? times('alpha', sum) : sum;
      const kept = beta === 1 ? old : times('beta', old);
      return beta === 0 ? product : { op: 'add', left: product, right: kept };
    },
  };
}

export const times = (role: 'alpha' | 'beta', value: Value): Value => ({
  op: 'mul',
  left: { op: 'scalar', role },
  right: value,
});

/**
 * Whether the kernel that multiplies is passed alpha. A factor of 1 is not, but where multiply-adds overlap with loads: a
 * result that is scaled need not lie beside its neighbours in registers, as a vector store asks, and so the compiler
 * can deal results to the two register banks as the multiply-adds need them (docs/performance.md).
 */
export const isScaled = (plan: Plan): boolean =>
  plan.spec.problem.alpha !== 1 ||
  (lanePlanIn(plan)?.fragments === 2 && plan.split?.reduction !== 'two-pass');
