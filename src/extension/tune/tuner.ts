/**
 * *Tune*: searches for the fastest schedule of the shown problem, with progress, cancellation and
 * adoption of the winner.
 */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { shippedTables } from '../../core/defaults/dispatch/shipped';
import { adoptedText } from '../../core/search/tune/adopted';
import type { TuneSummary } from '../../core/search/tune/events';
import { after, NOT_STARTED } from '../../core/search/tune/state';
import { resolve } from '../../core/defaults/resolve';
import {
  isTuneOf,
  shownTune,
  tuneKey,
  withTune,
  type ShownTune,
} from '../../core/search/tune/shown';
import type { Measurement } from '../../core/measure/measurement';
import type { TunableBackend, TuneEnd } from '../../host/tune/run';
import type { ToWebview } from '../../protocol';
import type { Abilities } from '../abilities';
import { adoptedFor } from '../documents/adoptedRows';
import type { Dawn } from '../toolchain/dawn';
import {
  showErrorMessage,
  showInformationMessage,
  showProgress,
  showWarningMessage,
} from '../display/notify';
import type { JobQueue } from '../runs/jobQueue';
import { isKernel, isSpec } from '../documents/kernelDocument';
import { settings } from '../shared/settings';
import { fromSpec, shownOf, type Shown } from '../documents/shown';
import type { OpenOptions } from '../explorer/showMessage';
import type { ToolChain } from '../toolchain/toolChain';
import { writableFolder } from '../workspace/writableFolder';
import { adopt, winnerSpec, type Tuned } from './adopt';
import { finalistRuns } from './finalists';
import { subjectOn, type Subject } from './subject';
import { createProgressThrottle } from './progressThrottle';
import { endText, fractionOf, progressText } from './texts';

export interface TunerParts {
  readonly abilities: Pick<Abilities, 'tune' | 'files'>;
  readonly toolChain: Pick<ToolChain, 'probeCuda'>;
  readonly dawn: Pick<Dawn, 'offer'>;
  readonly queueOf: (device: string) => JobQueue;
  readonly shown: () => Shown | undefined;
  readonly open: (shown: Shown, options: OpenOptions) => void;
  readonly post: (message: ToWebview) => void;
  /** Stores runs in the history of a folder. */
  readonly keep: (
    runs: readonly Measurement[],
    folder: vscode.WorkspaceFolder | undefined,
  ) => Promise<void>;
  readonly log: vscode.LogOutputChannel;
  readonly failed: (error: unknown) => void;
}

export class Tuner implements vscode.Disposable {
  private running: AbortController | undefined;
  /** State of each search, newest last, with one entry per problem, device and language. */
  private told: readonly ShownTune[] = [];
  private readonly tuned = new Map<string, Tuned>();
  private readonly adopted = new WeakMap<Tuned, vscode.Uri>();

  constructor(private readonly parts: TunerParts) {}

  dispose(): void {
    this.cancel();
  }

  cancel(): void {
    this.running?.abort();
  }

  tell(): void {
    for (const tune of this.told) this.parts.post({ type: 'tune', tune });
  }

  /** Tunes the spec of a document, of the active editor, or of the explorer. */
  async start(uri?: vscode.Uri): Promise<void> {
    const shown = await this.shownFor(uri);
    if (shown === null) return;
    // Show progress in the explorer; keyboard focus stays in the editor.
    if (shown !== undefined && this.running === undefined)
      this.parts.open(shown, { focus: 'tune' });
    await this.startShown(shown);
  }

  /** Starts a tuning run. Requires a trusted workspace. */
  async startShown(shown = this.parts.shown()): Promise<void> {
    if (this.running !== undefined) {
      await this.sayBusy();
      return;
    }
    if (shown === undefined) {
      void showInformationMessage(
        t(
          'Open a *.gemm.json file, a generated kernel or the explorer to select the problem to tune.',
        ),
      );
      return;
    }
    const controller = new AbortController();
    this.running = controller;
    try {
      const subject = await this.subjectOf(shown);
      if (subject === undefined) return;
      const ended = await this.run(subject, controller).catch(unexpectedError);
      this.running = undefined;
      this.end(subject, ended);
    } finally {
      this.running = undefined;
    }
  }

  /**
   * Adopts `tuned`, or the newest result for the problem in the explorer. Requires a trusted
   * workspace.
   */
  async adopt(tuned = this.tunedOfShown()): Promise<void> {
    if (tuned === undefined || this.running !== undefined) return;
    const file = await adopt(tuned, this.parts.abilities.files);
    if (file === undefined) return;
    this.parts.log.info(`Adopted ${file.fsPath}`);
    const words = adoptedText(tuned.summary);
    const key = tuneKey(tuned.key);
    const states = this.told.find(({ subject }) => tuneKey(subject) === key);
    if (this.tuned.get(key) === tuned && states !== undefined) {
      this.adopted.set(tuned, file);
      this.show({ ...states, adopted: true, words });
    }
    const open = t('Open in explorer');
    void showInformationMessage(words, open).then(picked => {
      if (picked === open) void this.openWinner(tuned).catch(this.parts.failed);
    });
  }

  private show(tune: ShownTune): void {
    this.told = withTune(this.told, tune);
    const keys = this.told.map(({ subject }) => tuneKey(subject));
    for (const key of this.tuned.keys()) if (!keys.includes(key)) this.tuned.delete(key);
    this.parts.post({ type: 'tune', tune });
  }

  private tunedOfShown(): Tuned | undefined {
    const shown = this.parts.shown();
    if (shown === undefined) return undefined;
    const resolved = resolve(shown.spec);
    const newest = this.told.findLast(tune => isTuneOf(tune, resolved, shown.spec));
    return newest === undefined ? undefined : this.tuned.get(tuneKey(newest.subject));
  }

  /**
   * Returns the content of the document, or of the explorer if the document is neither a spec nor a
   * kernel. Returns undefined if the explorer shows nothing. Shows a message and returns null if
   * the document cannot be read.
   */
  async shownFor(uri: vscode.Uri | undefined): Promise<Shown | null | undefined> {
    const document =
      uri === undefined
        ? vscode.window.activeTextEditor?.document
        : await vscode.workspace.openTextDocument(uri);
    if (document === undefined || !(isSpec(document) || isKernel(document))) {
      return this.parts.shown();
    }
    const read = shownOf(document);
    if (read.ok) return read.shown;
    void showWarningMessage(read.reason);
    return null;
  }

  /**
   * Returns the problem and the backend to tune. Shows a message and returns undefined if no
   * backend is available.
   */
  private async subjectOf(shown: Shown): Promise<Subject | undefined> {
    const { abilities, toolChain, log } = this.parts;
    const cuda = await toolChain.probeCuda();
    const found = subjectOn(shown, cuda, abilities.tune !== undefined, settings.tuneObjective());
    if (!cuda.available) log.info(`Tune: ${cuda.why} ${cuda.next}`);
    if (found.ok) return found;
    const { problem: label, why: words, key: subject } = found;
    this.show(
      shownTune(NOT_STARTED, { subject, of: label, stage: 'refused', words, adopted: false }),
    );
    void showWarningMessage(words);
    return undefined;
  }

  private async run(subject: Subject, controller: AbortController): Promise<TuneEnd> {
    this.tuned.delete(tuneKey(subject.key));
    const options = {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: t('Tuning {0}', subject.of),
    };
    return await showProgress(options, (progress, token) => {
      token.onCancellationRequested(() => {
        controller.abort();
      });
      let done = 0;
      return this.search(subject, controller.signal, tune => {
        const percent = Math.round(100 * fractionOf(tune));
        progress.report({ message: progressText(tune), increment: Math.max(0, percent - done) });
        done = Math.max(done, percent);
      });
    });
  }

  /** Runs the search after earlier jobs on the GPU, because a GPU measures one job at a time. */
  private async search(
    { backend, spec, shown, problem, of: label, key: subject }: Subject,
    abort: AbortSignal,
    report: (tune: ShownTune) => void,
  ): Promise<TuneEnd> {
    const { abilities, queueOf } = this.parts;
    const show = (tune: ShownTune): void => {
      this.show(tune);
      report(tune);
    };
    const starting = (words: string): void => {
      show(
        shownTune(NOT_STARTED, { subject, of: label, stage: 'starting', words, adopted: false }),
      );
    };
    const throttle = createProgressThrottle(state => {
      const stage = state.summary === null ? 'running' : 'ended';
      const names = state.place?.gpus.join(', ');
      const on = names === undefined ? label : t('{0} on {1}', problem, names);
      show(shownTune(state, { subject, of: on, stage, words: t('Searching'), adopted: false }));
    });
    const cancelled: TuneEnd = { ok: false, outcome: 'cancelled', message: t('Cancelled.') };
    starting(t('Starting'));
    const measured = new Map<string, Measurement>();
    try {
      const ended = await queueOf(deviceOf(backend)).run(
        async () => {
          if (abort.aborted || abilities.tune === undefined) return cancelled;
          const root = writableFolder(shown.specFile ?? shown.document)?.uri;
          const onMeasurement = (run: Measurement): void => {
            measured.set(run.specKey, run);
          };
          const context = { abort, say: throttle.say, progress: starting, onMeasurement };
          const adapterTables = adoptedFor(shown.specFile ?? shown.document) ?? shippedTables();
          const objective = settings.tuneObjective();
          return await abilities.tune({ spec, backend, root, adapterTables, objective }, context);
        },
        () => {
          starting(t('Waiting for the previous run'));
        },
      );
      if (ended.ok) {
        const runs = finalistRuns(ended.summary, measured, crypto.randomUUID());
        await this.parts.keep(runs, writableFolder(shown.specFile ?? shown.document));
      }
      return ended;
    } finally {
      throttle.flush();
    }
  }

  /** Shows the result of a search that ran elsewhere, and offers its winner. */
  async finish(
    subject: Subject,
    summary: TuneSummary,
    measurements: readonly Measurement[],
  ): Promise<void> {
    const { shown, of: label, key } = subject;
    const measured = new Map(measurements.map(one => [one.specKey, one]));
    const runs = finalistRuns(summary, measured, crypto.randomUUID());
    await this.parts.keep(runs, writableFolder(shown.specFile ?? shown.document));
    const state = after(NOT_STARTED, { type: 'finished', summary });
    const more = { stage: 'ended', words: '', adopted: false } as const;
    this.show(shownTune(state, { subject: key, of: label, ...more }));
    this.end(subject, { ok: true, summary });
  }

  private end({ backend, spec, shown, of: label, key }: Subject, ended: TuneEnd): void {
    const { log } = this.parts;
    if (!ended.ok) {
      log.warn(ended.message);
      this.show(
        shownTune(NOT_STARTED, {
          subject: key,
          of: label,
          stage: 'refused',
          words: ended.message,
          adopted: false,
        }),
      );
      if (backend === 'webgpu' && ended.outcome === 'unavailable') {
        this.parts.dawn.offer(ended.message).catch(this.parts.failed);
      } else if (ended.outcome !== 'cancelled') void showErrorMessage(ended.message);
      return;
    }
    const { summary } = ended;
    const tuned = { spec, summary, specFile: shown.specFile, key };
    this.tuned.set(tuneKey(key), tuned);
    for (const note of summary.notes) log.info(note);
    this.offer(tuned, endText(label, summary)).catch(this.parts.failed);
  }

  private async offer(tuned: Tuned, text: string): Promise<void> {
    const { winner, journal } = tuned.summary;
    const [take, open, measurements] = [t('Adopt'), t('Open in explorer'), t('Show measurements')];
    const kept = journal === undefined ? [] : [measurements];
    const picked =
      winner === null
        ? await showWarningMessage(text, ...kept)
        : await showInformationMessage(text, take, open, ...kept);
    if (picked === take && this.tuned.get(tuneKey(tuned.key)) === tuned) await this.adopt(tuned);
    if (picked === open) await this.openWinner(tuned);
    if (picked === measurements && journal !== undefined) {
      await vscode.window.showTextDocument(vscode.Uri.file(journal));
    }
  }

  private async openWinner(tuned: Tuned): Promise<void> {
    const spec = winnerSpec(tuned);
    if (spec === undefined) return;
    const file = this.adopted.get(tuned);
    const read =
      file === undefined ? undefined : shownOf(await vscode.workspace.openTextDocument(file));
    const found = read?.ok === true ? read.shown : fromSpec(spec);
    this.parts.open(found, { focus: 'top', takeFocus: true });
  }

  private async sayBusy(): Promise<void> {
    const stop = t('Cancel tuning');
    const text = t('Tuning is already running: {0}.', this.told.findLast(isBusy)?.of ?? '');
    if ((await showInformationMessage(text, stop)) === stop) this.cancel();
  }
}

const isBusy = ({ stage }: ShownTune): boolean => stage === 'starting' || stage === 'running';

/** Returns the device name of the job queue. WebGPU (Dawn) uses the queue of GPU 0. */
const deviceOf = (backend: TunableBackend): string =>
  `GPU ${backend === 'cuda' ? settings.cudaDevice() : 0}`;

/** Returns a failed result for an unexpected error, so that the page stops waiting. */
const unexpectedError = (error: unknown): TuneEnd => ({
  ok: false,
  outcome: 'launch-error',
  message: t(
    'Tuning stopped: {0} Measurements are saved. Fix: run Tune again to resume.',
    error instanceof Error ? error.message : String(error),
  ),
});
