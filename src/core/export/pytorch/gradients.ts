/**
 * Gradients of the PyTorch operator. The backward function recomputes the values before activations
 * and scales with PyTorch, and passes the gradient through the epilogue in reverse order. Then
 * dA = alpha * dC * B^T and dB = alpha * A^T * dC, in the layouts of A and B, and beta * dC. With a
 * gate, both products have gradients, and dA is their sum.
 */
import { TORCH_TYPES } from '../dtypes';
import { extrasOf, gateOperand, hasGradients, type ExtraOperand } from '../epilogue';
import { floatLiteral } from '../numbers';
import { isDifferentiable } from '../roles';
import type { ExportSubject, GemmType } from '../subject';
import type { Activation } from '../../types/activations';
import { broadcastText, scalarsOf, tensorsOf, tuple } from './operator';

/** Returns whether gradients are defined, which requires floating-point types except fp8. */
export const isTrainable = (type: GemmType): boolean =>
  isDifferentiable(type) && hasGradients(type);

const DERIVATIVES: Readonly<Record<Activation, (of: string) => string>> = {
  relu: of => `grad * (${of} > 0)`,
  gelu: of => `torch.ops.aten.gelu_backward(grad, ${of})`,
  'gelu-tanh': of => `torch.ops.aten.gelu_backward(grad, ${of}, approximate="tanh")`,
  silu: of => `torch.ops.aten.silu_backward(grad, ${of})`,
};

const ACTIVATIONS: Readonly<Record<Activation, (of: string) => string>> = {
  relu: of => `torch.nn.functional.relu(${of})`,
  gelu: of => `torch.nn.functional.gelu(${of})`,
  'gelu-tanh': of => `torch.nn.functional.gelu(${of}, approximate="tanh")`,
  silu: of => `torch.nn.functional.silu(${of})`,
};

/** Applies an activation of PyTorch. */
export const torchActivation = (of: Activation, value: string): string => ACTIVATIONS[of](value);

/** Returns whether the backward function uses values inside the epilogue. */
export const isRecomputed = ({ epilogue }: GemmType): boolean =>
  epilogue.some(({ op }) => op !== 'bias' && op !== 'residual');

interface Pass {
  /** Statements that recompute values; empty if no value is used. */
  readonly forward: readonly string[];
  /** Statements that pass `grad` through the epilogue. */
  readonly backward: readonly string[];
}

function passesOf(type: GemmType): Pass {
  const { epilogue } = type;
  const last = epilogue.findLastIndex(({ op }) => op !== 'bias' && op !== 'residual');
  const ofC = TORCH_TYPES[type.c.dtype];
  const cast = (text: string, { dtype }: ExtraOperand): string =>
    TORCH_TYPES[dtype] === ofC ? text : `(${text}).to(torch.${ofC})`;
  const forward = epilogue.slice(0, Math.max(0, last)).map((step, i) => {
    const value = `z${i}`;
    if (step.op === 'gate') return `z${i + 1} = ${torchActivation(step.act, value)} * second`;
    const { op, operand } = step;
    const text =
      operand === undefined
        ? torchActivation(op, value)
        : cast(`${value} ${op === 'scale' ? '*' : '+'} ${broadcastText(operand)}`, operand);
    return `z${i + 1} = ${text}`;
  });
  const index = new Map(tensorsOf(type).map((name, i) => [name, i]));
  const backward = epilogue
    .map((step, i): readonly string[] => {
      if (step.op === 'gate')
        return [
          `dsecond = grad * ${torchActivation(step.act, `z${i}`)}`,
          'grad = grad * second',
          `grad = ${DERIVATIVES[step.act](`z${i}`)}`,
        ];
      const { op, operand } = step;
      if (operand === undefined) return [`grad = ${DERIVATIVES[op](`z${i}`)}`];
      const { name } = operand;
      const needed = `if ctx.needs_input_grad[${index.get(name) ?? 0}] else None`;
      const own = op === 'scale' ? `(grad * z${i})` : 'grad';
      return [
        `d${name} = ${summed(own, operand, type)} ${needed}`,
        ...(op === 'scale' ? [`grad = ${cast(`grad * ${broadcastText(operand)}`, operand)}`] : []),
      ];
    })
    .toReversed()
    .flat();
  const gate = gateOperand(type);
  const products = [
    `z0 = ${productText(type, 'b')}`,
    ...(gate === undefined ? [] : [`second = ${productText(type, gate.name)}`]),
  ];
  return { forward: last < 0 ? [] : [...products, ...forward], backward };
}

/** alpha * A * B + beta * C in the type of C. */
function productText(type: GemmType, b: string): string {
  const { takesAlpha, alpha, takesBeta, beta, readsC } = type;
  const scale = takesAlpha ? 'ctx.alpha * ' : alpha === 1 ? '' : `${floatLiteral(alpha)} * `;
  const scaleC = takesBeta ? 'ctx.beta * ' : beta === 1 ? '' : `${floatLiteral(beta)} * `;
  const isSame = TORCH_TYPES[type.a.dtype] === TORCH_TYPES[type.c.dtype];
  const product = `torch.matmul(a, ${b})${isSame ? '' : `.to(torch.${TORCH_TYPES[type.c.dtype]})`}`;
  return `${scale}${product}${readsC ? ` + ${scaleC}c` : ''}`;
}

/** Sums a gradient over the extents that an operand does not have. */
function summed(grad: string, operand: ExtraOperand, { isBatched, c }: GemmType): string {
  const { op, sides, name, dtype } = operand;
  if (op === 'residual') {
    const isSame = TORCH_TYPES[dtype] === TORCH_TYPES[c.dtype];
    return isSame ? grad : `${grad}.to(${name}.dtype)`;
  }
  const all = isBatched ? (['batch', 'm', 'n'] as const) : (['m', 'n'] as const);
  const over = all.flatMap((side, i) => (side !== 'batch' && sides.includes(side) ? [] : [i]));
  const wide = c.dtype === 'f64' ? 'float64' : 'float32';
  const shaped = sides.length === 0 ? `.reshape(${name}.shape)` : '';
  return `${grad}.sum(dim=${tuple(over.map(String))}, dtype=torch.${wide})${shaped}.to(${name}.dtype)`;
}

/** Returns the functions that register the gradients. */
export function gradientText({ name, type }: ExportSubject): string {
  const { takesAlpha, alpha, takesBeta, beta, readsC } = type;
  const product = (operand: 'a' | 'b', left: string, right: string): string =>
    type[operand].layout === 'row'
      ? `torch.matmul(${left}, ${right})`
      : `torch.matmul(${transposed(right)}, ${transposed(left)}).mT`;
  const scale = takesAlpha ? ' * ctx.alpha' : alpha === 1 ? '' : ` * ${floatLiteral(alpha)}`;
  const scaleC = takesBeta ? ' * ctx.beta' : beta === 1 ? '' : ` * ${floatLiteral(beta)}`;
  const converts =
    type.c.dtype !== type.a.dtype && TORCH_TYPES[type.c.dtype] !== TORCH_TYPES[type.a.dtype];
  const scalars = scalarsOf(type);
  const { forward, backward } = passesOf(type);
  const extras = extrasOf(type);
  const isRecomputed = forward.length > 0;
  const kept = isRecomputed ? ['a', 'b', ...(readsC ? ['c'] : [])] : ['a', 'b'];
  const saved = [...kept, ...extras.map(operand => operand.name)];
  const given = [...tensorsOf(type), ...scalars.map(scalar => `ctx.${scalar.name}`)].map(each =>
    each === 'c' && !isRecomputed ? '_c' : each,
  );
  const returned = [
    'da',
    'db',
    ...(readsC ? [`grad${scaleC} if ctx.needs_input_grad[2] else None`] : []),
    ...extras.map(operand => `d${operand.name}`),
    ...scalars.map(() => 'None'),
  ];
  const savedText = isRecomputed
    ? saved.join(', ')
    : saved
        .map(each =>
          each === 'a' || each === 'b'
            ? `${each} if ctx.needs_input_grad[${each === 'a' ? 1 : 0}] else None`
            : each,
        )
        .join(', ');
  const gate = gateOperand(type);
  const inTypeOfA = (grad: string): string =>
    converts ? `${grad}.to(torch.${TORCH_TYPES[type.a.dtype]})` : grad;
  const fromB = `${product('a', 'dc', 'b.mT')}${scale}`;
  const ofA =
    gate === undefined ? fromB : `${fromB} + ${product('a', 'dc2', `${gate.name}.mT`)}${scale}`;
  const condition = (gradient: 0 | 1): string =>
    isRecomputed
      ? `None if not ctx.needs_input_grad[${gradient}] else`
      : `None if ${gradient === 0 ? 'b' : 'a'} is None else`;
  const lines = [
    ...(isRecomputed ? ['# The values inside the epilogue are recomputed, not stored.'] : []),
    ...forward,
    ...backward,
  ].map(line => `    ${line}\n`);
  return `

def _setup_context(ctx, inputs, output):
    ${given.join(', ')} = inputs
    ctx.save_for_backward(${savedText})


def _backward(ctx, grad):
    ${saved.join(', ')} = ctx.saved_tensors
${lines.join('')}    dc = ${inTypeOfA('grad')}
${gate === undefined ? '' : `    dc2 = ${inTypeOfA('dsecond')}\n`}    # The gradients have the layouts of a and b.
    da = ${condition(0)} ${ofA}
    db = ${condition(1)} ${product('b', 'a.mT', 'dc')}${scale}
${gate === undefined ? '' : `    d${gate.name} = ${product('b', 'a.mT', 'dc2')}${scale} if ctx.needs_input_grad[${tensorsOf(type).indexOf(gate.name)}] else None\n`}    return ${returned.join(', ')}


torch.library.register_autograd("${name}::gemm", _backward, setup_context=_setup_context)
`;
}

const transposed = (matrix: string): string =>
  matrix.endsWith('.mT') ? matrix.slice(0, -3) : `${matrix}.mT`;
