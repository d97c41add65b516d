/** Finds the Python interpreter, or reports why it is missing or too old. */
import { findExecutable, type SearchOptions } from '../executables';
import { runProcess } from '../process';
import { describeFailure, type Missing } from '../toolchain';

export interface Python {
  /** Absolute path. */
  readonly path: string;
  /** Version number, such as `3.11.7`. */
  readonly version: string;
}

/** Oldest supported version. */
const OLDEST = [3, 9] as const;
const VERSION_TIMEOUT_MS = 10_000;
const NAMES = process.platform === 'win32' ? ['python', 'python3'] : ['python3', 'python'];
const NEXT = `Fix: install Python ${OLDEST.join('.')} or newer, or choose an interpreter with --python (in VS Code: gemm.python.path).`;

/** Finds Python at the path in the setting, or on PATH. */
export async function findPython(
  options: SearchOptions = {},
): Promise<{ readonly ok: true; readonly python: Python } | Missing> {
  const located = findExecutable(NAMES, options);
  if (!located.ok) return { ...located, next: NEXT };
  const { path } = located;
  const no = (why: string): Missing => ({ ok: false, path, why, next: NEXT });
  const answer = await runProcess(path, ['--version'], {
    timeoutMs: options.versionTimeoutMs ?? VERSION_TIMEOUT_MS,
  });
  // Python 2 prints its version on standard error.
  const version =
    answer.code === 0 ? decodeVersion(`${answer.stdout}\n${answer.stderr}`) : undefined;
  if (version === undefined) return no(`'${path} --version' ${describeFailure(answer)}`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return isOld
    ? no(`'${path}' is Python ${version}, which is too old.`)
    : { ok: true, python: { path, version } };
}

/** Returns undefined if the text is not the output of `python --version`. */
export const decodeVersion = (text: string): string | undefined =>
  /^Python (\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)/m.exec(text)?.[1];
