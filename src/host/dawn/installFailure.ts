/** Explains why the installation of Dawn failed, and the next step, based on npm's error codes. */
import { t } from '@vscode/l10n';
import type { ProcessResult } from '../process';
import { plainText, printable } from '../text';
import { DAWN } from './pinned';

export type Installed =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly cancelled: boolean;
      readonly why: string;
      readonly next: string;
    };

export const failed = (why: string, next: string): Installed => ({
  ok: false,
  cancelled: false,
  why,
  next,
});

export const notPinned = (name: string): Installed =>
  failed(
    t(
      'npm did not install the pinned packages ({0} is missing or differs); everything was removed.',
      printable(name, 100),
    ),
    t("Check npm's registry (npm config get registry) and its .npmrc."),
  );

export function whyNot(ended: ProcessResult, timeoutMs: number): Installed {
  const again = t('No files remain. You can install Dawn again at any time.');
  if (ended.aborted) {
    return { ok: false, cancelled: true, why: t('Installing Dawn was cancelled.'), next: again };
  }
  if (ended.timedOut) {
    const minutes = Math.max(1, Math.round(timeoutMs / 60_000));
    return failed(
      t('npm did not finish within {0} min and was stopped.', minutes),
      t('Check the network and npm’s proxy (npm config list), then install Dawn again.'),
    );
  }
  const [, code = ''] = /npm (?:error|ERR!) code ([A-Z0-9_]{2,40})/.exec(ended.stderr) ?? [];
  const why = t('npm failed: {0}', reasonOf(ended));
  if (code === 'EINTEGRITY') {
    return failed(
      t(
        'The registry returned an archive that differs from the pinned {0} {1}; it was rejected.',
        DAWN.name,
        DAWN.version,
      ),
      t("Check npm's registry (npm config get registry) and its .npmrc."),
    );
  }
  if (['ENOSPC', 'EDQUOT'].includes(code)) {
    const { downloadMegabytes, diskMegabytes } = DAWN;
    return failed(
      why,
      t(
        'The disk is full: {0} MB are required. Free some space and install Dawn again.',
        downloadMegabytes + diskMegabytes,
      ),
    );
  }
  if (UNREACHED.test(code)) {
    return failed(
      why,
      t(
        'The registry is unreachable. Check the network and npm’s proxy (npm config list), then install Dawn again.',
      ),
    );
  }
  if (/^(E4\d\d|ETARGET)$/.test(code)) {
    return failed(
      why,
      t(
        'The registry does not provide {0} {1}. Check npm’s registry and login.',
        DAWN.name,
        DAWN.version,
      ),
    );
  }
  return failed(why, t('Run npm ping in a terminal to see whether npm works.'));
}

const UNREACHED =
  /^(E5\d\d|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|\w*CERT\w*|\w*SSL\w*)$/;

/** Returns up to two of npm's error lines, without the path of its log. */
function reasonOf({ spawnError, signal, code, stderr }: ProcessResult): string {
  if (spawnError !== undefined) return spawnError;
  const lines = plainText(stderr)
    .split('\n')
    .map(line => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter(line => line !== '' && !/^(code|syscall|errno|at|A complete log) |_logs/.test(line));
  const errorText = printable(lines.slice(0, 2).join(' '), 300);
  return errorText === '' ? (signal ?? t('exit code {0}', code ?? -1)) : errorText;
}
