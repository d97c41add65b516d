/**
 * `npm run package`: builds the VSIX, out/gemm-explorer.vsix, and prints its size and the sizes of
 * its bundles.
 */
import { join } from 'node:path';
import { projectRoot } from './install/project';
import { measureSizes } from './pack/sizes';

const sizes = measureSizes(join(projectRoot(), 'out'));
for (const [name, bytes] of Object.entries(sizes)) {
  console.log(`${(bytes / 1000).toFixed(1).padStart(8)} kB  ${name}`);
}
