/** Prompts for the options of a Slurm job, and remembers them as settings of this machine. */
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_TASKS, slurmProblem, type SlurmOptions } from '../../core/search/tune/slurmOptions';
import { showInputBox } from '../display/picks';
import { settings } from '../shared/settings';

interface Question {
  readonly name: keyof Answers;
  readonly prompt: string;
}

type Answers = Partial<Record<'partition' | 'account' | 'timeLimit' | 'gres' | 'tasks', string>>;

const questions = (): readonly Question[] => [
  { name: 'tasks', prompt: t('Number of tasks, each on one GPU') },
  { name: 'partition', prompt: t('Slurm partition; empty for the default') },
  { name: 'account', prompt: t('Slurm account; empty for the default') },
  {
    name: 'timeLimit',
    prompt: t('Time limit of a task, in minutes or as {0}; empty for the default', '1:30:00'),
  },
  {
    name: 'gres',
    prompt: t('Resources of a task, such as {0}; {1} to request none', 'gpu:h100:1', 'none'),
  },
];

/** Returns the options, or undefined if a prompt is cancelled. */
export async function promptSlurmOptions(): Promise<SlurmOptions | undefined> {
  const all = questions();
  const answers: Answers = {};
  for (const [index, { name, prompt }] of all.entries()) {
    const answer = await showInputBox({
      title: t('Tune on a cluster ({0} of {1})', index + 1, all.length),
      prompt,
      value: String(settings.slurm(name)),
      ignoreFocusOut: true,
      validateInput: text => problemOf(name, text.trim()),
    });
    if (answer === undefined) return undefined;
    answers[name] = answer.trim();
  }
  const { tasks = '', ...texts } = answers;
  await remember(answers);
  const given = Object.entries(texts).filter(([, value]) => value !== '');
  return { tasks: Number(tasks), ...Object.fromEntries(given) };
}

function problemOf(name: Question['name'], value: string): string | undefined {
  if (name !== 'tasks') return value === '' ? undefined : slurmProblem(name, value);
  const tasks = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  return tasks >= 1 && tasks <= MAX_TASKS
    ? undefined
    : t('Expected a number from 1 to {0}, got "{1}".', MAX_TASKS, value);
}

async function remember(answers: Answers): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('gemm');
  for (const { name } of questions()) {
    const value = name === 'tasks' ? Number(answers.tasks) : (answers[name] ?? '');
    if (value === settings.slurm(name)) continue;
    await configuration.update(`slurm.${name}`, value, vscode.ConfigurationTarget.Global);
  }
}
