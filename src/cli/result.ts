/** Results and errors of a command. The exit codes are part of the CLI contract. */

/** Success; negative result; invalid input; missing prerequisite; interrupted. */
export const EXIT = { yes: 0, no: 1, unusable: 2, lacking: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Result {
  readonly exit: ExitCode;
  /** Printed with `--json`; absent if the command has written its own lines. */
  readonly json?: unknown;
  /** Printed without `--json`. */
  readonly text?: string;
}

/** One error in the input, with its location. */
export interface Problem {
  /** JSON path, file or option. */
  readonly path: string;
  readonly message: string;
}

/** Ends a command with a message instead of a result. */
export class Failure extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** Reports invalid input: the error, its location and the remedy. */
export const invalidInput = (message: string, problems: readonly Problem[] = []): Failure =>
  new Failure(EXIT.unusable, message, problems);

/** Reports a missing prerequisite of this machine or version, and how to get it. */
export const missingPrerequisite = (message: string): Failure => new Failure(EXIT.lacking, message);

export const interrupted = (): Failure => new Failure(EXIT.interrupted, 'Interrupted.');
