/** Completes the draft of an annotation with the kernel's launch and its index expressions. */
import type { ArgumentRole } from '../kernel/ir/arguments';
import type { Layout, Target } from '../spec/schema';
import { guessAnnotation, type AnnotationGuess } from './annotationGuess';
import { evaluate } from './annotationSchema';
import { blanked } from './kernelSites';
import { launchIn } from './launchGuess';

export interface InferredAnnotation extends AnnotationGuess {
  /** Layouts of A, B and C. Row-major if no index expression shows the leading dimension. */
  readonly layouts: readonly [Layout, Layout, Layout];
}

type Sizes = AnnotationGuess['sizes'];

/**
 * Drafts the annotation of one kernel; returns undefined if the source does not define it.
 * @param instance instance of a template that the user names, such as `sgemm<128, 8>`
 */
export function inferAnnotation(
  text: string,
  entry: string,
  target: Target,
  instance?: string,
): InferredAnnotation | undefined {
  const guess = guessAnnotation(text, entry, target, instance);
  if (guess === undefined) return undefined;
  const layouts = layoutsOf(blanked(text), guess);
  const launch = target === 'cuda' ? launchIn(text, entry) : undefined;
  if (launch === undefined) return { ...guess, sizes: withSquare(guess.sizes, guess), layouts };
  const passed = Object.fromEntries(
    guess.args.flatMap((role, index) => {
      const value = launch.values[index];
      const isSize = role === 'm' || role === 'n' || role === 'k';
      return isSize && value !== undefined && value >= 1 ? [[role, value]] : [];
    }),
  ) as Sizes;
  const sizes = withSquare({ ...guess.sizes, ...passed }, guess);
  const block = launch.block === undefined ? guess.block : withoutOnes(launch.block);
  const grid = gridOf(guess.grid, launch.grid, { sizes, block });
  return { ...guess, sizes, block, grid, layouts };
}

/**
 * Adds the extents that the kernel does not take as arguments. They equal the known extents if
 * these are equal, because a kernel with one extent multiplies square matrices.
 */
function withSquare(sizes: Sizes, { args }: AnnotationGuess): Sizes {
  const values = new Set(Object.values(sizes));
  const [value] = values;
  if (value === undefined || values.size > 1) return sizes;
  const missing = (['m', 'n', 'k'] as const).filter(
    name => sizes[name] === undefined && !args.flat().includes(name),
  );
  return { ...sizes, ...Object.fromEntries(missing.map(name => [name, value])) };
}

const withoutOnes = (extents: readonly number[]): readonly number[] =>
  extents.slice(0, Math.max(1, extents.findLastIndex(extent => extent > 1) + 1));

/**
 * Returns the drafted expressions, in the order that yields the launched grid. If they do not yield
 * it, returns the launched grid.
 */
function gridOf(
  drafted: readonly string[],
  launched: readonly number[] | undefined,
  { sizes: { m, n, k }, block }: Pick<AnnotationGuess, 'sizes' | 'block'>,
): readonly string[] {
  if (launched === undefined || m === undefined || n === undefined || k === undefined)
    return drafted;
  const [x = 1, y = 1, z = 1] = block ?? [];
  const names = { m, n, k, 'block.x': x, 'block.y': y, 'block.z': z };
  const actual = withoutOnes(launched);
  const yields = (grid: readonly string[]): boolean => {
    const values = grid.map(part => evaluate(part, names) ?? NaN);
    return withoutOnes(values).join() === actual.join();
  };
  const found = [drafted, drafted.toReversed()].find(yields);
  return found ?? actual.map(String);
}

/** Extents that are the leading dimension of a row-major and of a column-major matrix. */
const LEADING = {
  a: { row: ['k', 'lda'], col: ['m'] },
  b: { row: ['n', 'ldb'], col: ['k'] },
  c: { row: ['n', 'ldc'], col: ['m'] },
} as const;

function layoutsOf(code: string, guess: AnnotationGuess): InferredAnnotation['layouts'] {
  const { args, parameters } = guess;
  const nameOf = (role: ArgumentRole): string => parameters[args.indexOf(role)] ?? '';
  const layoutOf = (operand: 'a' | 'b' | 'c'): Layout => {
    const name = nameOf(operand);
    if (name === '') return 'row';
    const indices = [...code.matchAll(new RegExp(`\\b${name}\\s*\\[([^\\]]*)\\]`, 'g'))]
      .map(([, index = '']) => index)
      .join(' ');
    const isFactor = (role: ArgumentRole): boolean => {
      const factor = nameOf(role);
      return factor !== '' && new RegExp(`\\*\\s*${factor}\\b|\\b${factor}\\s*\\*`).test(indices);
    };
    const { row, col } = LEADING[operand];
    return col.some(isFactor) && !row.some(isFactor) ? 'col' : 'row';
  };
  return [layoutOf('a'), layoutOf('b'), layoutOf('c')];
}
