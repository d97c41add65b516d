/** Shows every notification, dialog and progress report of the extension, with escaped text. */
import * as vscode from 'vscode';
import { plainText } from '../../core/text/plainText';

type Kind = 'showErrorMessage' | 'showWarningMessage' | 'showInformationMessage';

type Choice = string | vscode.MessageItem;

type Show = (
  message: string,
  ...rest: readonly (vscode.MessageOptions | Choice)[]
) => Thenable<Choice | undefined>;

const safe = (choice: Choice): Choice =>
  typeof choice === 'string' ? plainText(choice) : { ...choice, title: plainText(choice.title) };

async function show<T extends Choice>(
  kind: Kind,
  message: string,
  options: readonly vscode.MessageOptions[],
  choices: readonly T[],
): Promise<T | undefined> {
  const call: Show = vscode.window[kind];
  const items = choices.map(safe);
  const picked = await call(plainText(message), ...options, ...items);
  return picked === undefined ? undefined : choices[items.indexOf(picked)];
}

const modal = (detail: string | undefined): readonly vscode.MessageOptions[] => [
  { modal: true, ...(detail === undefined ? {} : { detail: plainText(detail) }) },
];

export const showErrorMessage = <T extends Choice>(message: string, ...choices: readonly T[]) =>
  show('showErrorMessage', message, [], choices);

export const showWarningMessage = <T extends Choice>(message: string, ...choices: readonly T[]) =>
  show('showWarningMessage', message, [], choices);

export const showInformationMessage = <T extends Choice>(
  message: string,
  ...choices: readonly T[]
) => show('showInformationMessage', message, [], choices);

export const askWithWarning = <T extends Choice>(
  message: string,
  detail: string | undefined,
  ...choices: readonly T[]
) => show('showWarningMessage', message, modal(detail), choices);

export const askWithInformation = <T extends Choice>(
  message: string,
  detail: string,
  ...choices: readonly T[]
) => show('showInformationMessage', message, modal(detail), choices);

type Step = Readonly<{ message?: string; increment?: number }>;

export const showProgress = <T>(
  options: vscode.ProgressOptions & { readonly title: string },
  work: (progress: vscode.Progress<Step>, token: vscode.CancellationToken) => Thenable<T>,
): Thenable<T> =>
  vscode.window.withProgress({ ...options, title: plainText(options.title) }, (progress, token) => {
    const report = ({ message, ...step }: Step): void => {
      progress.report(message === undefined ? step : { ...step, message: plainText(message) });
    };
    return work({ report }, token);
  });

export const showStatusNote = (text: string, hideAfterMs: number): vscode.Disposable =>
  vscode.window.setStatusBarMessage(plainText(text), hideAfterMs);
