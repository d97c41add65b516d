/** Questions of the chapters. The key comes from the analysis of the kernel. */

export interface Prediction {
  readonly question: string;
  readonly options: readonly string[];
  /** Index of the correct option. */
  readonly correct: number;
  /** Mistake that leads to each option, null for the correct one; absent if they are not known. */
  readonly mistakes?: readonly (string | null)[];
  /** Derivation of the correct option, one sentence per line. */
  readonly derivation: readonly string[];
}

/** Returns the mistake that leads to an incorrect option, if it is known. */
export const mistakeOf = ({ correct, mistakes }: Prediction, answer: number): string | null =>
  answer === correct ? null : (mistakes?.[answer] ?? null);

/** Returns the lines after the verdict: the mistake of an incorrect option, then the derivation. */
export const explanationOf = (prediction: Prediction, answer: number): readonly string[] => [
  ...[mistakeOf(prediction, answer)].filter(mistake => mistake !== null),
  ...prediction.derivation.map((line, i) => `${i + 1}. ${line}`),
];

/**
 * Creates a question from its key and incorrect options. Numbers are sorted; other options keep a
 * fixed order that does not depend on the key.
 *
 * @throws if two options are equal
 */
export function question(
  text: string,
  key: string | number,
  wrong: readonly (string | number)[],
  derivation: readonly string[],
): Prediction {
  const all = [key, ...wrong].map(String);
  if (new Set(all).size !== all.length) throw new Error(`${text}: two options are equal`);
  const numberOf = (option: string): number => Number(option.replaceAll(',', ''));
  const options = all.every(option => Number.isFinite(numberOf(option)))
    ? all.toSorted((one, other) => numberOf(one) - numberOf(other))
    : all.toSorted();
  return { question: text, options, correct: options.indexOf(String(key)), derivation };
}
