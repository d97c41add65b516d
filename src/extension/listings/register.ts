/** Commands about what compilers and profilers say of a kernel. */
import * as vscode from 'vscode';
import { archOf } from '../../core/device/computeCapability';
import { findDevice } from '../../core/device/devices';
import { decodeKernelArgument } from '../shared/commandArguments';
import type { LoopOf } from '../editor/hover';
import { COMMANDS, type CommandId } from '../ids';
import { importNcu, profileKernel, type ProfileParts } from './profile';
import { compareListings } from './compare';
import { createInspections, inspectedMessages, loopText } from './inspections';
import { LineLinks } from './lineLinks';
import type { ListingLanguage, ToWebview } from '../../protocol';
import { inspectShown, showListing, type ListingParts } from './show';
import { activeUri } from './subject';
import { ListingView } from './view';

export interface RegisterParts
  extends Omit<ListingParts, 'view' | 'links' | 'onInspected'>, Omit<ProfileParts, 'view'> {
  /** Something new is known of kernels. */
  readonly onInspected: ListingParts['onInspected'];
  /** Says what a command could not do. */
  readonly failed: (error: unknown) => void;
}

export interface Listings {
  readonly subscriptions: readonly vscode.Disposable[];
  readonly loopOf: LoopOf;
  /** What listings said so far, as a page takes it. */
  readonly messages: () => readonly ToWebview[];
  /** Of what the explorer shows. */
  readonly showPtx: () => Promise<void>;
  readonly inspect: (language: ListingLanguage) => Promise<void>;
}

export function registerListings(given: RegisterParts): Listings {
  const [view, links, inspections] = [new ListingView(), new LineLinks(), createInspections()];
  const parts = {
    ...{ ...given, view, links },
    onInspected: (inspection: Parameters<ListingParts['onInspected']>[0]) => {
      inspections.add(inspection);
      given.onInspected(inspection);
    },
  };
  const register = (
    id: CommandId,
    run: (uri: vscode.Uri | undefined, all: readonly vscode.Uri[]) => Promise<void>,
  ) =>
    vscode.commands.registerCommand(id, async (argument: unknown, selection: unknown) => {
      const uri = activeUri(uriOf(argument));
      await run(uri, selected(uri, selection)).catch(given.failed);
    });
  return {
    loopOf: (source, entry, device) => {
      const capability = findDevice(device)?.computeCapability;
      if (capability === undefined) return undefined;
      return loopText(inspections.of(source, entry, archOf(capability)));
    },
    messages: () => inspections.all().flatMap(inspectedMessages),
    showPtx: () => showListing(undefined, 'ptx', parts),
    inspect: language => inspectShown(language, parts),
    subscriptions: [
      ...[view, links],
      register(COMMANDS.showPtx, uri => showListing(uri, 'ptx', parts)),
      register(COMMANDS.showSass, uri => showListing(uri, 'sass', parts)),
      register(COMMANDS.comparePtx, (_, all) => compareListings(all, 'ptx', parts)),
      register(COMMANDS.compareSass, (_, all) => compareListings(all, 'sass', parts)),
      register(COMMANDS.importNcu, uri => importNcu(uri, parts)),
      register(COMMANDS.profile, uri => profileKernel(uri, parts)),
    ],
  };
}

function uriOf(argument: unknown): vscode.Uri | undefined {
  const decoded = decodeKernelArgument(argument);
  return decoded === undefined ? undefined : vscode.Uri.parse(decoded.uri, true);
}

/** The explorer passes the file that was clicked, and all that are selected. */
function selected(uri: vscode.Uri | undefined, selection: unknown): readonly vscode.Uri[] {
  const all = Array.isArray(selection) ? selection.flatMap(item => uriOf(item) ?? []) : [];
  const others = all.filter(other => other.toString() !== uri?.toString());
  return [...(uri === undefined ? [] : [uri]), ...others];
}
