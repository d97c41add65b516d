/** Tool that generates the kernels of a spec, as text or as files. */
import path from 'node:path';
import * as v from 'valibot';
import { TARGETS } from '../../../core/spec/schema';
import type { Kernel } from '../../../core/kernel/kernel';
import { lexical } from '../../../host/confined';
import { kernelsOf } from '../../kernel';
import { launchFacts } from '../../launchFacts';
import { writeKernels } from '../../writeKernels';
import { outArgument, specArguments } from '../arguments';
import { notAllowed, type ServerSettings } from '../settings';
import { specOf } from '../subject';
import { tool } from '../tool';

/** Maximum number of characters of source in one answer, about 2,500 tokens. */
const MAX_CHARACTERS = 8000;

const integer = (description: string, least: number, most: number, otherwise: number) =>
  v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(least),
      v.maxValue(most),
      v.description(description),
    ),
    otherwise,
  );

const extents = v.array(v.number());

export const generateKernel = tool({
  name: 'generate_kernel',
  title: 'Generate kernels',
  description:
    'Generates the CUDA and WGSL source of a spec. With out, writes complete files and omits the source; without out, returns at most 8,000 characters of each kernel from offset on.',
  effects: 'may-run',
  destructive: true,
  input: v.strictObject({
    ...specArguments,
    out: outArgument,
    replace: v.optional(
      v.pipe(v.boolean(), v.description('Replace files that were edited; default: false.')),
    ),
    offset: integer('First character of the returned source; default 0.', 0, 10_000_000, 0),
    maxCharacters: integer(
      'Maximum number of characters of source per kernel; 0 for none; default 8000.',
      0,
      100_000,
      MAX_CHARACTERS,
    ),
  }),
  output: v.object({
    kernels: v.array(
      v.object({
        target: v.picklist(TARGETS),
        specKey: v.string(),
        path: v.pipe(v.string(), v.description('Written file, or the usual name of the file.')),
        written: v.boolean(),
        entry: v.string(),
        grid: extents,
        block: extents,
        sharedBytes: v.number(),
        workspaceBytes: v.number(),
        bindings: v.array(v.unknown()),
        characters: v.number(),
        source: v.optional(v.string()),
        nextOffset: v.optional(v.number()),
      }),
    ),
  }),
  run: async (given, call) => {
    const { out, replace = false, offset, maxCharacters, ...named } = given;
    const { input } = await specOf(named, call);
    const kernels = kernelsOf(input);
    if (out !== undefined) await write(kernels, { out, replace, settings: call.settings });
    const shown = out === undefined ? maxCharacters : 0;
    const value = kernels.map(kernel => {
      const { source } = kernel;
      const end = Math.min(source.length, offset + shown);
      return {
        ...launchFacts(
          kernel,
          out === undefined ? kernel.fileName : path.join(out, kernel.fileName),
        ),
        grid: [...launchFacts(kernel, '').grid],
        block: [...launchFacts(kernel, '').block],
        bindings: [...kernel.arguments],
        written: out !== undefined,
        characters: source.length,
        ...(shown === 0 ? {} : { source: source.slice(offset, end) }),
        ...(shown > 0 && end < source.length ? { nextOffset: end } : {}),
      };
    });
    const text = value.map(one =>
      [
        `${one.written ? 'Written: ' : ''}${one.path}: ${one.target} kernel ${one.entry}, grid ${one.grid.join('x')}, block ${one.block.join('x')}, ${one.sharedBytes} B shared memory, ${one.workspaceBytes} B workspace, ${one.characters} characters`,
        ...(one.source === undefined ? [] : [one.source]),
        ...(one.nextOffset === undefined
          ? []
          : [`Continue with offset ${one.nextOffset}, or write files with out.`]),
      ].join('\n'),
    );
    return { value: { kernels: value }, text: text.join('\n\n') };
  },
});

async function write(
  kernels: readonly Kernel[],
  {
    out,
    replace,
    settings: { root, allowRun },
  }: { readonly out: string; readonly replace: boolean; readonly settings: ServerSettings },
): Promise<void> {
  if (!allowRun) throw notAllowed('Writing files (out)');
  const folder = path.relative(root, lexical(root, out));
  await writeKernels(
    kernels.map(({ fileName: name, source: text }) => ({ root, folder, name, text, replace })),
  );
}
