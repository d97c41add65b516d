/** Why a run ended before its result: thrown anywhere in the runner, made a Measurement in run.ts. */
import type { Outcome } from '../core/measure/measurement';

export class Stop extends Error {
  override readonly name = 'Stop';

  constructor(
    readonly outcome: Exclude<Outcome, 'correct' | 'incorrect'>,
    message: string,
    /** The GPU may still be working on what was submitted, so closing the device may block. */
    readonly pending = false,
  ) {
    super(message);
  }
}

/** Longest message a measurement carries; compilers and drivers can print more. */
const MAX_MESSAGE_CHARACTERS = 4000;

export function clip(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS)}\n[${message.length} characters, cut here]`;
}

/** Anything thrown that is not a Stop came from the WebGPU implementation. */
export function asStop(error: unknown): Stop {
  if (error instanceof Stop) return error;
  return new Stop('launch-error', `WebGPU failed: ${wordsOf(error)}`);
}

export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
