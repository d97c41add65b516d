/** *Tune on a cluster*: submits the shown problem as a Slurm job, and offers its winner. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { SlurmOptions } from '../../core/search/tune/slurmOptions';
import type { Abilities, ClusterEnd, ClusterProgress } from '../abilities';
import {
  askWithWarning,
  showErrorMessage,
  showInformationMessage,
  showProgress,
  showWarningMessage,
} from '../display/notify';
import { settings } from '../shared/settings';
import { writableFolder } from '../workspace/writableFolder';
import { promptSlurmOptions } from './clusterOptions';
import { subjectOn, type Subject } from './subject';
import type { Tuner } from './tuner';

/** A GPU of the cluster, which this machine cannot probe. */
const onCluster = () => ({
  available: true as const,
  device: { name: t('a cluster'), adapter: '', driver: '', where: '' },
});

export interface ClusterHost {
  readonly start: Abilities['tuneOnCluster'];
  /** Version of the product. */
  readonly version: string;
}

export async function tuneOnCluster(
  uri: vscode.Uri | undefined,
  tuner: Tuner,
  { start, version }: ClusterHost,
): Promise<void> {
  const shown = await tuner.shownFor(uri);
  if (shown === null) return;
  if (shown === undefined) {
    void showInformationMessage(
      t(
        'Open a *.gemm.json file, a generated kernel or the explorer to select the problem to tune.',
      ),
    );
    return;
  }
  const subject = subjectOn(shown, onCluster(), true, settings.tuneObjective());
  if (!subject.ok || subject.backend !== 'cuda' || start === undefined) {
    void showWarningMessage(
      t('Tuning on a cluster requires the target cuda, and a window on a machine of the cluster.'),
    );
    return;
  }
  const folder = writableFolder(shown.specFile ?? shown.document);
  if (folder?.uri.scheme !== 'file') {
    void showErrorMessage(
      t('No job was submitted. Fix: open a writable folder that all nodes share.'),
    );
    return;
  }
  const options = await promptSlurmOptions();
  if (options === undefined) return;
  await follow(subject, tuner, { start, version, root: folder.uri, options });
}

interface Job {
  readonly start: NonNullable<Abilities['tuneOnCluster']>;
  readonly version: string;
  readonly root: vscode.Uri;
  readonly options: SlurmOptions;
}

async function follow(subject: Subject, tuner: Tuner, job: Job): Promise<void> {
  const { start, version, root, options } = job;
  const { shown, of: label } = subject;
  let id = '';
  const ended = await showProgress(
    {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: t('Tuning {0}', label),
    },
    (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => {
        controller.abort();
      });
      const objective = settings.tuneObjective();
      return start(
        { spec: shown.spec, version, root, options, objective },
        {
          signal: controller.signal,
          progress: one => {
            id = one.id;
            progress.report({ message: progressText(one) });
          },
        },
      );
    },
  );
  await report(ended, { subject, tuner, id, job });
}

interface Followed {
  readonly subject: Subject;
  readonly tuner: Tuner;
  readonly id: string;
  readonly job: Job;
}

async function report(ended: ClusterEnd, followed: Followed): Promise<void> {
  const { subject, tuner, id, job } = followed;
  if (ended.ok) {
    await tuner.finish(subject, ended.summary, ended.measurements);
    return;
  }
  if (!ended.detached) {
    void showErrorMessage(ended.message);
    return;
  }
  const [cancel, attach] = [t('Cancel job'), t('Follow job')];
  const picked = await askWithWarning(
    t('The job {0} continues on the cluster.', id),
    t('Measurements are saved. Tune on a cluster follows or continues the same job.'),
    attach,
    cancel,
  );
  if (picked === attach) await follow(subject, tuner, job);
  if (picked !== cancel) return;
  const problem = await ended.cancel();
  if (problem === undefined) void showInformationMessage(t('The job {0} was cancelled.', id));
  else void showErrorMessage(problem);
}

function progressText({
  measurements,
  running,
  pending,
  reason,
  unknown,
}: ClusterProgress): string {
  const done = t('{0} measurements', measurements);
  if (unknown !== undefined)
    return `${done}. ${t('squeue does not report the tasks: {0}', unknown)}`;
  const tasks = t('{0} tasks run, {1} wait', running, pending);
  return [done, reason === '' ? tasks : `${tasks} (${reason})`].join(', ');
}
