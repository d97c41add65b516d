/** Questions of the chapters. The key and the derivation come from the analysis of the kernel. */

export interface Prediction {
  readonly question: string;
  readonly options: readonly string[];
  /** Index of the correct option. */
  readonly correct: number;
  /** Derivation of the correct option, one sentence per line. */
  readonly derivation: readonly string[];
}

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
