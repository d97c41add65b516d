/**
 * `check SPEC...`: lists the legal targets of each spec, and the violations and nearest legal
 * values for the other targets.
 */
import { check, type CheckReport } from '../../core/defaults/check';
import { describeCheck } from '../checked';
import { adapter, adapterNamed, command, device, set, specArgument, target } from '../command';
import { readSpecAndTables, type Overrides } from '../spec';
import { EXIT, Failure, type Problem, type Result } from '../result';

export const checkCommand = command({
  name: 'check',
  description: 'List the targets for which specs are legal; suggest the nearest legal values',
  several: true,
  args: {
    spec: { ...specArgument, valueHint: 'SPEC...', description: '*.gemm.json files, or -' },
    set,
    device,
    target,
    adapter,
  },
  run: async options => {
    const overrides = { ...options, adapter: adapterNamed(options.adapter) };
    const [file, ...others] = options._;
    if (file === undefined || others.length > 0) return await checkAll(options._, overrides);
    const report = await reportOf(file, overrides);
    return { exit: report.ok ? EXIT.yes : EXIT.no, json: report, text: describeCheck(report) };
  },
});

async function reportOf(file: string, overrides: Overrides): Promise<CheckReport> {
  const { spec, tables } = await readSpecAndTables(file, overrides);
  return check(spec, tables, overrides.adapter);
}

type Checked =
  | { readonly path: string; readonly report: CheckReport }
  | { readonly path: string; readonly message: string; readonly problems: readonly Problem[] };

/** Checks every spec, also after one that is not valid, so that one run reports all of them. */
async function checkAll(files: readonly string[], overrides: Overrides): Promise<Result> {
  const all: Checked[] = [];
  for (const path of files) {
    try {
      all.push({ path, report: await reportOf(path, overrides) });
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.unusable) throw error;
      all.push({ path, message: error.message, problems: error.problems });
    }
  }
  const unusable = all.some(one => 'message' in one);
  const ok = all.every(one => 'report' in one && one.report.ok);
  const passed = all.filter(one => 'report' in one && one.report.ok).length;
  return {
    exit: unusable ? EXIT.unusable : ok ? EXIT.yes : EXIT.no,
    json: {
      ok,
      specs: all.map(({ path, ...one }) => ({ path, ...('report' in one ? one.report : one) })),
    },
    text: [
      ...all.map(
        one => `${one.path}: ${'report' in one ? describeCheck(one.report) : failureOf(one)}`,
      ),
      `${passed} of ${all.length} specs are legal.`,
    ].join('\n'),
  };
}

const failureOf = ({ message, problems }: Extract<Checked, { message: string }>): string =>
  [message, ...problems.map(({ path, message: what }) => `  ${path}${path && ': '}${what}`)].join(
    '\n',
  );
