/** Errors in the `// @gemm` comments of a file, with their positions. */
import { readAnnotation, type AnnotationLine, type KernelText } from '../../core/source/kernelFile';
import { locate, syntaxErrorAt } from '../../core/spec/jsonText';

export interface AnnotationProblem {
  /** Zero-based line number. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  /** Name of the kernel that the comment annotates; undefined if the file does not contain it. */
  readonly entry: string | undefined;
  /**
   * At most five kernels without an annotation, as alternatives if the comment does not name a
   * kernel of the file.
   */
  readonly instead: readonly string[];
}

export function annotationProblem(
  file: KernelText,
  line: AnnotationLine,
): AnnotationProblem | undefined {
  const read = readAnnotation(file, line);
  if (read.ok) return undefined;
  const { json, column } = line;
  const span = spanOf(json, read.path.replace(/^@gemm\.?/, ''));
  const exists = file.kernels.some(({ entry }) => entry === line.entry);
  const described = new Set(file.annotations.map(({ entry }) => entry));
  const others = file.kernels.filter(({ entry }) => !described.has(entry));
  return {
    line: line.line,
    start: column + span.start,
    end: column + span.end,
    message: read.reason,
    entry: exists ? line.entry : undefined,
    instead: read.path === '@gemm.entry' ? others.slice(0, 5).map(({ entry }) => entry) : [],
  };
}

/**
 * Returns the span from a syntax error to the end of the JSON. Without a syntax error, returns the
 * span of the value at a path or of its nearest parent. The fallback is the whole JSON.
 */
function spanOf(json: string, path: string): { readonly start: number; readonly end: number } {
  const syntaxError = syntaxErrorAt(json);
  if (syntaxError !== undefined)
    return { start: Math.min(syntaxError, json.length - 1), end: json.length };
  const { start, end } = locate(json, path);
  return start < end ? { start, end } : { start: 0, end: json.length };
}
