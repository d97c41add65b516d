/**
 * Installs Debian packages for requirements without a per-user installation: the browser and a C++
 * toolchain.
 */

import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { confirmInstall } from './ask';
import { onPath } from './find';
import { CommandFailed, run } from './run';

interface Needed {
  readonly packages: readonly string[];
  readonly optional?: readonly string[];
  readonly what: string;
  /**
   * Returns whether the requirement is installed. It is checked after each failed attempt, because
   * a different apt-get process may hold the lock and install the same package.
   */
  readonly present: () => boolean;
}

const LOCK_RETRIES = 60;

let queue: Promise<void> = Promise.resolve();

/**
 * Installs a requirement and returns once it is available, or throws with the command to run.
 * Installations run one at a time, because apt-get takes a lock.
 */
export function installDebianPackages(needed: Needed): Promise<void> {
  const turn = queue.then(() => install(needed));
  queue = turn.catch(() => undefined);
  return turn;
}

async function install(needed: Needed): Promise<void> {
  const root = process.getuid?.() === 0;
  const byHand = `${root ? '' : 'sudo '}apt-get update && ${root ? '' : 'sudo '}apt-get install -y ${needed.packages.join(' ')}`;
  const apt = onPath('apt-get');
  if (apt === undefined) {
    const names = needed.packages.join(', ');
    throw new Error(
      `${needed.what} is missing and this system has no apt-get. Fix: install it with the system's package manager (on Debian: ${names}).`,
    );
  }
  await confirmInstall(`${needed.what} (Debian packages)`, byHand);
  const aptGet = (label: string, ...args: readonly string[]): Promise<string> => {
    const command = root ? apt : 'sudo';
    const prefix = root ? [] : ['-n', apt];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return run(label, command, [...prefix, '-o', 'DPkg::Lock::Timeout=300', ...args], { env });
  };
  try {
    await whenUnlocked(needed.present, async () => {
      // A fresh machine has no package lists, and outdated lists contain versions that are no
      // longer available.
      await aptGet('apt-get update', 'update');
      const packages = [...needed.packages, ...(needed.optional ?? []).filter(isKnown)];
      const label = `apt-get install ${packages.join(' ')}`;
      await aptGet(label, 'install', '-y', '--no-install-recommends', ...packages);
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Could not install ${needed.what}: ${reason}\nFix: install it with:\n  ${byHand}`,
      {
        cause,
      },
    );
  }
}

const isKnown = (name: string): boolean =>
  spawnSync('apt-cache', ['show', '--no-all-versions', name], { stdio: 'ignore' }).status === 0;

async function whenUnlocked(present: () => boolean, attempt: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (present()) return;
      const locked =
        error instanceof CommandFailed && /get lock|is another process/i.test(error.output);
      if (!locked || tries === LOCK_RETRIES) throw error;
      await delay(2000);
    }
  }
}
