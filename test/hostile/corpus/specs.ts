/** Hostile specs: unknown fields, values, keys of prototypes, duplicates, depth and size. */
import type { HostileFile, Traps } from './entry';
import { SPEC, specText } from './kernels';
import { textPayloads } from './payloads';
import type { Draw } from './random';

type Place = readonly [name: string, put: (text: string) => unknown];

const SCHEDULE = {
  algorithm: 'thread-tile-2d',
  block: { m: 32, n: 32, k: 8 },
  thread: { m: 4, n: 4 },
};
const problem = (more: object): object => ({ ...SPEC, problem: { ...SPEC.problem, ...more } });

/** Where a text is put into a spec. */
const PLACES: readonly Place[] = [
  ['field', text => ({ ...SPEC, [text]: 1 })],
  ['problem-field', text => problem({ [text]: 1 })],
  ['schedule-field', text => ({ ...SPEC, schedule: { ...SCHEDULE, [text]: 1 } })],
  ['dtype', text => problem({ a: { dtype: text } })],
  ['layout', text => problem({ b: { layout: text } })],
  ['device', text => ({ ...SPEC, device: text })],
  ['target', text => ({ ...SPEC, targets: [text] })],
  ['algorithm', text => ({ ...SPEC, schedule: { ...SCHEDULE, algorithm: text } })],
  ['variant', text => ({ ...SPEC, schedule: { algorithm: 'coalesced', variant: text } })],
  [
    'thread-layout',
    text => ({
      ...SPEC,
      schedule: { ...SCHEDULE, algorithm: 'layout', threadLayout: { a: text } },
    }),
  ],
  ['size', text => problem({ m: text })],
  ['version', text => ({ ...SPEC, version: text })],
  ['schema', text => ({ $schema: text, ...SPEC })],
];

export function hostileSpecs(traps: Traps, draw: Draw): readonly HostileFile[] {
  const count = textPayloads('', traps).length;
  const of = (id: string, content: string): HostileFile => {
    return { id, category: 'specs', path: `specs/${id}.gemm.json`, content };
  };
  const placed = Array.from({ length: count * 2 }, (_, index) => {
    const [name, put] = PLACES[index % PLACES.length] ?? draw.one(PLACES);
    const id = `spec-${index}-${name}`;
    const text = textPayloads(id, traps)[index % count] ?? '';
    return of(id, specText(put(text)));
  });
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const made: readonly (readonly [id: string, content: string])[] = [
    ['schema-remote', specText({ $schema: `http://${traps.authority}/schema-remote`, ...SPEC })],
    [
      'proto',
      '{"version":1,"__proto__":{"m":1},"constructor":{"prototype":{"evil":1}},"problem":{"m":8,"n":8,"k":8}}',
    ],
    ['duplicates', '{"version":1,"problem":{"m":64,"m":128,"n":64,"k":64},"problem":{"m":1}}'],
    ['deep', nested(5_000)],
    ['deep-array', `{"problem":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['numbers', '{"version":1,"problem":{"m":1e308,"n":-9007199254740993,"k":0.1}}'],
    ['large-sizes', specText(problem({ m: 2 ** 31, n: 2 ** 31, k: 2 ** 31 }))],
    ['long-string', specText(problem({ m: 'x'.repeat(200_000) }))],
    ['large', specText({ ...SPEC, pad: 'y'.repeat(1_100_000) })],
    [
      'many-fields',
      specText({
        ...SPEC,
        ...Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`f${i}`, i])),
      }),
    ],
    ['bom-crlf', `\uFEFF${specText(SPEC).replaceAll('\n', '\r\n')}`],
    ['nul', '{"version":1,\u0000"problem":{}}'],
    ['empty', ''],
    ['not-json', `<html><img src="http://${traps.authority}/not-json"></html>`],
  ];
  return [...placed, ...made.map(([id, content]) => of(`spec-${id}`, content))];
}
