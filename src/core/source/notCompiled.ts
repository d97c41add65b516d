/**
 * Lists kernels of a CUDA source file that are missing in the compiler's output: uninstantiated
 * templates, and kernels under a false condition.
 */
import { t } from '@vscode/l10n';
import { splitAtCommas } from './annotationSchema';
import { guessAnnotation } from './annotationGuess';
import { locateKernels, type Located } from './kernelSites';
import { constantsOf, type Constants } from './sourceConstants';

export interface NotCompiled {
  readonly entry: string;
  /** Line number, counted from 0. */
  readonly line: number;
  readonly why: string;
}

/**
 * Finds kernels that were not compiled. `compiled` contains the plain names of the kernels that the
 * compiler emitted for this source.
 */
export function notCompiled(text: string, compiled: readonly string[]): readonly NotCompiled[] {
  return locateKernels(text, 'cuda')
    .filter(({ entry }) => !compiled.includes(entry))
    .map(site => ({ entry: site.entry, line: site.line, why: whyNot(text, site) }));
}

function whyNot(text: string, site: Located): string {
  const { entry } = site;
  const parameters = templateParameters(text, site);
  if (parameters === undefined) {
    return t(
      '{0} was not compiled: a preprocessor condition excludes it, or it is static and unused.',
      entry,
    );
  }
  const instance = `${entry}<${argumentsOf(parameters, constantsOf(text)).join(', ')}>`;
  return t(
    'Template {0} is never instantiated, so there is nothing to compile. Fix: add an explicit instantiation below it, such as {1}',
    `${entry}<${parameters.join(', ')}>`,
    `template __global__ void ${instance}(${typesOf(text, site).join(', ')});`,
  );
}

/** Returns the template parameters of a kernel; undefined if it is not a template. */
function templateParameters(text: string, { start }: Located): readonly string[] | undefined {
  const before = text.slice(Math.max(0, start - 1000), start);
  const head = /template\s*<([^;{}]*)>\s*(?:static\s+|extern\s+|inline\s+)*$/.exec(before)?.[1];
  if (head === undefined) return undefined;
  return splitAtCommas(head.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ')).map(parameter =>
    parameter.replace(/\s+/g, ' ').trim(),
  );
}

/** Usual tile extents, for template parameters without a default. */
const USUAL: Readonly<Record<string, number>> = {
  BM: 128,
  BN: 128,
  BK: 8,
  TM: 8,
  TN: 8,
  WM: 64,
  WN: 32,
  BLOCKSIZE: 32,
  BLOCK_SIZE: 32,
  TILE: 32,
  TILE_SIZE: 32,
  TILE_WIDTH: 32,
  NUM_THREADS: 256,
};

const argumentsOf = (parameters: readonly string[], constants: Constants): readonly string[] =>
  parameters.map(parameter => {
    const [declared = '', given] = parameter.split('=').map(part => part.trim());
    if (given !== undefined) return given;
    if (/\b(?:typename|class)\b/.test(declared)) return 'float';
    if (/\bbool\b/.test(declared)) return 'true';
    const name = /(\w+)$/.exec(declared)?.[1] ?? '';
    return String(constants[name] ?? USUAL[name.toUpperCase()] ?? 32);
  });

/** Returns the parameter types without names; type parameters are replaced by `float`. */
function typesOf(text: string, site: Located): readonly string[] {
  const { entry, nameAt } = site;
  const open = text.indexOf('(', nameAt + entry.length);
  const names = guessAnnotation(text, entry, 'cuda')?.parameters ?? [];
  let [depth, end] = [0, open];
  for (; end < text.length; end++) {
    depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
    if (depth === 0) break;
  }
  const own = templateParameters(text, site) ?? [];
  const types = own.flatMap(parameter => /\b(?:typename|class)\s+(\w+)/.exec(parameter)?.[1] ?? []);
  return splitAtCommas(text.slice(open + 1, end))
    .filter(part => part !== '' && part !== 'void')
    .map((part, i) =>
      part
        .replace(/\s*=.*$/s, '')
        .replace(
          new RegExp(`\\b${names[i] ?? ''}\\s*(\\[[^\\]]*\\])?\\s*$`),
          (_, extent?: string) => (extent === undefined ? '' : '*'),
        )
        .replace(/\b__restrict__\b/g, '')
        .replace(/\w+/g, word => (types.includes(word) ? 'float' : word))
        .replace(/\s+/g, ' ')
        .trim(),
    );
}
