/** Formats the report of `check`. */
import type { CheckReport } from '../core/defaults/check';
import { epilogueNames } from '../core/spec/epilogue';
import { grouped } from '../core/text/numbers';
import { table } from './table';

export function describeCheck(report: CheckReport): string {
  const { ok, specKey, scheduleFrom, legal, kernels, violations, resolved } = report;
  const epilogue = epilogueNames(resolved.problem.epilogue);
  const rows = violations.map(({ target, path, message, nearest }) => [
    target,
    path,
    nearest === null ? '-' : JSON.stringify(nearest),
    message,
  ]);
  const verdict = `${ok ? 'legal' : 'not legal'}; legal targets: ${legal.join(', ') || 'none'}`;
  return [
    `${specKey}: ${verdict}`,
    ...(epilogue.length === 0 ? [] : [`Epilogue: ${epilogue.join(', ')}`]),
    ...(scheduleFrom.from === 'spec' ? [] : [`Schedule: ${scheduleFrom.text}`]),
    ...kernels
      .filter(({ workspaceBytes }) => workspaceBytes > 0)
      .map(({ target, workspaceBytes }) => `Workspace (${target}): ${grouped(workspaceBytes)} B`),
    ...(rows.length === 0 ? [] : [table([['target', 'field', 'nearest', 'why'], ...rows])]),
  ].join('\n');
}
