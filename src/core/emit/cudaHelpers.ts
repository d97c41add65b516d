/** Small functions that emitted CUDA calls by name, each only where it is used. */

/** CUDA's vector type of so many elements. */
export const vectorType = (type: string, width: number): string => `${type}${width}`;

const WIDTHS = [2, 4, 8, 16];

/** Headers that a body needs. */
export const includesOf = (body: readonly string[]): readonly string[] =>
  body.some(line => line.includes('__pipeline_'))
    ? ['#include <cuda_pipeline_primitives.h>', '']
    : [];

/** The copies that a body makes: one function a width. */
export function helpersOf(body: readonly string[], type: string, bytes: number): readonly string[] {
  return WIDTHS.flatMap(width => {
    const name = `copy${width}`;
    if (!body.some(line => line.includes(`${name}(`))) return [];
    const vector = vectorType(type, width);
    return [
      `// Moves ${width} neighbouring elements in one access of ${width * bytes} bytes, to which both addresses are aligned.`,
      `__device__ __forceinline__ void ${name}(${type}* to, const ${type}* from) {`,
      `  *reinterpret_cast<${vector}*>(to) = *reinterpret_cast<const ${vector}*>(from);`,
      '}',
      '',
    ];
  });
}
