/** Results and errors of commands. The exit codes are part of the CLI contract. */

/** Exit codes: success, negative result, invalid input, missing prerequisite, interrupted. */
export const EXIT = { yes: 0, no: 1, unusable: 2, lacking: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Result {
  readonly exit: ExitCode;
  /** Value that is printed with `--json`. Absent if the command has already printed its output. */
  readonly json?: unknown;
  /** Text that is printed without `--json`. */
  readonly text?: string;
}

/** An input error with its location. */
export interface Problem {
  /** JSON path, file path or option name. */
  readonly path: string;
  readonly message: string;
}

/** Exception that ends a command with a message and an exit code. */
export class Failure extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** Creates the failure for invalid input. Each problem has a location and a message. */
export const invalidInput = (message: string, problems: readonly Problem[] = []): Failure =>
  new Failure(EXIT.unusable, message, problems);

/** Creates the failure for a missing prerequisite. The message includes the remedy. */
export const missingPrerequisite = (message: string): Failure => new Failure(EXIT.lacking, message);

export const interrupted = (): Failure => new Failure(EXIT.interrupted, 'Interrupted.');
