/**
 * `check SPEC`: lists the legal targets of a spec, and the violations and nearest legal values for
 * the other targets.
 */
import { check } from '../../core/defaults/check';
import { epilogueNames } from '../../core/spec/epilogue';
import { grouped } from '../../core/text/numbers';
import { adapter, adapterNamed, command, device, set, specArgument, target } from '../command';
import { readSpecAndTables } from '../spec';
import { EXIT } from '../result';
import { table } from '../table';

export const checkCommand = command({
  name: 'check',
  description: 'List the targets for which a spec is legal; suggest the nearest legal values',
  args: { spec: specArgument, set, device, target, adapter },
  run: async options => {
    const adapter = adapterNamed(options.adapter);
    const { spec, tables } = await readSpecAndTables(options.spec, {
      ...options,
      adapter: adapter,
    });
    const report = check(spec, tables, adapter);
    const { ok, specKey, scheduleFrom, legal, kernels, violations, resolved } = report;
    const epilogue = epilogueNames(resolved.problem.epilogue);
    const rows = violations.map(({ target, path, message, nearest }) => [
      target,
      path,
      nearest === null ? '-' : JSON.stringify(nearest),
      message,
    ]);
    const verdict = `${ok ? 'legal' : 'not legal'}; legal targets: ${legal.join(', ') || 'none'}`;
    return {
      exit: ok ? EXIT.yes : EXIT.no,
      json: report,
      text: [
        `${specKey}: ${verdict}`,
        ...(epilogue.length === 0 ? [] : [`Epilogue: ${epilogue.join(', ')}`]),
        ...(scheduleFrom.from === 'spec' ? [] : [`Schedule: ${scheduleFrom.text}`]),
        ...kernels
          .filter(({ workspaceBytes }) => workspaceBytes > 0)
          .map(
            ({ target, workspaceBytes }) => `Workspace (${target}): ${grouped(workspaceBytes)} B`,
          ),
        ...(rows.length === 0 ? [] : [table([['target', 'field', 'nearest', 'why'], ...rows])]),
      ].join('\n'),
    };
  },
});
