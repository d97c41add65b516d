/** Opens every quick pick and input box of the extension, with escaped text. */
import * as vscode from 'vscode';
import { plainText } from '../../core/text/plainText';
import { labelOf, type IconText } from './iconLabel';

/** An item of a quick pick. Use `icons` to create a label with icons. */
export interface PickItem {
  readonly label: string | IconText;
  readonly description?: string;
  readonly detail?: string;
  readonly alwaysShow?: boolean;
  readonly kind?: vscode.QuickPickItemKind;
}

const SAFE: unique symbol = Symbol('SafeItem');

export interface SafeItem<T> extends vscode.QuickPickItem {
  readonly [SAFE]: T;
}

const safeItem = <T extends PickItem>(item: T): SafeItem<T> => {
  const { label, description, detail, alwaysShow, kind } = item;
  return {
    label: labelOf(label),
    ...(description === undefined ? {} : { description: plainText(description) }),
    ...(detail === undefined ? {} : { detail: plainText(detail) }),
    ...(alwaysShow === undefined ? {} : { alwaysShow }),
    ...(kind === undefined ? {} : { kind }),
    [SAFE]: item,
  };
};

const safeOptions = <T extends vscode.QuickPickOptions>(options: T): T => ({
  ...options,
  ...(options.title === undefined ? {} : { title: plainText(options.title) }),
  ...(options.placeHolder === undefined ? {} : { placeHolder: plainText(options.placeHolder) }),
});

/** Prompts for one item. Shows progress until the items are known. */
export async function showQuickPick<T extends PickItem>(
  items: readonly T[] | Promise<readonly T[]>,
  options: vscode.QuickPickOptions,
): Promise<T | undefined> {
  const safeItems =
    items instanceof Promise ? items.then(known => known.map(safeItem)) : items.map(safeItem);
  const picked = await vscode.window.showQuickPick(safeItems, safeOptions(options));
  return picked?.[SAFE];
}

interface ActOptions extends Pick<vscode.QuickPickOptions, 'matchOnDescription' | 'matchOnDetail'> {
  readonly title: string;
  readonly placeHolder: string;
}

/**
 * Prompts for one item, and acts on it while the prompt is still open. A prompt that closes first
 * returns the focus to the editor behind it. A webview gets this focus late, and takes it from the
 * document, the prompt or the dialog that the action opened. For the same reason, the prompt opens
 * before its items are known. Returns false if nothing was chosen.
 */
export async function pickAndAct<T extends PickItem>(
  items: Promise<readonly T[]>,
  { title, placeHolder, matchOnDescription = false, matchOnDetail = false }: ActOptions,
  act: (item: T) => Promise<unknown>,
): Promise<boolean> {
  const prompt = createQuickPick<T>();
  try {
    Object.assign(prompt, {
      busy: true,
      title: plainText(title),
      placeholder: plainText(placeHolder),
      matchOnDescription,
      matchOnDetail,
    });
    const chosen = await new Promise<SafeItem<T> | undefined>((resolve, reject) => {
      items.then(known => {
        Object.assign(prompt, { items: itemsOf(known), busy: false });
      }, reject);
      prompt.onDidAccept(() => {
        const [item] = prompt.selectedItems;
        if (item !== undefined) resolve(item);
      });
      prompt.onDidHide(() => {
        resolve(undefined);
        // The action may open prompts and outlive this one.
        prompt.dispose();
      });
      prompt.show();
    });
    if (chosen === undefined) return false;
    prompt.busy = true;
    await act(itemBehind(chosen));
    return true;
  } finally {
    prompt.dispose();
  }
}

/** Prompts for any number of items. Returns undefined if the prompt is dismissed. */
export async function showQuickPicks<T extends PickItem>(
  items: readonly T[],
  options: vscode.QuickPickOptions,
): Promise<readonly T[] | undefined> {
  const many = { ...safeOptions(options), canPickMany: true as const };
  return (await vscode.window.showQuickPick(items.map(safeItem), many))?.map(item => item[SAFE]);
}

/** Creates a quick pick whose items change with the typed text. Create its items with `itemsOf`. */
export const createQuickPick = <T extends PickItem>() =>
  vscode.window.createQuickPick<SafeItem<T>>();

export const itemsOf = <T extends PickItem>(items: readonly T[]): readonly SafeItem<T>[] =>
  items.map(safeItem);

export const itemBehind = <T>(item: SafeItem<T>): T => item[SAFE];

type Validate = NonNullable<vscode.InputBoxOptions['validateInput']>;
type Validation = Awaited<ReturnType<Validate>>;

const safeValidation = (validation: Validation): Validation => {
  if (typeof validation === 'string') return plainText(validation);
  return validation === null || validation === undefined
    ? validation
    : { ...validation, message: plainText(validation.message) };
};

export interface InputOptions extends Omit<vscode.InputBoxOptions, 'validateInput'> {
  readonly validateInput?: (text: string) => Validation;
}

export const showInputBox = ({
  validateInput,
  title,
  prompt,
  placeHolder,
  ...options
}: InputOptions) =>
  vscode.window.showInputBox({
    ...options,
    ...(title === undefined ? {} : { title: plainText(title) }),
    ...(prompt === undefined ? {} : { prompt: plainText(prompt) }),
    ...(placeHolder === undefined ? {} : { placeHolder: plainText(placeHolder) }),
    ...(validateInput === undefined
      ? {}
      : { validateInput: text => safeValidation(validateInput(text)) }),
  });
