/** Content hashes that name caches, measurements and generated bodies. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Returns the SHA-256 of a text in hexadecimal. */
export const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/**
 * Returns the key of a cache entry and of a measurement. It depends on the source, so edited
 * kernels get new numbers.
 */
export function kernelKey(parts: {
  readonly source: string;
  readonly architecture: string;
  readonly compiler: string;
  readonly flags: readonly string[];
}): string {
  const { source, architecture, compiler, flags } = parts;
  return hashText(JSON.stringify([source, architecture, compiler, flags])).slice(0, 24);
}

const known = new WeakMap<object, string>();

/**
 * Returns the identity of a kernel's text, by which runs and compiler facts are matched; computed
 * once per kernel.
 */
export function sourceHashOf(kernel: { readonly source: string }): string {
  const hash = known.get(kernel) ?? hashText(kernel.source);
  known.set(kernel, hash);
  return hash;
}
