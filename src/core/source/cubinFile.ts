/** Reads a cubin and its side file `NAME.cubin.json`, which has the annotations of its kernels. */
import { compiledText, type KernelText } from './kernelFile';

/** Path of the side file of a cubin. */
export const sideFileOf = (cubin: string): string => `${cubin}.json`;

export interface CubinFile {
  readonly fileName: string;
  /** Absolute path. */
  readonly path: string;
  /** SHA-256 of the file, which identifies the kernel in measurements. */
  readonly hash: string;
  /** Symbol names of the kernels. */
  readonly symbols: readonly string[];
  /** Text of the side file: an annotation, or an array of annotations. Undefined without it. */
  readonly side: string | undefined;
}

/** Returns the kernels and their annotations; `readKernel` reports errors. */
export function parseCubin({ fileName, path, hash, symbols, side }: CubinFile): KernelText {
  const text = `// ${fileName}, SHA-256 ${hash}\n`;
  return compiledText({ fileName, text, symbols }, side === undefined ? [] : annotations(side), {
    kind: 'cubin',
    path,
  });
}

/** Returns one line of JSON per annotation. Invalid JSON is returned as it is. */
function annotations(side: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(side);
    return (Array.isArray(value) ? value : [value]).map(one => JSON.stringify(one));
  } catch {
    return [side.replace(/\s+/g, ' ').trim()];
  }
}
