/** Parses operands in PTX syntax (PTX ISA 9.0, chapter 6). */

/**
 * Register, special register, number or variable address. An address in brackets may have an
 * offset.
 */
export interface Operand {
  readonly text: string;
  readonly offset: number;
  readonly isAddress: boolean;
  /** Elements of a vector operand `{...}`; empty for other operands. */
  readonly items: readonly string[];
}

export function splitOperands(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    depth += '[{('.includes(c) ? 1 : ']})'.includes(c) ? -1 : 0;
    if (c !== ',' || depth !== 0) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
  }
  const last = text.slice(from).trim();
  return last === '' && parts.length === 0 ? [] : [...parts, last];
}

const ADDRESS = /^\[\s*([%\w$.]+)\s*(?:\+\s*(-?\w+)\s*)?\]$/;

export function operandOf(part: string): Operand {
  const [, text, offset] = ADDRESS.exec(part) ?? [];
  if (text !== undefined) {
    const bytes = offset === undefined ? 0 : numberOf(offset);
    return { text, offset: bytes, isAddress: true, items: [] };
  }
  const items = part.startsWith('{') ? splitOperands(part.slice(1, part.lastIndexOf('}'))) : [];
  return { text: part, offset: 0, isAddress: part.startsWith('['), items };
}

/**
 * Parses an immediate as a signed integer, and an f32 immediate as its bits. Returns NaN for names,
 * nonzero doubles and inexact values.
 */
export function numberOf(text: string): number {
  const float = /^0[fF]([0-9a-fA-F]{8})$/.exec(text)?.[1];
  if (float !== undefined) return Number.parseInt(float, 16) | 0;
  if (/^0[dD]0{16}$/.test(text)) return 0;
  const [, sign, digits] = /^(-?)(0[xX][0-9a-fA-F]+|\d+)U?$/.exec(text) ?? [];
  if (digits === undefined) return NaN;
  const value = BigInt(digits);
  const signed = Number(BigInt.asIntN(64, sign === '-' ? -value : value));
  return Number.isSafeInteger(signed) ? signed : NaN;
}
