/** Where a recorded result comes from. */
import { cpus } from 'node:os';
import { runProcess } from '../../src/host/process';

export async function provenance(command: string): Promise<{
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}> {
  const git = await runProcess('git', ['rev-parse', 'HEAD'], { timeoutMs: 10_000 });
  const [cpu] = cpus();
  return {
    command,
    date: new Date().toISOString().slice(0, 10),
    commit: git.stdout.trim() || 'unknown',
    machine: `${cpu?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}`,
  };
}
