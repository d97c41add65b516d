/** What the parts of the package weigh: minified, in bytes. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pack, stage } from './stage';

/** Stages and packs in `folder`; gives every bundle and the VSIX made of them. */
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
