/**
 * Environment of child processes: that of the user, without variables that change a tool's flags or
 * code.
 */

/** Variables that inject code or flags into a process. */
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
 * Builds the child's environment; `extra` takes precedence. Messages are requested in English,
 * because they are parsed.
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
    // Otherwise Windows searches a tool's helpers in the current folder first.
    NoDefaultCurrentDirectoryInExePath: '1',
    ...extra,
  };
}

const isLocale = (name: string): boolean => name.startsWith('LC_') || name === 'LANGUAGE';
