/** The command that continues with a shape. */
import type { ShapeResult } from './result';

/** Returns the file name of the spec of a shape; null without a kernel. */
export const specFileName = ({ specKey }: ShapeResult): string | null =>
  specKey === null ? null : `${specKey}.gemm.json`;

/**
 * Returns the command that continues with a shape, or null if there is nothing to do.
 *
 * @param path the path of the spec file, quoted for a shell if necessary
 */
export function nextCommand({ verdict }: ShapeResult, path: string): string | null {
  switch (verdict) {
    case 'replace':
      return `gemm-explorer export ${path} --to pytorch --out exported`;
    case 'keep':
      return `gemm-explorer tune ${path} --backend cuda`;
    case 'failed':
      return `gemm-explorer run ${path} --backend cuda`;
    case 'equal':
    case 'no-library':
    case 'unsupported':
    case 'not-measured':
    case 'predicted':
      return null;
  }
}
