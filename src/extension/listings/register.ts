/** Registers *Show PTX*, *Show SASS*, the comparison of listings, and Nsight Compute counters. */
import * as vscode from 'vscode';
import { archOf } from '../../core/hardware/computeCapability';
import { findDevice } from '../../core/hardware/devices';
import type { ListingLanguage } from '../../protocol';
import type { LoopOf } from '../editor/hover';
import type { ExplorerFeature } from '../explorer/register';
import type { History } from '../history/register';
import { COMMANDS, type CommandId } from '../ids';
import type { Base, Feature } from '../shared/base';
import { uriOf } from '../shared/commands';
import type { Toolchain } from '../toolchain/register';
import { compareListings } from './compare';
import { createInspections, inspectedMessages, loopText } from './inspections';
import { LineLinks } from './lineLinks';
import { importNcu, profileKernel } from './profile';
import { inspectShown, showListing, type ListingParts } from './show';
import { activeUri } from './subject';
import { ListingView } from './view';

export interface RegisterParts extends Base {
  readonly history: History;
  readonly pages: ExplorerFeature;
  readonly toolchain: Toolchain;
}

export interface Listings extends Feature {
  readonly loopOf: LoopOf;
  readonly onDidInspect: vscode.Event<void>;
  readonly showPtx: () => Promise<void>;
  readonly inspect: (language: ListingLanguage) => Promise<void>;
}

export function registerListings(given: RegisterParts): Listings {
  const { guard, failed, history, pages, toolchain } = given;
  const { explorer, shown, onPage } = pages;
  const { toolChain, compiler } = toolchain;
  const [view, links, inspections] = [new ListingView(), new LineLinks(), createInspections()];
  const inspected = new vscode.EventEmitter<void>();
  const post = (inspection: Parameters<typeof inspectedMessages>[0]): void => {
    for (const message of inspectedMessages(inspection)) explorer.post(message);
  };
  const onInspected: ListingParts['onInspected'] = inspection => {
    inspections.add(inspection);
    post(inspection);
    inspected.fire();
  };
  const runs = () => history.store.all();
  const parts = { view, links, guard, toolChain, compiler, shown, runs, onInspected };
  const register = (
    id: CommandId,
    run: (uri: vscode.Uri | undefined, all: readonly vscode.Uri[]) => Promise<void>,
  ) =>
    vscode.commands.registerCommand(id, async (argument: unknown, selection: unknown) => {
      const uri = activeUri(uriOf(argument));
      await run(uri, selected(uri, selection)).catch(failed);
    });
  return {
    loopOf: (source, entry, device) => {
      const capability = findDevice(device)?.computeCapability;
      if (capability === undefined) return undefined;
      return loopText(inspections.of(source, entry, archOf(capability)));
    },
    onDidInspect: inspected.event,
    showPtx: () => showListing(undefined, 'ptx', parts),
    inspect: language => inspectShown(language, parts),
    subscriptions: [
      view,
      links,
      inspected,
      onPage(() => {
        inspections.all().forEach(post);
      }),
      register(COMMANDS.showPtx, uri => showListing(uri, 'ptx', parts)),
      register(COMMANDS.showSass, uri => showListing(uri, 'sass', parts)),
      register(COMMANDS.comparePtx, (_, all) => compareListings(all, 'ptx', parts)),
      register(COMMANDS.compareSass, (_, all) => compareListings(all, 'sass', parts)),
      register(COMMANDS.importNcu, uri => importNcu(uri, parts)),
      register(COMMANDS.profile, uri => profileKernel(uri, parts)),
    ],
  };
}

/**
 * Returns the clicked file, followed by the other files that are selected in VS Code's file
 * explorer.
 */
function selected(uri: vscode.Uri | undefined, selection: unknown): readonly vscode.Uri[] {
  const all = Array.isArray(selection) ? selection.flatMap(item => uriOf(item) ?? []) : [];
  const others = all.filter(other => other.toString() !== uri?.toString());
  return [...(uri === undefined ? [] : [uri]), ...others];
}
