/** Multiple-choice questions about a kernel, whose keys come from the analysis. */
import { t } from '@vscode/l10n';
import { grouped } from '../text/numbers';

/** Views of the analysis that the questions belong to. */
export const TOPICS = ['tiles', 'requests', 'occupancy', 'shared', 'staging'] as const;
export type Topic = (typeof TOPICS)[number];

export interface Option {
  readonly text: string;
  /** Mistake that leads to this option; null for the correct option. */
  readonly mistake: string | null;
}

export interface Question {
  /** Stable across kernels, such as `requests/sectors/A load`. */
  readonly id: string;
  readonly topic: Topic;
  readonly text: string;
  /** At least two options with different texts. Exactly one of them is correct. */
  readonly options: readonly Option[];
  /** Index of the correct option. */
  readonly key: number;
  /** Steps from the kernel to the correct option, one per line. */
  readonly derivation: readonly string[];
}

type Head = Pick<Question, 'id' | 'topic' | 'text' | 'derivation'>;

export interface Wrong<T> {
  readonly value: T;
  readonly mistake: string;
}

const MAX_WRONG = 3;

/**
 * Returns a question with the options in the order of `order`. Wrong options that equal the correct
 * one or each other are left out. Returns null without a wrong option.
 */
export function choice(
  head: Head,
  right: string,
  wrong: readonly Wrong<string>[],
  order: (one: string, other: string) => number,
): Question | null {
  const others = distinct(right, wrong).slice(0, MAX_WRONG);
  if (others.length === 0) return null;
  const options = [
    { text: right, mistake: null },
    ...others.map(({ value, mistake }): Option => ({ text: value, mistake })),
  ].sort((one, other) => order(one.text, other.text));
  return { ...head, options, key: options.findIndex(({ mistake }) => mistake === null) };
}

/**
 * Returns a question for a count, with the options in ascending order. Multiples of the correct
 * count replace missing options.
 */
export function count(
  head: Head,
  right: number,
  wrong: readonly Wrong<number>[],
  name: (value: number) => string = grouped,
): Question | null {
  const guess = t('No rule leads to this value.');
  const guesses = [right * 2, Math.ceil(right / 2), right + 1, right * 4];
  const possible = [...wrong, ...guesses.map(value => ({ value, mistake: guess }))].filter(
    ({ value }) => Number.isInteger(value) && value >= 0,
  );
  const values = [right, ...possible.map(({ value }) => value)];
  const valueOf = new Map(values.map(value => [name(value), value]));
  return choice(
    head,
    name(right),
    possible.map(({ value, mistake }) => ({ value: name(value), mistake })),
    (one, other) => (valueOf.get(one) ?? 0) - (valueOf.get(other) ?? 0),
  );
}

const collator = new Intl.Collator('en', { numeric: true });

/** Order of texts that contain numbers. */
export const byText = (one: string, other: string): number => collator.compare(one, other);

const distinct = <T>(right: T, wrong: readonly Wrong<T>[]): readonly Wrong<T>[] =>
  wrong.filter(
    ({ value }, index) =>
      value !== right && wrong.findIndex(other => other.value === value) === index,
  );
