/** Epilogue in the reference of a test: statements that update `wanted` and its error `bound`. */
import type { Kernel } from '../kernel/kernel';
import type { Activation } from '../types/activations';
import { UNIT_ROUNDOFF } from '../types/dtype';
import { activationError, SLOPE } from '../verify/epilogue';
import type { ExtraOperand } from './epilogue';
import { floatLiteral } from './numbers';
import type { GemmType } from './subject';

export interface ReferenceLanguage {
  /** Element of an operand in double precision. */
  readonly element: (operand: ExtraOperand) => string;
  readonly magnitude: (value: string) => string;
  /** max(|value|, 1). */
  readonly atLeastOne: (value: string) => string;
  readonly activations: Readonly<Record<Activation, (value: string) => string>>;
  readonly semicolon: '' | ';';
  /** Name of the error bound of `second`, the second product of a gate. */
  readonly secondBound: 'secondBound' | 'second_bound';
}

/**
 * Returns the statements, which follow those of alpha * A * B + beta * C. Each operation carries
 * the error of its input and adds its own, as in verify/epilogue.ts.
 */
export function referenceLines(
  { epilogue, accumulator }: GemmType,
  { problem }: Kernel,
  language: ReferenceLanguage,
): readonly string[] {
  const { element, magnitude, atLeastOne, activations, semicolon, secondBound } = language;
  const unit = floatLiteral(2 * UNIT_ROUNDOFF[accumulator]);
  return epilogue
    .flatMap((step): readonly string[] => {
      const activated = (of: Activation): readonly string[] => {
        const own = activationError(of, problem);
        const added = own === 0 ? '' : ` + ${floatLiteral(own)} * ${atLeastOne('wanted')}`;
        const isExact = own === 0 && SLOPE[of] === 1;
        return [
          ...(isExact ? [] : [`bound = ${floatLiteral(SLOPE[of])} * bound${added}`]),
          `wanted = ${activations[of]('wanted')}`,
        ];
      };
      if (step.operand === undefined) return activated(step.op);
      if (step.op === 'gate')
        return [
          ...activated(step.act),
          `bound = bound * ${magnitude('second')} + (${magnitude('wanted')} + bound) * ${secondBound}`,
          'wanted = wanted * second',
          `bound = bound + ${unit} * (${magnitude('wanted')} + bound)`,
        ];
      const { op } = step;
      const right = element(step.operand);
      return [
        `wanted = wanted ${op === 'scale' ? '*' : '+'} ${right}`,
        ...(op === 'scale' ? [`bound = bound * ${magnitude(right)}`] : []),
        `bound = bound + ${unit} * (${magnitude('wanted')} + bound)`,
      ];
    })
    .map(line => line + semicolon);
}

/** Returns whether an operation is the exact GELU, which requires the error function. */
export const usesGelu = ({ epilogue }: GemmType): boolean =>
  epilogue.some(step => step.op === 'gelu' || (step.op === 'gate' && step.act === 'gelu'));

/** Activations as expressions of C++, Python or JavaScript, with the functions of the language. */
export const activationsWith = (functions: {
  readonly max: string;
  readonly exp: string;
  /** Error function. */
  readonly erf: string;
}): ReferenceLanguage['activations'] => {
  const { max, exp, erf } = functions;
  const ratio = (value: string, exponent: string): string =>
    `${value} / (1.0 + ${exp}(${exponent}))`;
  return {
    relu: value => `${max}(${value}, 0.0)`,
    gelu: value => `0.5 * ${value} * (1.0 + ${erf}(${value} * ${Math.SQRT1_2}))`,
    'gelu-tanh': value =>
      ratio(
        value,
        `${-2 * Math.sqrt(2 / Math.PI)} * (${value} + 0.044715 * ${value} * ${value} * ${value})`,
      ),
    silu: value => ratio(value, `-${value}`),
  };
};
