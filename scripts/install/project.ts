import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the project's root: the nearest folder at or above `from` with the package.json of
 * gemm-explorer.
 */
export function projectRoot(from = import.meta.dirname): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    if (hasName(manifest) && manifest.name === 'gemm-explorer') return from;
  } catch {
    // No readable manifest here: look one folder up.
  }
  const parent = dirname(from);
  if (parent === from)
    throw new Error(`No gemm-explorer package.json above ${import.meta.dirname}.`);
  return projectRoot(parent);
}

const hasName = (value: unknown): value is { readonly name: unknown } =>
  typeof value === 'object' && value !== null && 'name' in value;
