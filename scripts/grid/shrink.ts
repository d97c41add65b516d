/** Shrinks a failing spec: omits fields and reduces numbers as long as the spec still fails. */
import { decodeSpec } from '../../src/core/spec/decode';
import type { GemmSpec } from '../../src/core/spec/schema';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function* simpler(value: unknown): Generator {
  if (typeof value === 'number' && Number.isInteger(value) && value > 1) {
    yield 1;
    if (value > 3) yield Math.ceil(value / 2);
    yield value - 1;
  }
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
    for (const changed of simpler(inner)) yield { ...value, [key]: changed };
  }
}

export async function shrink(
  spec: GemmSpec,
  fails: (spec: GemmSpec) => Promise<boolean>,
): Promise<GemmSpec> {
  for (const candidate of simpler(spec)) {
    const decoded = decodeSpec(candidate);
    if (decoded.ok && (await fails(decoded.spec))) return shrink(decoded.spec, fails);
  }
  return spec;
}
