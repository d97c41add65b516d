/** Exception that ends a run without a result. run.ts converts it to a Measurement. */
import type { Outcome } from '../core/measure/measurement';

export class Stop extends Error {
  override readonly name = 'Stop';

  constructor(
    readonly outcome: Exclude<Outcome, 'correct' | 'incorrect'>,
    message: string,
    /** Whether the GPU may still execute submitted work, so closing the device may block. */
    readonly pending = false,
  ) {
    super(message);
  }
}

/** Maximum number of characters of compiler or driver output in a message. */
const MAX_MESSAGE_CHARACTERS = 4000;

export function clip(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS)}\n[truncated, ${message.length} characters]`;
}

export function asStop(error: unknown): Stop {
  if (error instanceof Stop) return error;
  return new Stop('launch-error', `WebGPU failed: ${wordsOf(error)}`);
}

export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
