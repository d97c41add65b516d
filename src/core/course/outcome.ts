/** Result of the check of a task file. */

export interface TaskCheck {
  readonly status:
    | 'passed'
    | 'failed'
    /** The check requires a tool that this machine lacks. */
    | 'missing'
    /** The file cannot be the file of a task. */
    | 'unusable';
  readonly passed: boolean;
  /** One or two sentences; names the mistake of a failed task. */
  readonly message: string;
  /** Further sentences: numbers, findings and met goals. */
  readonly detail: readonly string[];
  /** First affected line, counted from 1. */
  readonly line?: number;
}

export const outcome = (
  status: TaskCheck['status'],
  message: string,
  { detail = [], line }: { readonly detail?: readonly string[]; readonly line?: number } = {},
): TaskCheck => ({
  status,
  passed: status === 'passed',
  message,
  detail,
  ...(line === undefined ? {} : { line }),
});

/** Returns the line of a text that contains the position, counted from 1. */
export const lineAt = (text: string, position: number): number =>
  text.slice(0, position).split('\n').length;
