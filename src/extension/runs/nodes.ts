/** Rows of the Runs view: groups, runs, and unreadable lines or files of the history. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import { backendName } from '../../core/measure/backendName';
import type { Outcome } from '../../core/measure/measurement';
import { markdownString } from '../display/markdownString';
import type { StoredRun, Unreadable } from '../history/runStore';
import { COMMANDS } from '../ids';
import { fastestOf, type Fold, type Group, type GroupBy } from './groups';
import {
  descriptionOf,
  OUTCOME_ICONS,
  outcomeText,
  problemText,
  rateText,
  runLabel,
  tooltipOf,
  whenText,
} from './runText';

export type Node =
  | { readonly kind: 'group'; readonly group: Group<StoredRun>; readonly by: GroupBy }
  | { readonly kind: 'run'; readonly run: StoredRun; readonly by: GroupBy }
  | {
      readonly kind: 'fold';
      readonly fold: Fold<StoredRun>;
      readonly by: GroupBy;
      /** Row that contains the fold. */
      readonly parent: string;
    }
  | { readonly kind: 'unreadable'; readonly lines: readonly Unreadable[] }
  | { readonly kind: 'unreadableLine'; readonly line: Unreadable };

export function itemOf(node: Node): vscode.TreeItem {
  switch (node.kind) {
    case 'group':
      return groupItem(node.group, node.by);
    case 'run':
      return runItem(node);
    case 'fold':
      return foldItem(node);
    case 'unreadable': {
      const label =
        node.lines.length === 1
          ? t('1 unreadable line or file')
          : t('{0} unreadable lines or files', node.lines.length);
      const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
      item.iconPath = new vscode.ThemeIcon('warning');
      return item;
    }
    case 'unreadableLine':
      return lineItem(node.line);
  }
}

const GROUP_ICONS: Readonly<Record<GroupBy, string>> = {
  problem: 'symbol-array',
  machine: 'vm',
  author: 'person',
  commit: 'git-commit',
};

function groupItem({ name, runs }: Group<StoredRun>, by: GroupBy): vscode.TreeItem {
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${by} ${name}`;
  item.description = runs.length === 1 ? t('1 run') : t('{0} runs', runs.length);
  item.iconPath = new vscode.ThemeIcon(GROUP_ICONS[by]);
  item.contextValue = 'group';
  return item;
}

const COLORS: Readonly<Partial<Record<Outcome, string>>> = {
  correct: 'testing.iconPassed',
  incorrect: 'testing.iconFailed',
  'compile-error': 'testing.iconFailed',
  'launch-error': 'testing.iconErrored',
  timeout: 'testing.iconErrored',
};

const FOLD_ICONS: Readonly<Record<Fold<StoredRun>['kind'], string>> = {
  ladder: 'list-ordered',
  tune: 'rocket',
  failed: 'error',
  device: 'vm',
};

/** Returns the collapsed row of a series or of failed runs. A series starts with its best rate. */
function foldItem({ fold, by, parent }: Extract<Node, { kind: 'fold' }>): vscode.TreeItem {
  const { kind, id, runs } = fold;
  const state =
    kind === 'device'
      ? vscode.TreeItemCollapsibleState.Expanded
      : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(foldLabel(fold), state);
  item.id = `${by} ${parent} ${kind} ${id}`;
  const [newest] = runs;
  const facts =
    newest === undefined || kind === 'failed' || kind === 'device'
      ? []
      : [backendName(newest.measurement.backend), whenText(newest.measurement)];
  const failed = runs.filter(({ measurement: { outcome } }) => outcome !== 'correct').length;
  item.description = [
    runs.length === 1 ? t('1 run') : t('{0} runs', runs.length),
    ...(failed === 0 || kind === 'failed' ? [] : [t('{0} failed', failed)]),
    ...facts,
  ]
    .filter(part => part !== undefined)
    .join(' · ');
  item.iconPath = new vscode.ThemeIcon(FOLD_ICONS[kind]);
  if (kind === 'device')
    item.tooltip = t('Only rates of the same device are comparable. Each device has its own row.');
  item.contextValue = 'group';
  return item;
}

function foldLabel(fold: Fold<StoredRun>): string {
  if (fold.kind === 'failed') return t('Failed');
  if (fold.kind === 'device') return fold.runs[0]?.measurement.device.name ?? '';
  const name = fold.kind === 'ladder' ? t('Ladder') : t('Tuning');
  const fastest = fastestOf(fold);
  const rate = fastest === undefined ? undefined : rateText(fastest.measurement);
  return rate === undefined ? name : `${rate}  ${name}`;
}

function runItem(node: Extract<Node, { kind: 'run' }>): vscode.TreeItem {
  const {
    run: { line, files, measurement },
    by,
  } = node;
  const { outcome } = measurement;
  const item = new vscode.TreeItem(runLabel(measurement));
  item.id = `${by} ${hashText(line)}`;
  item.description = descriptionOf(measurement, by !== 'problem');
  const color = COLORS[outcome];
  item.iconPath = new vscode.ThemeIcon(
    OUTCOME_ICONS[outcome],
    color === undefined ? undefined : new vscode.ThemeColor(color),
  );
  const label = [runLabel(measurement), outcomeText(outcome), problemText(measurement)];
  item.accessibilityInformation = {
    label: [...label, item.description].join(', '),
    role: 'treeitem',
  };
  item.tooltip = markdownString(tooltipOf(measurement, files), { icons: true });
  item.contextValue = 'run';
  item.command = { command: COMMANDS.openRun, title: t('Open in explorer'), arguments: [node] };
  return item;
}

function lineItem({ uri, line, why }: Unreadable): vscode.TreeItem {
  const name = uri.path.split('/').pop() ?? uri.path;
  const item = new vscode.TreeItem(line === undefined ? name : `${name}:${line}`);
  item.description = why;
  item.tooltip = [why, t('The file is left unchanged.')].join('\n');
  item.iconPath = new vscode.ThemeIcon('file');
  if (!name.endsWith('.jsonl')) return item;
  const place = new vscode.Range((line ?? 1) - 1, 0, (line ?? 1) - 1, 0);
  item.command = {
    command: 'vscode.open',
    title: t('Open'),
    arguments: [uri, { selection: place }],
  };
  return item;
}
