/** Legality of `problem.epilogue`: types, leading dimensions, bindings and atomic split-K. */
import { t } from '@vscode/l10n';
import { epilogueOperands, namedOps, type EpilogueOperand } from '../../spec/epilogue';
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
    if (!allowed.includes(dtype)) {
      const message = t(
        'The operand of {0} can be {1} here, not {2}.',
        op.op,
        allowed.join(', '),
        dtype,
      );
      return [{ rule: 'epilogue', path: `${path}.dtype`, message, nearest: allowed[0] }];
    }
    return op.op === 'residual' ? residual(problem, operand, { path, target }) : [];
  });
};

/** Virtual addresses have 49 bits, and WGSL indexes with u32 (see problemRules.ts). */
const mostElements = (dtype: DType, target: Target): number =>
  target === 'cuda' ? 2 ** 49 / DTYPE_BYTES[dtype] : 2 ** 32 - 1;

function residual(
  problem: ResolvedProblem,
  { name, layout, rows, columns, ld, dtype }: EpilogueOperand,
  { path, target }: { readonly path: string; readonly target: Target },
): readonly RuleViolation[] {
  const packed = layout === 'row' ? columns : rows;
  const at = { rule: 'epilogue', path: `${path}.ld`, nearest: packed };
  if (ld < packed) {
    const message = t(
      'The residual requires a leading dimension of at least {0}; got {1}.',
      n(packed),
      n(ld),
    );
    return [{ ...at, message }];
  }
  const spanned = spanElements(problem, name);
  const most = mostElements(dtype, target);
  if (spanned <= most) return [];
  return [{ ...at, message: t('The residual spans {0} > {1} elements.', n(spanned), n(most)) }];
}

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

export const EPILOGUE_PROBLEM_RULES: readonly ProblemRule[] = [accumulators, operands, bindings];
export const EPILOGUE_RULES: readonly Rule[] = [atomics];
