/**
 * A Slurm of its own on this machine: munged, slurmctld and slurmd with their files in a folder, on
 * ports of their own. Another Slurm of the machine is not touched.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes, randomInt } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findExecutable } from '../../../src/host/executables';

export interface OneMachine {
  /** Variables with which the programs of Slurm find this Slurm. */
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
  /** Runs a program of Slurm, such as scontrol; returns its output. */
  readonly run: (program: string, args: readonly string[]) => string;
  readonly stop: () => Promise<void>;
}

const NEEDED = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel', 'scontrol'];
/** Folders of daemons, which are not on the PATH of every user. */
const SYSTEM = ['/usr/sbin', '/usr/local/sbin', '/sbin'];

/** The programs that are not installed. */
export const missingPrograms = (): readonly string[] =>
  process.platform === 'linux'
    ? NEEDED.filter(name => !findExecutable([name], {}, [], SYSTEM).ok)
    : NEEDED;

const programOf = (name: string): string => {
  const found = findExecutable([name], {}, [], SYSTEM);
  if (!found.ok) throw new Error(found.why);
  return found.path;
};

const ATTEMPTS = 200;
const INTERVAL_MS = 100;

/** @param cpus number of tasks that run at once, however many cores the machine has */
export async function startOneMachine(cpus: number): Promise<OneMachine> {
  const base = mkdtempSync(path.join(os.tmpdir(), 'gemm-slurm-'));
  const at = (...names: string[]): string => path.join(base, ...names);
  for (const name of ['munge', 'state', 'spool']) mkdirSync(at(name), { mode: 0o700 });
  writeFileSync(at('munge', 'key'), randomBytes(1024), { mode: 0o400 });
  const port = randomInt(20_000, 50_000);
  writeFileSync(at('slurm.conf'), configuration(base, port, cpus));
  chmodSync(at('slurm.conf'), 0o644);
  const environment = { ...process.env, SLURM_CONF: at('slurm.conf') };
  const daemons: ChildProcess[] = [];
  const said: string[] = [];
  const start = (name: string, args: readonly string[]): void => {
    const daemon = spawn(programOf(name), args, { env: environment, stdio: 'pipe' });
    for (const stream of [daemon.stdout, daemon.stderr])
      stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    daemons.push(daemon);
  };
  const run: OneMachine['run'] = (program, args) => {
    const ran = spawnSync(programOf(program), args, { env: environment, timeout: 20_000 });
    return `${ran.stdout.toString()}${ran.stderr.toString()}`;
  };
  const stop = async (): Promise<void> => {
    run('scancel', ['--user', os.userInfo().username]);
    for (const daemon of daemons.toReversed()) {
      const ended = new Promise(resolve => daemon.once('exit', resolve));
      daemon.kill('SIGTERM');
      await Promise.race([ended, wait(5000)]);
      daemon.kill('SIGKILL');
    }
    rmSync(base, { recursive: true, force: true });
  };
  const files = ['key-file', 'socket', 'pid-file', 'log-file', 'seed-file'];
  const munge = files.map(name => `--${name}=${at('munge', name.replace('-file', ''))}`);
  start('munged', ['--foreground', '--force', ...munge]);
  start('slurmctld', ['-D']);
  start('slurmd', ['-D']);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (/\bidle\b/.test(run('sinfo', ['--noheader', '--format=%T']))) {
      const version = run('sinfo', ['--version']).trim();
      return { environment, version, run, stop };
    }
    await wait(INTERVAL_MS);
  }
  await stop();
  throw new Error(`Slurm did not start:\n${said.join('').slice(-4000)}`);
}

const configuration = (base: string, port: number, cpus: number): string => {
  const [host, user] = [os.hostname(), os.userInfo().username];
  return `ClusterName=gemm
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${port}
SlurmdPort=${port + 1}
AuthType=auth/munge
AuthInfo=socket=${base}/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=${user}
SlurmdUser=${user}
StateSaveLocation=${base}/state
SlurmdSpoolDir=${base}/spool
SlurmctldPidFile=${base}/slurmctld.pid
SlurmdPidFile=${base}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=0
SlurmdParameters=config_overrides
KillWait=2
MaxArraySize=64
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus} State=UNKNOWN
PartitionName=test Nodes=${host} Default=YES MaxTime=10 State=UP
`;
};
