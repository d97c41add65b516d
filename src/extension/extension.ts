/** Activation, in Node and in a browser: a table of contents. What each part does is in its own file. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CudaOptions } from '../host/cuda/backend';
import type { Abilities } from './abilities';
import { AdoptedRows } from './documents/adoptedRows';
import { BrowserPage } from './explorer/browserPage';
import { decodeKernelArgument } from './shared/commandArguments';
import { Compiler, compiledMessages } from './toolchain/compileKernel';
import { createDawn } from './toolchain/dawn';
import { showErrorMessage, showWarningMessage } from './display/notify';
import { Explorer } from './explorer/explorer';
import { generate, generateFrom } from './generate/generate';
import { COMMANDS, EXPLORER_VIEW, type CommandId } from './ids';
import { describeKernel } from './editor/describeKernel';
import { registerEditor } from './editor/register';
import { exportChart } from './explorer/exportChart';
import { createJobQueues } from './runs/jobQueue';
import { inspectedMessages } from './listings/inspections';
import { registerListings } from './listings/register';
import { useDisplayLanguage } from './shared/language';
import { measureCeilings } from './runs/measureCeilings';
import { openExplorer, showRoofline } from './explorer/openExplorer';
import { createPageHandler } from './explorer/pageMessages';
import { createAdapterRooms } from './explorer/adapterRoom';
import { createPageWgsl } from './explorer/pageWgsl';
import { exportReport } from './report/report';
import { runKernel, type RunParts } from './runs/runCommands';
import { createJobRunner, type HostBackendId } from './runs/runJob';
import { registerRuns } from './runs/register';
import { RunStore } from './history/runStore';
import { watchSpecs } from './editor/specDiagnostics';
import { fromSpec, type Shown } from './documents/shown';
import { checkToolChain, ToolChain } from './toolchain/toolChain';
import { createGuard } from './trust/guard';
import { Tuner } from './tune/tuner';
import { registerWorkbench } from './workbench/register';

export function start(context: vscode.ExtensionContext, abilities: Abilities): void {
  useDisplayLanguage();
  const log = vscode.window.createOutputChannel('GEMM Explorer', { log: true });
  const guard = createGuard(() => vscode.workspace.isTrusted, offerTrust);
  const toolChain = new ToolChain(abilities);
  const store = new RunStore(abilities.files, log);
  const adopted = new AdoptedRows(log);
  const compiler = new Compiler(toolChain, log);
  const browser = new BrowserPage(abilities.serveBrowserPage, context.extensionUri, log);
  const explorer: Explorer = new Explorer({
    browser,
    extension: context.extensionUri,
    log,
    backends: () => toolChain.backends(),
    runs: () => store.all(),
    onOpen: () => {
      if (vscode.workspace.isTrusted) void toolChain.probeCuda();
    },
    onPage: () => {
      tuner.tell();
      // A page knows what compilers said before it came up, as the editor does.
      for (const message of [...compiler.known().flatMap(compiledMessages), ...listings.messages()])
        explorer.post(message);
    },
    onMessage: message => {
      pageWgsl.heard(message);
      rooms.heard(message);
      if (message.type === 'adapter') compilers.fire();
      handlePage(message);
    },
  });
  const compilers = new vscode.EventEmitter<void>();
  const pageWgsl = createPageWgsl(() => browser.page() ?? explorer.page());
  const reportRun: CudaOptions['onDiagnostics'] = ({ source }, diagnostics) => {
    compiler.reportText(source, diagnostics);
  };
  const hostBackend = (id: HostBackendId) => {
    if (id === 'simulate') return toolChain.simulate;
    if (id === 'cuda') return abilities.cudaBackend(reportRun);
    return abilities.cpuBackend?.(reportRun) ?? toolChain.noCpu;
  };
  const queueOf = createJobQueues();
  const jobs = createJobRunner({
    ...{ explorer, queueOf, hostBackend },
    inBrowser: () => browser.page() !== undefined,
  });
  const rooms = createAdapterRooms({
    openPage: of => explorer.openPage({ shown: of }),
    inBrowser: () => browser.limits(),
  });
  const shown = () => explorer.current();
  const adapterRoom = (of: Shown) => rooms.roomFor(of);
  const runParts: RunParts = {
    ...{ jobs, store, toolChain, compiler, shown, log, browser, adapterRoom },
  };
  const post = explorer.post.bind(explorer);
  const dawn = createDawn({
    ...{ ability: abilities.dawn, log },
    isTrusted: () => vscode.workspace.isTrusted,
  });
  const tuner = new Tuner({
    ...{ abilities, dawn, toolChain, queueOf, shown, post, log, failed: failed(log) },
    open: explorer.open.bind(explorer),
  });
  const { files } = abilities;
  const generateParts = { compiler, files, log };
  const reportParts = {
    files,
    runs: () => store.all(),
    factsOf: compiler.factsOf.bind(compiler),
  };
  const report = () =>
    guard(t('Exporting a report'), () =>
      exportReport(explorer.currentOrFresh(), explorer.followed(), reportParts),
    );

  const listings = registerListings({
    ...{ toolChain, compiler, guard, shown, files, runs: () => store.all(), failed: failed(log) },
    onInspected: inspection => {
      for (const message of inspectedMessages(inspection)) explorer.post(message);
      changed.fire();
    },
  });

  const handlePage = createPageHandler({
    ...{ guard, jobs, log, runParts, shown, tuner, post },
    generate: () => generate(explorer.currentOrFresh(), generateParts),
    report,
    exportChart: message => exportChart(message, explorer.currentOrFresh().name),
    checkToolChain: () => checkToolChain(toolChain, guard, log, dawn),
    writeSpec: () => explorer.writeSpec(),
    readSpec: () => explorer.readSpec(),
    showPtx: () => listings.showPtx(),
    inspect: language => listings.inspect(language),
    openInBrowser: () => browser.open(),
  });

  const changed = new vscode.EventEmitter<void>();
  const register = (id: CommandId, run: (argument: unknown) => Promise<unknown>) =>
    vscode.commands.registerCommand(id, (argument: unknown) => run(argument).catch(failed(log)));
  const kernel = decodeKernelArgument;
  const uriOf = (argument: unknown): vscode.Uri | undefined => {
    const decoded = kernel(argument);
    return decoded === undefined ? undefined : vscode.Uri.parse(decoded.uri, true);
  };

  context.subscriptions.push(
    ...[
      log,
      toolChain,
      store,
      adopted,
      compiler,
      explorer,
      browser,
      changed,
      compilers,
      watchSpecs(),
    ],
    ...[jobs, tuner],
    register(COMMANDS.generate, argument => generateFrom(uriOf(argument), generateParts)),
    register(COMMANDS.openExplorer, argument =>
      openExplorer(explorer, uriOf(argument), kernel(argument)?.field),
    ),
    register(COMMANDS.showRoofline, argument => showRoofline(explorer, uriOf(argument))),
    register(COMMANDS.runAndVerify, argument =>
      guard(t('Running a kernel'), () => runKernel(kernel(argument), 'verify', runParts)),
    ),
    register(COMMANDS.benchmark, argument =>
      guard(t('Benchmarking a kernel'), () => runKernel(kernel(argument), 'time', runParts)),
    ),
    register(COMMANDS.tune, argument => guard(t('Tuning'), () => tuner.start(uriOf(argument)))),
    register(COMMANDS.measureCeilings, () =>
      guard(t('Measuring ceilings'), () => measureCeilings(abilities, toolChain, log)),
    ),
    register(COMMANDS.checkToolChain, () => checkToolChain(toolChain, guard, log, dawn)),
    register(COMMANDS.removeDawn, () => guard(t('Removing Dawn'), dawn.remove)),
    register(COMMANDS.exportReport, report),
    register(COMMANDS.describeKernel, argument => describeKernel(kernel(argument))),
    ...listings.subscriptions,
    ...registerRuns({
      ...{ runParts, explorer, guard, memory: context.workspaceState, failed: failed(log) },
    }),
    ...registerWorkbench({ runParts, explorer, guard, extensionId: context.extension.id }),
    ...registerEditor({
      factsOf: reportParts.factsOf,
      loopOf: listings.loopOf,
      factsOfText: compiler.factsOfText.bind(compiler),
      runs: () => store.all(),
      onDidChange: changed.event,
      onDidCompile: compiler.onDidCompile,
      checkWgsl: async (source, options) =>
        (await pageWgsl.check(source, options)) ??
        (options.mayStart
          ? await abilities.checkWgsl(source, options)
          : { ok: true, messages: [] }),
      onDidChangeWgslCompiler: compilers.event,
      generate: spec => generate(fromSpec(spec), generateParts),
      log,
    }),
    vscode.window.registerWebviewPanelSerializer(EXPLORER_VIEW, {
      deserializeWebviewPanel: (panel, state: unknown) => {
        explorer.restore(panel, state);
        return Promise.resolve();
      },
    }),
    compiler.onDidCompile(text => {
      for (const message of compiledMessages(text)) explorer.post(message);
      changed.fire();
    }),
    store.onDidChange(() => {
      changed.fire();
      explorer.refresh();
    }),
    adopted.onDidChange(() => {
      changed.fire();
      void explorer.lookAgainAtFile().catch(failed(log));
    }),
    browser.onDidChange(() => {
      compilers.fire();
    }),
    toolChain.onDidChange(() => {
      changed.fire();
      explorer.refresh();
    }),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('gemm')) changed.fire();
    }),
  );
  // In a turn of its own: who waits for the activation does not wait for the history.
  setTimeout(() => {
    void store.load();
    void adopted.load().catch(failed(log));
  });
}

function offerTrust(message: string): void {
  const manage = t('Manage Workspace Trust');
  void showWarningMessage(message, manage).then(picked => {
    if (picked === manage) void vscode.commands.executeCommand('workbench.trust.manage');
  });
}

const failed =
  (log: vscode.LogOutputChannel) =>
  (error: unknown): void => {
    log.error(error instanceof Error ? error : String(error));
    const text = error instanceof Error ? error.message : String(error);
    void showErrorMessage(`GEMM Explorer: ${text}`);
  };
