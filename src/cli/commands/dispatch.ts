/**
 * `dispatch SPEC`: shows the schedule that the dispatch tables select for a problem, the
 * measurements that were considered, and the reason.
 */
import { candidatesOf, type CheckedProposal } from '../../core/defaults/dispatch/dispatched';
import { shapeText, type DispatchRow } from '../../core/defaults/dispatch/row';
import { scheduleFrom, type ScheduleFrom } from '../../core/defaults/dispatch/scheduleFrom';
import { shippedTables } from '../../core/defaults/dispatch/shipped';
import { resolveWithOrigin, withoutTables } from '../../core/defaults/resolve';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { adapter, adapterNamed, command, device, set, specArgument, target } from '../command';
import { EXIT } from '../result';
import { readSpecAndTables } from '../spec';
import { number, table } from '../table';
import { specKey } from '../../core/plan/specKey';

export const dispatchCommand = command({
  name: 'dispatch',
  description: 'Show the schedule that the dispatch tables select, with similar measurements',
  args: { spec: specArgument, set, device, target, adapter },
  run: async options => {
    const adapter = adapterNamed(options.adapter);
    const overrides = { ...options, adapter: adapter };
    const read = await readSpecAndTables(options.spec, overrides, { evenIfScheduled: true });
    const { spec: given, tables = shippedTables(), file } = read;
    const { schedule: named, ...spec } = given;
    const plain = withoutTables(spec);
    const { resolved, found } = resolveWithOrigin(spec, tables, adapter);
    const weighed = [...candidatesOf(plain, spec, tables, { adapter: adapter })];
    const from = scheduleFrom(false, found);
    const notes = [
      ...(named === undefined ? [] : ['The spec has a schedule, which is used instead.']),
      ...(file === undefined ? [] : [`Dispatch rows of this workspace: ${file}`]),
    ];
    const json = {
      specKey: specKey(resolved),
      device: plain.device,
      targets: resolved.targets,
      scheduleFrom: from,
      rows: file ?? null,
      notes,
      candidates: weighed.map(one => ({ ...candidateOf(one), specKey: keyOf(one, plain) })),
    };
    return { exit: EXIT.yes, json, text: describe(from, weighed, plain, notes) };
  },
});

const keyOf = ({ proposal: { schedule } }: CheckedProposal, plain: ResolvedSpec): string =>
  specKey({ ...plain, schedule });

function candidateOf({ proposal, legal }: CheckedProposal) {
  const { dispatch } = scheduleFrom(false, proposal);
  return { ...dispatch, legal, schedule: proposal.schedule };
}

function describe(
  from: ScheduleFrom,
  weighed: readonly CheckedProposal[],
  plain: ResolvedSpec,
  notes: readonly string[],
): string {
  const rows = weighed.map(one => {
    const { how, gflops, row } = one.proposal;
    return [
      number(gflops / 1000),
      how === 'measured' ? 'measured' : 'expected',
      whereOf(row),
      number(row.gflops / 1000),
      one.legal ? 'yes' : 'no',
      keyOf(one, plain),
    ];
  });
  const head = ['TFLOP/s', 'how', 'nearest measurement', 'measured TFLOP/s', 'legal', 'kernel'];
  return [from.text, ...notes, ...(rows.length === 0 ? [] : ['', table([head, ...rows])])].join(
    '\n',
  );
}

const whereOf = ({ device: id, shape, layouts }: DispatchRow): string =>
  `${id} ${shapeText(shape)} ${layouts}`;
