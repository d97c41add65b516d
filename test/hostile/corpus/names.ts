/** Hostile file names: of specs, of kernels and of folders. */
import type { HostileFile, Traps } from './entry';
import { annotation, cuda, SPEC, specText, wgsl, WGSL_ARGS } from './kernels';
import { namePayloads } from './payloads';

/** A spec that does not parse is named in an error. */
const TORN = '{"x":';

export function hostileNames(traps: Traps): readonly HostileFile[] {
  const count = namePayloads('', traps).length;
  const files = Array.from({ length: count }, (_, index): HostileFile[] => {
    const id = `name-${index}`;
    const made = (ending: string, content: string): HostileFile => {
      const name = namePayloads(`${id}${ending}`, traps)[index] ?? '';
      return { id: `${id}${ending}`, category: 'names', path: `${name}${ending}`, content };
    };
    const third = index % 3;
    return [
      made('.gemm.json', third === 0 ? specText(SPEC) : TORN),
      ...(third === 1 ? [made('.cu', cuda(annotation({ more: { 'x y': 1 } })))] : []),
      ...(third === 2 ? [made('.wgsl', wgsl(annotation({ args: WGSL_ARGS })))] : []),
    ];
  });
  const folder = (index: number): HostileFile => {
    const id = `folder-${index}`;
    const name = (namePayloads(id, traps)[index] ?? '').slice(0, 100);
    return { id, category: 'names', path: `f${name}/in.gemm.json`, content: TORN };
  };
  return [...files.flat(), ...[0, 1, 5, 8, 13, 14, 16].map(folder)];
}
