/** Proposes the annotation of a kernel file, and inserts it. */
import { basename } from 'node:path';
import {
  annotationOfAnswers,
  commentOf,
  declarationLine,
  fixedAnswers,
} from '../core/source/annotationDraft';
import { inferAnnotation, type InferredAnnotation } from '../core/source/inferAnnotation';
import {
  annotationOf,
  parseKernelText,
  readKernel,
  type KernelText,
} from '../core/source/kernelFile';
import { locatePtxKernels } from '../core/source/ptxFile';
import { applyOverrides } from '../core/spec/decode';
import { cubinText, isCubin } from './foreign';
import { readText } from './input';
import { invalidInput } from './result';

/** Problem size if the source does not determine it. */
const USUAL_SIZE = 4096;

export interface Unknown {
  readonly name: string;
  /** Sentence with the reason and the remedy. */
  readonly next: string;
}

export interface Proposal {
  readonly entry: string;
  /** Names and roles of the parameters; the role is null if it is not known. */
  readonly parameters: readonly { readonly name: string; readonly role: unknown }[];
  readonly annotation: object;
  readonly unknown: readonly Unknown[];
  /** Values that the source does not determine. */
  readonly assumed: readonly string[];
  /** Whether the file already describes the kernel. */
  readonly isAnnotated: boolean;
  /** Annotated file, or the side file of a cubin. */
  readonly text: string;
  /** Error of the annotated file; absent if the kernel can be run. */
  readonly problem?: { readonly path: string; readonly message: string };
}

/**
 * Proposes an annotation for the kernel `wanted`, by default the first kernel without one.
 * @param set assignments that override the proposal, such as `problem.m=512` or `block=[128]`
 */
export async function propose(
  path: string,
  wanted: string | undefined,
  set: readonly string[],
): Promise<Proposal> {
  const original = isCubin(path) ? '' : await readText(path);
  const parse = async (text: string): Promise<KernelText> =>
    isCubin(path) ? await cubinText(path, text) : parseKernelText(text, basename(path));
  const file = isCubin(path) ? await cubinText(path) : await parse(original);
  const name = wanted?.replace(/<.*$/s, '');
  const kernel =
    name === undefined
      ? (file.kernels.find(({ entry }) => annotationOf(file, entry) === undefined) ??
        file.kernels[0])
      : file.kernels.find(({ entry }) => entry === name);
  if (kernel === undefined) {
    const list = file.kernels.map(({ entry }) => entry).join(', ');
    throw invalidInput(
      name === undefined
        ? `${path} has no kernel. Fix: pass a file with a __global__ or @compute function.`
        : `${path} has no kernel ${name}. Fix: choose one of ${list === '' ? 'none' : list}.`,
    );
  }
  const draft = draftOf(file, kernel.entry, wanted === name ? undefined : wanted);
  const overridden = applyOverrides(draft.annotation, set);
  if (!overridden.ok) throw invalidInput('--set cannot be applied:', overridden.errors);
  const annotation = overridden.value as object;
  const unknown = draft.unknown.filter(({ name: field }) => !isSet(set, field));
  const text = isCubin(path)
    ? `${JSON.stringify(annotation, null, 2)}\n`
    : annotated(original, file, kernel.entry, commentOf(annotation));
  const read = readKernel(await parse(text), kernel.entry);
  return {
    entry: kernel.entry,
    parameters: draft.parameters,
    annotation,
    unknown,
    assumed: draft.assumed.filter(({ field }) => !isSet(set, field)).map(({ text: why }) => why),
    isAnnotated: annotationOf(file, kernel.entry) !== undefined,
    text,
    ...(read.ok || unknown.length > 0
      ? {}
      : { problem: { path: read.path, message: read.reason } }),
  };
}

export interface ProposedComment extends Pick<Proposal, 'unknown' | 'assumed'> {
  readonly comment: string;
}

/**
 * Proposes the comment of the first kernel in a text without annotations. Returns undefined if the
 * text has an annotation or no kernel.
 */
export function proposedComment(text: string, fileName: string): ProposedComment | undefined {
  const file = parseKernelText(text, fileName);
  const [kernel] = file.kernels;
  if (kernel === undefined || file.annotations.length > 0) return undefined;
  const { annotation, unknown, assumed } = draftOf(file, kernel.entry, undefined);
  return { comment: commentOf(annotation), unknown, assumed: assumed.map(({ text: why }) => why) };
}

/** Tests whether an assignment gives a value to a field or to a part of it. */
const isSet = (set: readonly string[], field: string): boolean =>
  set.some(assignment => `${assignment.split('=')[0] ?? ''}.`.startsWith(`${field}.`));

interface Draft extends Pick<Proposal, 'annotation' | 'parameters' | 'unknown'> {
  readonly assumed: readonly { readonly field: string; readonly text: string }[];
}

function draftOf(file: KernelText, entry: string, instance: string | undefined): Draft {
  if (file.foreign !== undefined) return compiledDraft(file, entry);
  const guess = inferAnnotation(file.text, entry, file.target, instance);
  if (guess === undefined) throw new Error(`the file has a kernel ${entry}`);
  const { parameters, args, block, grid, dtype, layouts } = guess;
  const { m = USUAL_SIZE, n = USUAL_SIZE, k = USUAL_SIZE } = guess.sizes;
  const known = { sizes: { m, n, k }, dtype: dtype ?? 'f32', layouts, block: block ?? [], grid };
  const roles = args.map(role => role ?? ('?' as 'a'));
  const fixed = fixedAnswers(guess, file.kernels.length);
  return {
    annotation: annotationOfAnswers({ ...known, args: roles, ...fixed }),
    parameters: parameters.map((name, index) => ({ name, role: args[index] ?? null })),
    unknown: unknownOf(guess),
    assumed: assumedOf(guess),
  };
}

function unknownOf({ parameters, args, block, template, entry }: InferredAnnotation): Unknown[] {
  const roles = parameters.filter((_, index) => args[index] === undefined);
  const values = template.filter(({ value }) => value === undefined).map(({ name }) => name);
  return [
    ...(roles.length === 0
      ? []
      : [
          {
            name: 'args',
            next: `The meaning of ${roles.join(', ')} is not known. Fix: state the role of every parameter, such as --set 'args=["a","b","c","m","n","k"]'.`,
          },
        ]),
    ...(block === undefined
      ? [
          {
            name: 'block',
            next: "The threads per block are not known. Fix: state them, such as --set 'block=[16,16]'.",
          },
        ]
      : []),
    ...(values.length === 0
      ? []
      : [
          {
            name: 'entry',
            next: `The template arguments ${values.join(', ')} are not known. Fix: name the instance, such as --entry '${entry}<128, 8>'.`,
          },
        ]),
  ];
}

function assumedOf({ sizes, template, readsC, dtype }: InferredAnnotation): Draft['assumed'] {
  const missing = (['m', 'n', 'k'] as const).filter(name => sizes[name] === undefined);
  const usual = template.filter(({ from }) => from === 'usual');
  return [
    ...(missing.length === 0
      ? []
      : [
          {
            field: 'problem',
            text: `${missing.map(name => `problem.${name}`).join(', ')} = ${USUAL_SIZE}: the file does not state the size.`,
          },
        ]),
    ...(usual.length === 0
      ? []
      : [
          {
            field: 'entry',
            text: `Template arguments are usual values, which the file does not state: ${usual.map(({ name, value = '?' }) => `${name} = ${value}`).join(', ')}.`,
          },
        ]),
    ...(readsC
      ? [
          {
            field: 'problem.beta',
            text: 'problem.beta = 1: the kernel reads C for any beta. A spec that it is compared with needs the same beta.',
          },
        ]
      : []),
    ...(dtype === undefined
      ? [{ field: 'problem.a', text: 'f32: the element type is not known.' }]
      : []),
  ];
}

/** Returns the fields that a compiled kernel needs; PTX states the types of its parameters. */
function compiledDraft({ text, kernels }: KernelText, entry: string): Draft {
  const types = locatePtxKernels(text).find(kernel => kernel.entry === entry)?.parameters ?? [];
  const listed = types.length === 0 ? '' : ` Its parameters have the types ${types.join(', ')}.`;
  const size = USUAL_SIZE;
  return {
    annotation: {
      ...(kernels.length > 1 ? { entry } : {}),
      problem: { m: size, n: size, k: size },
      grid: ['?'],
      block: [],
      args: types.map(() => '?'),
    },
    parameters: types.map(name => ({ name, role: null })),
    unknown: [
      {
        name: 'args',
        next: `A compiled kernel does not state its arguments.${listed} Fix: state their roles, such as --set 'args=["a","b","c","m","n","k"]'.`,
      },
      {
        name: 'block',
        next: "The threads per block are not known. Fix: state them, such as --set 'block=[16,16]'.",
      },
      {
        name: 'grid',
        next: `The grid is not known. Fix: state it, such as --set 'grid=["ceil(n / 16)","ceil(m / 16)"]'.`,
      },
    ],
    assumed: [{ field: 'problem', text: `problem: ${size} x ${size} x ${size} in f32.` }],
  };
}

/**
 * Inserts the comment above the declaration, in place of the annotations of the kernel. Keeps the
 * line endings of the file.
 */
function annotated(original: string, file: KernelText, entry: string, comment: string): string {
  const old = new Set(
    file.annotations.filter(({ entry: of }) => of === entry).map(({ line }) => line),
  );
  const kernel = file.kernels.find(site => site.entry === entry);
  const at = declarationLine(file.text.split('\n'), kernel?.line ?? 0);
  const lines = original.split('\n');
  const inserted = lines[at]?.endsWith('\r') === true ? `${comment}\r` : comment;
  return lines
    .flatMap((line, index) => [
      ...(index === at ? [inserted] : []),
      ...(old.has(index) ? [] : [line]),
    ])
    .join('\n');
}
