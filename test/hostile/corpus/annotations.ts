/** Hostile `@gemm` comments in CUDA and WGSL, and texts of kernels that hold links. */
import { touch, type HostileFile, type Traps } from './entry';
import { annotation, cuda, wgsl, WGSL_ARGS, type AnnotationParts } from './kernels';
import { textPayloads } from './payloads';
import type { Draw } from './random';

type Place = readonly [name: string, put: (text: string) => AnnotationParts];

const PLACES: readonly Place[] = [
  ['grid', text => ({ grid: [text] })],
  ['dtype', text => ({ problem: { m: 32, n: 32, k: 32, a: { dtype: text } } })],
  ['field', text => ({ more: { [text]: 1 } })],
  ['block', text => ({ block: [text] })],
  ['args', text => ({ args: [text, 'b', 'c'] })],
  ['problem-field', text => ({ problem: { m: 32, n: 32, k: 32, [text]: 1 } })],
  ['device', text => ({ more: { device: text } })],
  ['algorithm', text => ({ more: { schedule: { algorithm: text } } })],
];

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

export function hostileAnnotations(traps: Traps, draw: Draw): readonly HostileFile[] {
  const count = textPayloads('', traps).length;
  return Array.from({ length: count * 2 }, (_, index): HostileFile => {
    const [name, put] = PLACES[index % PLACES.length] ?? draw.one(PLACES);
    const id = `annotation-${index}-${name}`;
    const parts = put(textPayloads(id, traps)[index % count] ?? '');
    const isCuda = index % 2 === 0 || draw.below(4) === 0;
    const content = isCuda
      ? cuda(annotation(parts))
      : wgsl(annotation({ args: WGSL_ARGS, ...parts }));
    const path = `kernels/${id}${isCuda ? '.cu' : '.wgsl'}`;
    return { id, category: 'annotations', path, content };
  });
}

/** Links and includes in the text of a kernel, outside of its annotation. */
export function hostileTexts(traps: Traps): readonly HostileFile[] {
  const count = textPayloads('', traps).length;
  const of = (id: string, ending: string, content: string): HostileFile => {
    return { id, category: 'texts', path: `texts/${id}${ending}`, content };
  };
  const commented = Array.from({ length: count }, (_, index) => {
    const id = `text-${index}`;
    const text = oneLine(textPayloads(id, traps)[index] ?? '');
    const head = `// ${text}\n${annotation()}`;
    return index % 2 === 0
      ? of(id, '.cu', `#define NAME "${text.replaceAll(/["\\]/g, '')}"\n${cuda(head)}`)
      : of(id, '.wgsl', wgsl(`// ${text}\n${annotation({ args: WGSL_ARGS })}`));
  });
  return [
    ...commented,
    of(
      'text-include',
      '.cu',
      cuda(`#include "/etc/passwd"\n#include "../../secret.h"\n${annotation()}`),
    ),
    of('text-torn', '.cu', cuda(`// @gemm {"grid":["[x](command:evil.canary)"`)),
    of(
      'text-pragma',
      '.cu',
      cuda(`#pragma message "$(${touch(traps, 'text-pragma')})"\n${annotation()}`),
    ),
    of('text-unicode-entry', '.cu', cuda(annotation(), 'ma\u0442rix_\u0456')),
    of('text-no-annotation', '.cu', cuda('')),
    of('text-binary', '.cu', '\u0000\u0001\uFFFD'.repeat(500)),
    of('text-long-line', '.cu', cuda(`// ${'z'.repeat(300_000)}\n${annotation()}`)),
    of(
      'text-many-kernels',
      '.cu',
      Array.from({ length: 60 }, (_, i) => cuda(annotation(), `k${i}`)).join('\n'),
    ),
  ];
}
