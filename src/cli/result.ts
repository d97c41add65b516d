/** What a command hands back, and the ways in which it cannot: exit codes are the CLI's contract. */

/** The answer is yes; the answer is no; unusable input; something this machine lacks; interrupted. */
export const EXIT = { yes: 0, no: 1, unusable: 2, lacking: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Result {
  readonly exit: ExitCode;
  /** Printed with `--json`; absent when the command has written its lines itself. */
  readonly json?: unknown;
  /** Printed without `--json`. */
  readonly text?: string;
}

/** One thing that is wrong with the input, and where. */
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

/** The input cannot be used: what is wrong, where, and what to do. */
export const unusable = (message: string, problems: readonly Problem[] = []): Failure =>
  new Failure(EXIT.unusable, message, problems);

/** This machine or this version lacks something: what, and how to get it. */
export const lacking = (message: string): Failure => new Failure(EXIT.lacking, message);

export const interrupted = (): Failure => new Failure(EXIT.interrupted, 'Interrupted.');
