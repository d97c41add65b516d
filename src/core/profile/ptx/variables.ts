/** Reads the variables that a PTX module declares: kernel parameters and shared arrays. */
import type { Listing } from '../listing/instruction';

export interface SharedVariable {
  readonly symbol: string;
  readonly name: string;
  /** Byte offset in the block's shared memory, assuming that arrays are in declaration order. */
  readonly start: number;
  readonly bytes: number;
}

export interface Parameter {
  readonly symbol: string;
  /** PTX type; undefined for a structure. */
  readonly type: string | undefined;
}

const SHARED =
  /^\s*(?:\.(?:visible|weak|extern|common)\s+)*\.shared\s+(?:\.align\s+(\d+)\s+)?\.[busf](8|16|32|64|128)\s+([\w$]+)((?:\[\d*\])*)/;
const PARAMETER = /^\s*\.param\s+(?:\.align\s+\d+\s+)?\.([busf]\d+)\s+([\w$]+)(\[\d+\])?/;

/** Returns the shared arrays of the module. Dynamic shared memory follows the static arrays. */
export function sharedVariables(text: string, dynamicBytes: number): readonly SharedVariable[] {
  const found: SharedVariable[] = [];
  const dynamic: { readonly symbol: string; readonly align: number }[] = [];
  let end = 0;
  const put = (symbol: string, align: number, bytes: number): void => {
    const start = Math.ceil(end / align) * align;
    found.push({ symbol, name: plainName(symbol), start, bytes });
    end = start + bytes;
  };
  for (const line of text.split('\n')) {
    const [, align = '16', bits = '8', symbol, extents = ''] = SHARED.exec(line) ?? [];
    if (symbol === undefined || found.some(known => known.symbol === symbol)) continue;
    const counts = [...extents.matchAll(/\[(\d*)\]/g)].map(([, count = '']) => Number(count));
    const bytes = counts.reduce((product, count) => product * count, Number(bits) / 8);
    if (/\.extern\b/.test(line)) dynamic.push({ symbol, align: Number(align) });
    else put(symbol, Number(align), bytes);
  }
  // All dynamic arrays start at the same offset.
  const base = end;
  for (const { symbol, align } of dynamic) {
    end = base;
    put(symbol, align, Math.max(dynamicBytes, 1));
  }
  return found;
}

export function parametersIn(
  text: string,
  { first }: Pick<Listing, 'first'>,
): readonly Parameter[] {
  const lines = text.split('\n').slice(first);
  const end = lines.findIndex(line => line.trim().startsWith('{'));
  return lines.slice(0, end < 0 ? lines.length : end).flatMap(line => {
    const [, type, symbol, extent] = PARAMETER.exec(line) ?? [];
    if (symbol === undefined) return [];
    return [{ symbol, type: extent === undefined ? type : undefined }];
  });
}

/** Demangles a name: `_ZZ6matmulPfE6tile_A` becomes `tile_A`. */
function plainName(symbol: string): string {
  for (const [, digits = '', rest = ''] of symbol.matchAll(/(?<=E)(\d{1,3})(\w+)$/g)) {
    if (rest.length >= Number(digits)) return rest.slice(0, Number(digits));
  }
  const [, digits = '', rest = ''] = /^_Z(?:N[^\d]*)?L?(\d{1,3})(\w+)$/.exec(symbol) ?? [];
  return digits === '' ? symbol : rest.slice(0, Number(digits));
}
