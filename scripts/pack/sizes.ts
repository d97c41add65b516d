/** Measures the sizes of the minified package files in bytes. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pack, stage } from './stage';

export function measureSizes(folder: string): Readonly<Record<string, number>> {
  const staged = join(folder, 'package');
  const vsix = join(folder, 'gemm-explorer.vsix');
  stage(staged);
  pack(staged, vsix);
  const bundles = readdirSync(join(staged, 'dist')).sort();
  return {
    ...Object.fromEntries(
      bundles.map(name => [`dist/${name}`, statSync(join(staged, 'dist', name)).size]),
    ),
    vsix: statSync(vsix).size,
  };
}
