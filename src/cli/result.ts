/** Results and errors of commands. The exit codes are part of the CLI contract. */

/** Exit codes: success, negative result, invalid input, missing prerequisite, interrupted. */
export const EXIT = { yes: 0, no: 1, unusable: 2, lacking: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Result {
  readonly exit: ExitCode;
  /** Value that is printed with `--json`. Absent if the command has already printed its output. */
  readonly json?: unknown;
  /** Text that is printed without `--json`, or if `json` is absent. */
  readonly text?: string;
}

export interface Problem {
  /** Location: JSON path, option name, file path, or line and column. May be empty. */
  readonly path: string;
  readonly message: string;
}

export class Failure extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

export const invalidInput = (message: string, problems: readonly Problem[] = []): Failure =>
  new Failure(EXIT.unusable, message, problems);

export const missingPrerequisite = (message: string): Failure => new Failure(EXIT.lacking, message);

export const interrupted = (): Failure => new Failure(EXIT.interrupted, 'Interrupted.');
