/**
 * `check SPEC`: lists the legal targets of a spec, and the violations and nearest legal values for
 * the other targets.
 */
import { check } from '../../core/defaults/check';
import { describeCheck } from '../checked';
import { adapter, adapterNamed, command, device, set, specArgument, target } from '../command';
import { readSpecAndTables } from '../spec';
import { EXIT } from '../result';

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
    return { exit: report.ok ? EXIT.yes : EXIT.no, json: report, text: describeCheck(report) };
  },
});
