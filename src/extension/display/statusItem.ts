/** Creates every status bar item of the extension, with escaped text. */
import * as vscode from 'vscode';
import type { Markdown } from '../../core/text/markdown';
import { labelOf, type IconText } from './iconLabel';
import { markdownString } from './markdownString';

export interface StatusItem {
  readonly show: (text: string | IconText, tooltip: Markdown) => void;
  readonly hide: () => void;
  readonly dispose: () => void;
}

export interface StatusItemOptions {
  readonly id: string;
  readonly name: string;
  readonly command: string;
}

export function createStatusItem({ id, name, command }: StatusItemOptions): StatusItem {
  const item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left);
  item.name = name;
  item.command = command;
  return {
    show: (text, tooltip) => {
      item.text = labelOf(text);
      item.tooltip = markdownString(tooltip);
      item.show();
    },
    hide: () => {
      item.hide();
    },
    dispose: () => {
      item.dispose();
    },
  };
}
