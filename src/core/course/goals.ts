/** Result of the goals of a task, and goals that several tasks share. */
import { short } from '../text/numbers';
import { outcome, type TaskCheck } from './outcome';
import type { Goal } from './task';

export function goalsOutcome(goals: readonly Goal[], correct: string): TaskCheck {
  const missed = goals.filter(({ isMet }) => !isMet);
  const met = goals.filter(({ isMet }) => isMet).map(({ text }) => text);
  const [first, ...others] = missed;
  return first === undefined
    ? outcome('passed', correct, { detail: met })
    : outcome('failed', first.text, { detail: [...others.map(({ text }) => text), correct] });
}

/** Requires `value` to be at most `limit`. */
export const atMost = (
  what: string,
  value: number,
  limit: number,
  { unit = '', why = '' }: { readonly unit?: string; readonly why?: string } = {},
): Goal => comparison(value <= limit, { what, value, limit: `at most ${short(limit)}`, unit, why });

/** Requires `value` to be at least `limit`. `goal` describes a limit that would be the answer. */
export const atLeast = (
  what: string,
  value: number,
  limit: number,
  {
    unit = '',
    why = '',
    goal = `at least ${short(limit)}`,
  }: { readonly unit?: string; readonly why?: string; readonly goal?: string } = {},
): Goal => comparison(value >= limit, { what, value, limit: goal, unit, why });

/** Requires `value` to equal `wanted`. `goal` describes a value that would be the answer. */
export const exactly = (
  what: string,
  value: number,
  wanted: number,
  {
    unit = '',
    why = '',
    goal = short(wanted),
  }: { readonly unit?: string; readonly why?: string; readonly goal?: string } = {},
): Goal => comparison(value === wanted, { what, value, limit: goal, unit, why });

interface Compared {
  readonly what: string;
  readonly value: number;
  readonly limit: string;
  readonly unit: string;
  readonly why: string;
}

const comparison = (isMet: boolean, { what, value, limit, unit, why }: Compared): Goal => {
  const amount = `${short(value)}${unit === '' ? '' : ` ${unit}`}`;
  return {
    isMet,
    text: isMet
      ? `${what}: ${amount} (goal: ${limit}).`
      : `${what}: ${amount}, but the goal is ${limit}.${why === '' ? '' : ` ${why}`}`,
  };
};
