/**
 * JSON Schema of `*.gemm.json`. It is generated from the schema of the decoder and adds
 * descriptions for editors.
 */
import { toJsonSchema } from '@valibot/to-json-schema';
import { devices } from '../hardware/devices';
import { DTYPES } from '../types/dtype';
import { ALGORITHMS, LAYOUTS, SHARINGS, SPLIT_K_REDUCTIONS, specSchema, VARIANTS } from './schema';
import {
  ALGORITHM_TEXTS,
  DTYPE_TEXTS,
  LAYOUT_TEXTS,
  SHARING_TEXTS,
  SPLIT_K_TEXTS,
  VARIANT_TEXTS,
} from './choiceTexts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Descriptions of enumeration values. They apply to every field that allows exactly these values.
 */
const ENUMERATIONS: readonly (readonly [values: readonly string[], words: Json])[] = [
  [ALGORITHMS, ALGORITHM_TEXTS],
  [VARIANTS, VARIANT_TEXTS],
  [SHARINGS, SHARING_TEXTS],
  [DTYPES, DTYPE_TEXTS],
  [LAYOUTS, LAYOUT_TEXTS],
  [SPLIT_K_REDUCTIONS, SPLIT_K_TEXTS],
];

const SNIPPETS = [
  {
    label: 'GEMM',
    description: 'Square f32 GEMM with the best known schedule for the device',
    body: { version: 1, problem: { m: '^${1:1024}', n: '^${2:1024}', k: '^${3:1024}' } },
  },
  {
    label: 'GEMM with tiles',
    description: 'Spec with all tile dimensions to edit',
    body: {
      version: 1,
      problem: { m: '^${1:1024}', n: '^${2:1024}', k: '^${3:1024}' },
      schedule: {
        algorithm: 'thread-tile-2d',
        block: { m: '^${4:64}', n: '^${5:64}', k: '^${6:8}' },
        thread: { m: '^${7:4}', n: '^${8:4}' },
      },
    },
  },
];

export function specJsonSchema(): object {
  const schema = toJsonSchema(specSchema, { errorMode: 'ignore' });
  // The decoder also accepts device names that are similar to a table entry.
  const ids = {
    enum: devices.map(({ id }) => id),
    enumDescriptions: devices.map(({ name }) => name),
  };
  const device = {
    ...(schema.properties?.['device'] as object),
    anyOf: [ids, { type: 'string' }],
  };
  return {
    title: 'GEMM Explorer spec',
    ...(withDescriptions(schema) as object),
    properties: { ...(withDescriptions(schema.properties) as object), device },
    defaultSnippets: SNIPPETS,
  };
}

function withDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const inside = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withDescriptions(child)]),
  );
  const values: unknown = inside['enum'];
  if (!Array.isArray(values)) return inside;
  const found = ENUMERATIONS.find(([known]) => known.join() === values.join());
  if (found === undefined) return inside;
  return { ...inside, enumDescriptions: values.map(name => found[1][String(name)]) };
}
