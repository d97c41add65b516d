/** Computes content hashes that identify cache entries, measurements and kernel source. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/**
 * Returns the key of a compiled kernel, for caches and measurements. The key depends on the source,
 * so an edited kernel is compiled and measured again.
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
 * Returns the hash of a kernel's source, which matches runs and compiler results to the kernel. The
 * hash is computed once per kernel object.
 */
export function sourceHashOf(kernel: { readonly source: string }): string {
  const hash = known.get(kernel) ?? hashText(kernel.source);
  known.set(kernel, hash);
  return hash;
}
