/** Host state for the explorer's page. The complete state is sent after every change. */
import * as vscode from 'vscode';
import { hashText } from '../../core/text/hash';
import type { Measurement } from '../../core/measure/measurement';
import type { ShowContent, ToWebview } from '../../protocol';
import { newestThatFit } from './fitting';
import type { FollowedKernel, OwnKernel } from '../documents/ownKernel';
import type { Shown } from '../documents/shown';

export type ShowMessage = Extract<ToWebview, { type: 'show' }>;
export type Focus = ShowMessage['focus'];

export interface OpenOptions {
  readonly focus?: Focus;
  readonly follow?: boolean;
  readonly takeFocus?: boolean;
  readonly followed?: FollowedKernel;
}

const MAX_RUNS = 200;

export interface HostSide {
  readonly own: OwnKernel | undefined;
  readonly unwritten: boolean;
  readonly focus: Focus | undefined;
  readonly backends: () => ShowMessage['backends'];
  readonly runs: () => readonly Measurement[];
}

export function showContent(shown: Shown, side: HostSide): ShowContent {
  const { spec, name, target, document } = shown;
  const { own, unwritten, focus, backends, runs } = side;
  return {
    type: 'show',
    spec,
    name,
    ...(document === undefined ? {} : { document: hashText(document.toString()) }),
    ...(own === undefined ? {} : { own }),
    unwritten,
    ...(target === undefined ? {} : { target }),
    trusted: vscode.workspace.isTrusted,
    backends: backends(),
    runs: newestThatFit(runs(), MAX_RUNS),
    ...(focus === undefined ? {} : { focus }),
  };
}
