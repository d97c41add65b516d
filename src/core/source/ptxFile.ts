/** Locates the kernels of a PTX file: every `.entry` directive with its parameter types. */
import { blanked, type Located } from './kernelSites';

export interface PtxKernel extends Located {
  /** Parameter types in order, such as `u64`, `f32`, or `b8[128]` for a struct by value. */
  readonly parameters: readonly string[];
}

const ENTRY =
  /^[ \t]*(?:\.(?:visible|extern|weak)[ \t]+)?\.entry[ \t]+([\w$]+)\s*(?:\(([^)]*)\))?/gm;
const PARAMETER = /\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]\d+)\b[^[]*(\[\d+\])?/;

/** Returns the kernels in order. Never throws. */
export function locatePtxKernels(text: string): readonly PtxKernel[] {
  const code = blanked(text);
  let line = 0;
  let counted = 0;
  return [...code.matchAll(ENTRY)].map(match => {
    const [whole, entry = '', list = ''] = match;
    line += code.slice(counted, match.index).split('\n').length - 1;
    counted = match.index;
    const nameAt = match.index + whole.indexOf(entry, whole.indexOf('.entry') + 6);
    const parameters = list.split(',').flatMap(parameter => {
      const [, type, length = ''] = PARAMETER.exec(parameter) ?? [];
      return type === undefined ? [] : [type + length];
    });
    return { entry, line, target: 'cuda', start: match.index, nameAt, parameters };
  });
}

/** Returns the architecture of the `.target` directive, such as `sm_90a`; undefined without it. */
export const ptxTarget = (text: string): string | undefined =>
  /^\s*\.target\s+(sm_\d{2,3}[af]?)\b/m.exec(blanked(text))?.[1];
