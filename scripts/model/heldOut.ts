/**
 * Returns whether fits exclude a shape, to evaluate them on it. The choice of a third of the shapes
 * depends only on their names, so that a shape is excluded from every fit whose records include it.
 */
export const isHeldOut = (shape: string): boolean => hashOf(shape) % 3 === 1;

/** 32-bit FNV-1a hash. */
const hashOf = (text: string): number =>
  Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
