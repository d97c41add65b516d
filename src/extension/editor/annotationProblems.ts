/** What is wrong with the `// @gemm` comments of a file, and where in them. Pure. */
import { readAnnotation, type AnnotationLine, type KernelText } from '../../core/source/kernelFile';
import { locate, syntaxErrorAt } from '../../core/spec/jsonText';

export interface AnnotationProblem {
  /** From 0. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  /** The kernel that the comment is about, if it is in the file. */
  readonly entry: string | undefined;
  /** Kernels that no comment describes, where this one names none of the file's. */
  readonly instead: readonly string[];
}

/** The problem of one comment; undefined for one that describes a kernel. */
export function annotationProblem(
  file: KernelText,
  line: AnnotationLine,
): AnnotationProblem | undefined {
  const read = readAnnotation(file, line);
  if (read.ok) return undefined;
  const { json, column } = line;
  const span = spanOf(json, read.path.replace(/^@gemm\.?/, ''));
  const isThere = file.kernels.some(({ entry }) => entry === line.entry);
  const described = new Set(file.annotations.map(({ entry }) => entry));
  const others = file.kernels.filter(({ entry }) => !described.has(entry));
  return {
    line: line.line,
    start: column + span.start,
    end: column + span.end,
    message: read.reason,
    entry: isThere ? line.entry : undefined,
    instead: read.path === '@gemm.entry' ? others.slice(0, 5).map(({ entry }) => entry) : [],
  };
}

/** The value at a path, or what comes nearest to it: all of the JSON at least. */
function spanOf(json: string, path: string): { readonly start: number; readonly end: number } {
  const wrong = syntaxErrorAt(json);
  if (wrong !== undefined) return { start: Math.min(wrong, json.length - 1), end: json.length };
  const { start, end } = locate(json, path);
  return start < end ? { start, end } : { start: 0, end: json.length };
}
