/**
 * Defines the environment of child processes: the user's environment without variables that change
 * the flags or code of a tool.
 */

const DROPPED = new Set([
  'LD_PRELOAD',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'NVCC_PREPEND_FLAGS',
  'NVCC_APPEND_FLAGS',
  'NVCC_CCBIN',
  'NODE_OPTIONS',
  'ELECTRON_RUN_AS_NODE',
  'BASH_ENV',
  'ENV',
]);

/**
 * Returns the environment of a child process. `extra` takes precedence. The locale is set to C,
 * because messages are parsed.
 */
export function childEnvironment(
  extra: Readonly<Record<string, string>> = {},
  parent: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const kept = Object.entries(parent).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !DROPPED.has(entry[0].toUpperCase()) && !isLocale(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    LANG: 'C',
    // Without this variable, Windows searches for programs in the current folder first.
    NoDefaultCurrentDirectoryInExePath: '1',
    ...extra,
  };
}

const isLocale = (name: string): boolean => name.startsWith('LC_') || name === 'LANGUAGE';
