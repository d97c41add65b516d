/** Lists the annotations of a PTX or Python file, where its kernels can be run. */
import { parseKernelText } from './kernelFile';
import { PYTHON_ANNOTATION } from './pythonFile';

export interface ForeignPlace {
  /** Line of the annotation, counted from 0. */
  readonly line: number;
  /** Kernel of a PTX file; undefined for a Python file, which has one function. */
  readonly entry?: string | undefined;
}

export function foreignPlaces(text: string, fileName: string): readonly ForeignPlace[] {
  if (!/\.py$/i.test(fileName)) {
    return parseKernelText(text, fileName).annotations.map(({ line, entry }) => ({ line, entry }));
  }
  const line = text.split('\n').findIndex(each => PYTHON_ANNOTATION.test(each));
  return line < 0 ? [] : [{ line }];
}
