/**
 * Program of a task: `slurmTask.cjs --wave 1 --tasks 8`, in the folder of a job. Slurm starts it
 * from the scripts of that folder.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { killAllGroups } from '../processGroup';
import { MAX_TASKS } from '../../core/search/tune/slurmOptions';
import type { Wave } from './script';
import { runTask } from './task';

function waveIn(text: string | undefined): Wave | undefined {
  if (text === 'final') return text;
  return /^[1-9]\d?$/.test(text ?? '') ? Number(text) : undefined;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { wave: { type: 'string' }, tasks: { type: 'string' } },
  });
  const wave = waveIn(values.wave);
  const tasks = Number(values.tasks);
  if (wave === undefined || !Number.isInteger(tasks) || tasks < 1 || tasks > MAX_TASKS) {
    console.error('Expected --wave N or --wave final, and --tasks N.');
    return 2;
  }
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      controller.abort();
    });
  const ended = await runTask(
    {
      folder: process.cwd(),
      tasks,
      wave,
      dawnWorker: path.join(__dirname, 'dawnWorker.js'),
      environment: process.env,
    },
    {
      abort: controller.signal,
      progress: line => {
        console.log(line);
      },
    },
  );
  if (ended.message !== undefined) console.error(ended.message);
  console.log(ended.ended);
  return ended.ended === 'failed' ? 1 : 0;
}

void main()
  .catch((error: unknown) => {
    console.error(error);
    return 1;
  })
  .then(code => {
    killAllGroups();
    process.exit(code);
  });
