/** Conditions under which a kernel of an export supports a size, in the language of its project. */
import type { Kernel } from '../kernel/kernel';
import { upper } from '../kernel/ir/arguments';
import { sizeNeeds, workspaceParts, type WorkspacePart } from '../kernel/file/sizeNeeds';
import type { GridDim } from '../kernel/file/gridDims';
import { elementFactors, extrasOf, nameOf, matrixOrder, stepsOf } from './epilogue';
import { LEADING, memoryOrder, STRIDE } from './roles';
import type { GemmType } from './subject';

export interface Syntax {
  /** Prefix of an argument, such as `g.`. */
  readonly of: string;
  readonly equals: string;
  /** Division of an integer that rounds up. */
  readonly ceilDivide: (dividend: string, divisor: number) => string;
  /** Wraps the first factor of a product, so that the product cannot overflow. */
  readonly wide: (factor: string) => string;
  /** Condition on a pointer; undefined if buffers are always aligned. */
  readonly aligned?: (argument: string, bytes: number) => string;
}

/** Returns the conditions; the kernel supports a size if all of them hold. */
export function conditionsOf(kernel: Kernel, type: GemmType, syntax: Syntax): readonly string[] {
  const { of, equals, ceilDivide } = syntax;
  const { multiples, leastK, alignments, slices, narrow } = sizeNeeds(kernel);
  return [
    ...multiples.map(({ role, of: factor }) => `${of}${role} % ${factor} ${equals} 0`),
    ...(leastK === 1 ? [] : [`${of}k >= ${leastK}`]),
    ...(slices === undefined
      ? []
      : slices.isEven
        ? [`${ceilDivide(`${of}k`, slices.depth)} >= ${slices.count}`]
        : [`fillsSlices(${of}k, ${slices.depth}, ${slices.count})`]),
    ...(syntax.aligned === undefined
      ? []
      : Object.entries(alignments)
          .filter(([operand]) => operand !== 'workspace')
          .map(([operand, bytes]) => syntax.aligned?.(nameOf(type, operand), bytes) ?? '')),
    ...extrasOf(type).flatMap(extra =>
      extra.ld === undefined ? [] : [`${of}${matrixOrder(extra)[1]} <= ${extra.ld}`],
    ),
    ...narrow.flatMap(operand => {
      if (operand === 'workspace') {
        return workspaceParts(kernel).map(part => fits(elementsOf({ ...part, bytes: 1 }, syntax)));
      }
      if (operand !== 'a' && operand !== 'b' && operand !== 'c') {
        const extra = extrasOf(type).find(({ role }) => role === operand);
        if (extra === undefined) return [];
        const [first = '1', ...rest] = elementFactors(extra, type).map(factor =>
          typeof factor === 'number' ? String(factor) : `${of}${factor}`,
        );
        return [fits([syntax.wide(first), ...rest].join(' * '))];
      }
      const [across, along] = memoryOrder(type, operand);
      const matrix = `${syntax.wide(`(${of}${across} - 1)`)} * ${of}${LEADING[operand]} + ${of}${along}`;
      const batch = type.isBatched
        ? `${syntax.wide(`(${of}batch - 1)`)} * ${of}${STRIDE[operand]} + `
        : '';
      return [fits(`${batch}${matrix}`)];
    }),
  ];
}

const fits = (elements: string): string => `fits(${elements})`;

/** Returns the bytes of the workspace as an expression; undefined if the kernel needs none. */
export function workspaceExpression(kernel: Kernel, syntax: Syntax): string | undefined {
  const parts = workspaceParts(kernel).map(part => elementsOf(part, syntax));
  return parts.length === 0 ? undefined : parts.join(' + ');
}

function elementsOf(
  { bytes, count, extents, padded }: WorkspacePart,
  { of, ceilDivide, wide }: Syntax,
): string {
  return [
    wide(String(bytes * count)),
    ...extents.map(role => `${of}${role}`),
    ...(padded === undefined
      ? []
      : [`(${ceilDivide(`${of}${padded.role}`, padded.to)} * ${padded.to})`]),
  ].join(' * ');
}

/** Returns the dimensions of a grid as expressions. */
export const gridExpressions = (
  dims: readonly GridDim[],
  { of, ceilDivide }: Pick<Syntax, 'of' | 'ceilDivide'>,
): readonly string[] =>
  dims.map(({ side, per, times, batch }) => {
    const factors = [
      ...(side === undefined ? [] : [per === 1 ? `${of}${side}` : ceilDivide(`${of}${side}`, per)]),
      ...(times === 1 ? [] : [String(times)]),
      ...(batch ? [`${of}batch`] : []),
    ];
    return factors.length === 0 ? '1' : factors.join(' * ');
  });

/** Describes the sizes that a kernel supports. */
export function needsText(kernel: Kernel): string {
  const { multiples, leastK, alignments, slices, narrow } = sizeNeeds(kernel);
  const type = { epilogue: stepsOf(kernel.problem) };
  const aligned = Object.entries(alignments).filter(([operand]) => operand !== 'workspace');
  const groups = [...new Set(aligned.map(([, bytes]) => bytes))].map(bytes => {
    const names = aligned
      .filter(([, other]) => other === bytes)
      .map(([name]) => (name.length === 1 ? name.toUpperCase() : nameOf(type, name)));
    return `${names.join(', ')} aligned to ${bytes} bytes`;
  });
  const matrices = narrow.filter(operand => operand !== 'workspace');
  return [
    ...multiples.map(({ role, of }) => `${upper(role)} % ${of} == 0`),
    ...(leastK === 1 ? [] : [`K >= ${leastK}`]),
    ...(slices === undefined
      ? []
      : [`a k-iteration of ${slices.depth} for each of ${slices.count} K slices`]),
    ...extrasOf(type).flatMap(extra =>
      extra.ld === undefined ? [] : [`${upper(matrixOrder(extra)[1])} <= ${extra.ld}`],
    ),
    ...(kernel.target === 'cuda' ? groups : []),
    ...(matrices.length === 0 ? [] : ['fewer than 2^31 elements per matrix']),
  ].join('; ');
}
