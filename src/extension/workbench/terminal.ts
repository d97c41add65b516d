/** A task's terminal: prints what happens, ends with an exit code that is true to the outcome, stops when closed. */
import * as vscode from 'vscode';
import { visibleText } from '../../core/text/plainText';

/** As of the command line: 0 yes, 1 no, 2 unusable input, 3 something is missing here, 130 interrupted. */
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

/** Returns lines for a terminal, without sequences that could control it or link from it. */
export const terminalText = (text: string): string =>
  `${visibleText(text).replaceAll('\n', '\r\n')}\r\n`;
