/** Maps messages of the C++ compiler to lines of a kernel file. */
import { parseDiagnostics, type Diagnostic } from '../diagnostics';
import { printable } from '../text';
import { gpuOnlyPtx } from './inlinePtx';
import { kernelFileOf } from './program';

/** File name of the kernel. A kernel that is compiled separately is the first in its executable. */
const FILE = kernelFileOf(0);

/** Matches failed static assertions about the `// @gemm` annotation; see launch.h. */
const ANNOTATION = /static assertion failed(?: due to requirement .*?)?: "?@gemm: ([^"\n]+)"?/;

export const compileDiagnostics = (log: string, source: string): readonly Diagnostic[] =>
  parseDiagnostics(log, source, FILE).map(found => ({ ...found, source: 'C++' }));

export function compileMessage(
  log: string,
  source: string,
  diagnostics: readonly Diagnostic[],
): string {
  const mismatch = ANNOTATION.exec(log)?.[1];
  if (mismatch !== undefined) return `The // @gemm comment does not match the kernel: ${mismatch}.`;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const foreign = gpuOnlyPtx(source);
  if (foreign !== undefined && (first === undefined || first.message.includes('asm'))) {
    return `Line ${foreign.line} contains inline PTX (${printable(foreign.instruction, 80)}), which requires a GPU. Fix: use the cuda backend.`;
  }
  if (first === undefined) return `The C++ compiler failed: ${printable(log, 300)}`;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `Line ${first.line + 1}, column ${first.column + 1}: ${printable(first.message, 500)}${more}`;
}
