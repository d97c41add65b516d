/**
 * Terminal of a task. It prints progress, maps the outcome to an exit code, and cancels the run
 * when it is closed.
 */
import * as vscode from 'vscode';
import { visibleText } from '../../core/text/plainText';

/**
 * Exit codes as in the CLI: 0 success, 1 failed check, 2 invalid input, 3 missing prerequisite, 130
 * interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

export interface Terminal {
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

export function createTerminal(
  work: (terminal: Terminal) => Promise<ExitCode>,
): vscode.Pseudoterminal {
  const written = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<number>();
  const controller = new AbortController();
  const print = (text: string): void => {
    written.fire(terminalText(text));
  };
  return {
    onDidWrite: written.event,
    onDidClose: closed.event,
    open: () => {
      work({ print, signal: controller.signal }).then(
        code => {
          closed.fire(code);
        },
        (error: unknown) => {
          print(error instanceof Error ? error.message : String(error));
          closed.fire(1);
        },
      );
    },
    close: () => {
      controller.abort();
    },
    handleInput: data => {
      // Ctrl+C
      if (data === '\u0003') controller.abort();
    },
  };
}

/** Returns text for a terminal: control sequences are removed, and lines end with CRLF. */
export const terminalText = (text: string): string =>
  `${visibleText(text).replaceAll('\n', '\r\n')}\r\n`;
