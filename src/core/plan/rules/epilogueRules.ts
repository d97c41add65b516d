/** Legality of `problem.epilogue`: types, leading dimensions, bindings and atomic split-K. */
import { t } from '@vscode/l10n';
import { epilogueOperands, gateOf, namedOps, type EpilogueOperand } from '../../spec/epilogue';
import { spanElements, type ResolvedProblem } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { grouped as n } from '../../text/numbers';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import type { ProblemRule, Rule, RuleViolation } from './rule';

const accumulators: ProblemRule = ({ spec: { problem } }) => {
  const { accumulator, epilogue } = problem;
  if (epilogue === undefined || accumulator === 'f32' || accumulator === 'f64') return [];
  const message = t('An epilogue requires f32 or f64 accumulators; got {0}.', accumulator);
  return [{ rule: 'epilogue', path: 'problem.epilogue', message, nearest: [] }];
};

/** Returns the element types that an operand of the epilogue can have. */
export function epilogueTypes(accumulator: DType, target: Target): readonly DType[] {
  if (target === 'wgsl') return ['f32', 'f16'];
  return accumulator === 'f64' ? ['f64', 'f32'] : ['f32', 'f16', 'bf16', 'e4m3', 'e5m2'];
}

/** Returns the JSON path of each operand's operation. */
const placesOf = (problem: ResolvedProblem): ReadonlyMap<string, string> =>
  new Map(
    namedOps(problem.epilogue).flatMap(({ operand }, i) =>
      operand === undefined ? [] : [[operand, `problem.epilogue.${i}`] as const],
    ),
  );

const operands: ProblemRule = ({ spec: { problem }, target }) => {
  const places = placesOf(problem);
  const allowed = epilogueTypes(problem.accumulator, target);
  return epilogueOperands(problem).flatMap((operand): readonly RuleViolation[] => {
    const path = places.get(operand.name) ?? 'problem.epilogue';
    const { dtype, op } = operand;
    if (op.op !== 'gate' && !allowed.includes(dtype)) {
      const message = t(
        'The operand of {0} can be {1} here, not {2}.',
        op.op,
        allowed.join(', '),
        dtype,
      );
      return [{ rule: 'epilogue', path: `${path}.dtype`, message, nearest: allowed[0] }];
    }
    return op.op === 'residual' || op.op === 'gate'
      ? matrix(problem, operand, { path, target })
      : [];
  });
};

/** Virtual addresses have 49 bits, and WGSL indexes with u32 (see problemRules.ts). */
const mostElements = (dtype: DType, target: Target): number =>
  target === 'cuda' ? 2 ** 49 / DTYPE_BYTES[dtype] : 2 ** 32 - 1;

const LABELS = { residual: () => t('residual'), gate: () => t('second B of the gate') } as const;

function matrix(
  problem: ResolvedProblem,
  { name, op, layout, rows, columns, ld, dtype }: EpilogueOperand,
  { path, target }: { readonly path: string; readonly target: Target },
): readonly RuleViolation[] {
  const packed = layout === 'row' ? columns : rows;
  const at = { rule: 'epilogue', path: `${path}.ld`, nearest: packed };
  const label = LABELS[op.op === 'gate' ? 'gate' : 'residual']();
  if (ld < packed) {
    const message = t(
      'The {0} requires a leading dimension of at least {1}; got {2}.',
      label,
      n(packed),
      n(ld),
    );
    return [{ ...at, message }];
  }
  const spanned = spanElements(problem, name);
  const most = mostElements(dtype, target);
  if (spanned <= most) return [];
  return [{ ...at, message: t('The {0} spans {1} > {2} elements.', label, n(spanned), n(most)) }];
}

/**
 * A gate multiplies two products, so it is the first operation. C is not added to either of them.
 */
const gates: ProblemRule = ({ spec: { problem } }) => {
  const rule = 'epilogue';
  const misplaced = (problem.epilogue ?? [])
    .flatMap(({ op }, i) => (op === 'gate' && i > 0 ? [i] : []))
    .map(i => ({
      rule,
      path: `problem.epilogue.${i}`,
      message: t(
        'A gate combines the products of A with two matrices, so it can only be the first operation. Fix: move it to the start of the list.',
      ),
      nearest: null,
    }));
  const gate = gateOf(problem);
  if (gate === undefined) return misplaced;
  const ofBeta = t(
    'A gate requires beta = 0: its two products have no common C to add. Got {0}. Fix: add a residual after the gate.',
    problem.beta,
  );
  const ofLayout = t(
    'The second B of a gate has the layout of B, {0}: both are loaded by the same copies.',
    problem.b.layout,
  );
  return [
    ...misplaced,
    ...(problem.beta === 0 ? [] : [{ rule, path: 'problem.beta', message: ofBeta, nearest: 0 }]),
    ...(gate.layout === problem.b.layout
      ? []
      : [
          { rule, path: 'problem.epilogue.0.layout', message: ofLayout, nearest: problem.b.layout },
        ]),
  ];
};

/** Storage buffers per stage that WebGPU guarantees (8), without A, B and C. */
const WGSL_OPERANDS = 5;

const bindings: ProblemRule = ({ spec: { problem }, target }) => {
  const count = epilogueOperands(problem).length;
  if (target !== 'wgsl' || count <= WGSL_OPERANDS) return [];
  const message = t(
    'WebGPU guarantees 8 storage buffers per kernel. Beside A, B and C, the epilogue can have {0} operands; it has {1}.',
    WGSL_OPERANDS,
    count,
  );
  return [{ rule: 'epilogue', path: 'problem.epilogue', message, nearest: null }];
};

/** Atomic additions of slices leave no point at which an element is complete. */
const atomics: Rule = ({ spec: { problem }, geometry: { split } }) => {
  if (problem.epilogue === undefined || split?.reduction !== 'atomic') return [];
  const message = t(
    'An epilogue requires complete sums, which atomic split-K does not provide. Fix: use two-pass.',
  );
  return [{ rule: 'epilogue', path: 'schedule.splitKReduction', message, nearest: 'two-pass' }];
};

export const EPILOGUE_PROBLEM_RULES: readonly ProblemRule[] = [
  accumulators,
  gates,
  operands,
  bindings,
];
export const EPILOGUE_RULES: readonly Rule[] = [atomics];
