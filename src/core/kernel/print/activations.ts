/**
 * Device functions of activations. All are x sigmoid(2 u) = x (1 + tanh(u)) / 2, except relu and
 * the accurate gelu.
 */
import { usesTanh, type Activation } from '../../types/activations';
import { DTYPE_BYTES, type DType } from '../../types/dtype';

/** Names of the functions in emitted code; relu is printed as an expression. */
const FUNCTIONS = { gelu: 'gelu', 'gelu-tanh': 'geluTanh', silu: 'silu' } as const;
type Named = keyof typeof FUNCTIONS;
const NAMED = Object.keys(FUNCTIONS) as readonly Named[];

const WHAT: Readonly<Record<Named, string>> = {
  gelu: 'GELU: x times the standard normal distribution function',
  'gelu-tanh': 'GELU, tanh approximation: x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3))',
  silu: 'SiLU: x * sigmoid(x)',
};

/** Prints an activation of a scalar, or in WGSL of a vector with `width` elements. */
export function cudaActivation(of: Activation, value: string, accumulator: DType): string {
  if (of !== 'relu') return `${FUNCTIONS[of]}(${value})`;
  return accumulator === 'f64' ? `fmax(${value}, 0.0)` : `fmaxf(${value}, 0.0f)`;
}

export function wgslActivation(of: Activation, value: string, width: number): string {
  if (of === 'relu') return width === 1 ? `max(${value}, 0.0)` : `max(${value}, vec${width}(0.0))`;
  return `${FUNCTIONS[of]}${width === 1 ? '' : width}(${value})`;
}

/**
 * Returns the functions that the lines call. With an output of at most 16 bits, gelu is a fitted
 * polynomial in a sigmoid (largest error 3e-5), and divisions and exponentials are approximate.
 * With at most 8 significant bits, such as bf16, the sigmoid is one `tanh.approx` (largest error
 * 2^-12), which needs half of the special-function operations.
 */
export function cudaActivations(
  lines: readonly string[],
  { accumulator, output }: Precision,
): readonly string[] {
  if (usesTanh(accumulator, output)) return tanhActivations(lines);
  const isDouble = accumulator === 'f64';
  const isFast = !isDouble && DTYPE_BYTES[output] <= 2;
  const type = isDouble ? 'double' : 'float';
  const real = (digits: string): string => (isDouble ? digits : `${digits}f`);
  const exp = isDouble ? 'exp' : isFast ? '__expf' : 'expf';
  const one = real('1.0');
  const ratio = (exponent: string): string =>
    isFast ? `__fdividef(x, ${one} + ${exp}(${exponent}))` : `x / (${one} + ${exp}(${exponent}))`;
  const tanhTerm = `${real('-1.5957691216057308')} * (x + ${real('0.044715')} * x * x * x)`;
  const bodies: Readonly<Record<Named, readonly string[]>> = {
    gelu: isFast
      ? [
          `  const float t = fminf(x * x, 36.0f);`,
          `  return ${ratio('-x * (1.5950158f + t * (0.074011296f - 0.00070303397f * t))')};`,
        ]
      : [
          `  return ${real('0.5')} * x * ${isDouble ? 'erfc' : 'erfcf'}(${real('-0.7071067811865476')} * x);`,
        ],
    'gelu-tanh': [`  return ${ratio(tanhTerm)};`],
    silu: [`  return ${ratio('-x')};`],
  };
  return called(lines).flatMap(of => [
    ...comment(of, of === 'gelu' && isFast),
    `__device__ __forceinline__ ${type} ${FUNCTIONS[of]}(${type} x) {`,
    ...bodies[of],
    '}',
    '',
  ]);
}

interface Precision {
  readonly accumulator: DType;
  readonly output: DType;
}

/** Twice these arguments are the exponents of the sigmoids. */
const TANH: Readonly<Record<Named, readonly string[]>> = {
  gelu: [
    '  const float t = fminf(x * x, 36.0f);',
    '  const float tanh = fastTanh(x * (0.7975079f + t * (0.037005648f - 0.000351516985f * t)));',
  ],
  'gelu-tanh': ['  const float tanh = fastTanh(x * (0.7978845608f + 0.0356774081f * x * x));'],
  silu: ['  const float tanh = fastTanh(0.5f * x);'],
};

/** One special function per element: x sigmoid(2 u) = x (1 + tanh(u)) / 2. */
function tanhActivations(lines: readonly string[]): readonly string[] {
  const functions = called(lines);
  if (functions.length === 0) return [];
  return [
    '// Hyperbolic tangent with a largest relative error of 2^-11, less than the rounding of C.',
    '__device__ __forceinline__ float fastTanh(float x) {',
    '  float y;',
    '  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));',
    '  return y;',
    '}',
    '',
    ...functions.flatMap(of => [
      ...comment(of, of === 'gelu'),
      '// sigmoid(2 * u) = (1 + tanh(u)) / 2.',
      `__device__ __forceinline__ float ${FUNCTIONS[of]}(float x) {`,
      '  const float half = 0.5f * x;',
      ...TANH[of],
      '  return half * tanh + half;',
      '}',
      '',
    ]),
  ];
}

/** Exponents are limited, because WGSL need not support infinities. */
export function wgslActivations(lines: readonly string[]): readonly string[] {
  return called(lines).flatMap(of =>
    [1, 2, 4].flatMap(width => {
      const name = `${FUNCTIONS[of]}${width === 1 ? '' : width}`;
      if (!lines.some(line => line.includes(`${name}(`))) return [];
      const type = width === 1 ? 'f32' : `vec${width}<f32>`;
      const limit = width === 1 ? '80.0' : `${type}(80.0)`;
      const sigmoid = (exponent: string): string => `x / (1.0 + exp(min(${exponent}, ${limit})))`;
      const bodies: Readonly<Record<Named, readonly string[]>> = {
        gelu: [
          '  // erf by Abramowitz and Stegun 7.1.26; its largest error is 1.5e-7.',
          '  let z = abs(x) * 0.70710678;',
          '  let t = 1.0 / (1.0 + 0.3275911 * z);',
          '  let p = t * (0.25482959 + t * (-0.28449674 + t * (1.4214137 + t * (-1.453152 + t * 1.0614054))));',
          '  return max(x, 0.0 * x) - 0.5 * abs(x) * p * exp(-z * z);',
        ],
        'gelu-tanh': [`  return ${sigmoid('-1.5957691 * (x + 0.044715 * x * x * x)')};`],
        silu: [`  return ${sigmoid('-x')};`],
      };
      return [...comment(of, false), `fn ${name}(x: ${type}) -> ${type} {`, ...bodies[of], '}', ''];
    }),
  );
}

const called = (lines: readonly string[]): readonly Named[] =>
  NAMED.filter(of => lines.some(line => new RegExp(`\\b${FUNCTIONS[of]}\\d?\\(`).test(line)));

const comment = (of: Named, isFitted: boolean): readonly string[] => [
  `// ${WHAT[of]}.`,
  ...(isFitted
    ? ['// The distribution function is a sigmoid of a fitted polynomial (largest error 3e-5).']
    : []),
];
