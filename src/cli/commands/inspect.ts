/**
 * `inspect SPEC|FILE`: reports the compiled instructions of each kernel, compared with the model.
 */
import type { LoopComparison } from '../../core/profile/listing/compare';
import { inspect, type Inspected, type Inspection } from '../../core/profile/listing/inspect';
import { notCompiled as kernelsLeft } from '../../core/source/notCompiled';
import type { CompileOptions } from '../../host/nvcc';
import { ptxOf, type Ptx } from '../../host/ptx';
import { findDisassembler, sassOf } from '../../host/sass';
import { findNvcc } from '../../host/toolchain';
import { command, device, set, specOrFileArgument, target, type Context } from '../command';
import { EXIT, missingPrerequisite } from '../result';
import { arch, archOf, notCompiled, subjectOf, type Subject } from '../subject';
import { number, percent, quantity, table, type Cell } from '../table';

export const inspectCommand = command({
  name: 'inspect',
  description: 'Report the compiled instruction mix and main loop, compared with the model',
  args: {
    spec: specOrFileArgument,
    arch,
    sass: {
      type: 'boolean',
      description: 'Inspect SASS instead of PTX (requires nvdisasm or cuobjdump)',
    },
    text: { type: 'boolean', description: 'Print the PTX or SASS listing instead of the report' },
    set,
    device,
    target,
  },
  run: async (options, context) => {
    const subject = await subjectOf(options.spec, options, context);
    const arch = archOf(options.arch, subject);
    const language = options.sass === true ? 'sass' : 'ptx';
    const { made, compiler } = await listingOf(subject, arch, language, context);
    if (!made.ok) throw notCompiled(made);
    const inspection = inspect({
      source: subject.source,
      listing: made.text,
      language,
      compiler,
      arch: arch,
      runnable: subject.launch,
    });
    const names = inspection.kernels.map(({ entry }) => entry);
    for (const why of made.unread) context.note(why);
    for (const { why } of kernelsLeft(subject.text ?? '', names)) context.note(why);
    return {
      exit: EXIT.yes,
      json: { ...inspection, resources: made.kernels },
      text: options.text === true ? made.text : describe(inspection),
    };
  },
});

async function listingOf(
  { source, name }: Subject,
  arch: string,
  language: 'ptx' | 'sass',
  { abort, note }: Context,
): Promise<{ readonly made: Ptx; readonly compiler: string }> {
  const found = await findNvcc();
  if (!found.ok) throw missingPrerequisite(`${found.why} ${found.next}`);
  const { nvcc } = found;
  const compiler = `nvcc ${nvcc.build}`;
  const compileOptions: CompileOptions = { nvcc, arch: arch, signal: abort };
  note(`${compiler}: ${name} for ${arch}`);
  if (language === 'ptx') return { made: await ptxOf(source, compileOptions), compiler };
  const tool = findDisassembler(nvcc);
  if (!tool.ok) throw missingPrerequisite(`${tool.why} ${tool.next}`);
  return { made: await sassOf(source, tool.disassembler, compileOptions), compiler };
}

const describe = ({ kernels, language, compiler, arch: arch }: Inspection): string =>
  kernels.length === 0
    ? `The listing contains no kernel (${compiler}, ${arch}).`
    : kernels
        .map(kernel =>
          [
            `${kernel.entry}: ${language.toUpperCase()} of ${compiler} for ${arch}`,
            ...mixLines(kernel),
            ...loopLines(kernel),
            ...kernel.limits,
          ].join('\n'),
        )
        .join('\n\n');

function mixLines({ mix }: Inspected): readonly string[] {
  const rows = Object.entries(mix.counts).map(([kind, count]) => [
    kind,
    count,
    percent(count / mix.total),
    widths(mix.accesses.filter(access => access.kind === kind)),
  ]);
  return [table([['whole kernel', mix.total, '', ''], ...rows])];
}

const widths = (accesses: Inspected['mix']['accesses']): string =>
  accesses.map(({ widthBytes, count }) => `${count} x ${widthBytes ?? '?'} B`).join(', ');

function loopLines({ loop, comparison, mix }: Inspected): readonly string[] {
  if (loop === null) return [];
  const figures = [
    ['FMAs per shared load', loop.fmaPerSharedLoad],
    ['shared bytes per FMA', loop.sharedBytesPerFma],
    ['global bytes per FMA', loop.globalBytesPerFma],
  ] as const;
  const facts: Cell[][] = [
    ['main loop', `lines ${loop.first + 1} to ${loop.last + 1}, nesting depth ${loop.depth}`],
    [
      'instructions',
      `${loop.mix.total} of ${mix.total} in the kernel, ${loop.conditional} predicated`,
    ],
    ['FMA share', percent((loop.mix.counts.fma ?? 0) / loop.mix.total)],
    ...figures.flatMap(([name, of]) =>
      of === undefined ? [] : [[name, `${quantity(of.value, of.unit)} (${of.from})`]],
    ),
  ];
  return [table(facts), ...(comparison === null ? [] : [comparisonTable(comparison)])];
}

const comparisonTable = ({ rows, unrolled }: LoopComparison): string =>
  table([
    ['per iteration', 'compiled', 'model', 'compiled B', 'model B', 'why'],
    ...rows.map(({ kind, compiled, model, compiledBytes, modelBytes, why }) => [
      kind,
      compiled,
      model,
      compiledBytes,
      modelBytes,
      why,
    ]),
    ...(unrolled === 1 ? [] : [[`unrolled ${number(unrolled)} times`]]),
  ]);
