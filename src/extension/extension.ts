/** Activation in Node and in a browser. */
import type * as vscode from 'vscode';
import type { Abilities } from './abilities';
import { registerAgents } from './agents/register';
import { registerAudit } from './audit/register';
import { registerCourse } from './course/register';
import { registerDocuments } from './documents/register';
import { registerEditor } from './editor/register';
import { answerPages } from './explorer/pageMessages';
import { registerExplorer } from './explorer/register';
import { registerExport } from './export/register';
import { registerGenerate } from './generate/register';
import { registerHistory } from './history/register';
import { registerListings } from './listings/register';
import { registerReport } from './report/register';
import { registerRuns } from './runs/register';
import { registerShare } from './share/register';
import { createBase, type Feature } from './shared/base';
import { useDisplayLanguage } from './shared/language';
import { registerToolchain } from './toolchain/register';
import { registerTune } from './tune/register';
import { registerTutorials } from './tutorials/register';
import { registerWorkbench } from './workbench/register';

export function start(context: vscode.ExtensionContext, abilities: Abilities): void {
  useDisplayLanguage();
  const base = createBase(context, abilities);
  const use = <F extends Feature>(feature: F): F => {
    context.subscriptions.push(...feature.subscriptions);
    return feature;
  };

  const documents = use(registerDocuments(base));
  const history = use(registerHistory(base));
  const toolchain = use(registerToolchain(base));
  const generation = use(registerGenerate({ ...base, toolchain }));
  const pages = use(registerExplorer({ ...base, documents, generation, history, toolchain }));
  const runs = use(registerRuns({ ...base, history, pages, toolchain }));
  const { tuner } = use(registerTune({ ...base, history, pages, runs, toolchain }));
  const listings = use(registerListings({ ...base, history, pages, toolchain }));
  const reports = use(registerReport({ ...base, history, pages, toolchain }));
  use(registerExport({ ...base, history, pages }));
  use(registerAgents(base));
  const sharing = use(registerShare({ ...base, history, pages, runs, toolchain }));
  use(registerAudit({ ...base, runs, toolchain }));
  use(registerTutorials({ ...base, runs, toolchain }));
  const course = use(registerCourse({ ...base, history, runs, toolchain }));
  use(registerWorkbench({ ...base, course, pages, runs }));
  use(registerEditor({ ...base, documents, generation, history, listings, pages, toolchain }));

  const requests = {
    run: runs.run,
    cancelRun: runs.cancel,
    tune: {
      startShown: () => tuner.startShown(),
      cancel: () => {
        tuner.cancel();
      },
      adopt: () => tuner.adopt(),
    },
    generate: generation.generate,
    report: reports.export,
    share: sharing.share,
    checkToolChain: toolchain.check,
    showPtx: listings.showPtx,
    inspect: listings.inspect,
  };
  use(answerPages({ ...base, pages, requests }));
}
