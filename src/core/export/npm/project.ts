/** `npm`: an ES module with types that runs WGSL kernels on a WebGPU device of the caller. */
import { t } from '@vscode/l10n';
import { LICENSE_TEXT } from '../license';
import type { Exported, ExportSubject } from '../subject';
import { exampleText } from './example';
import { moduleText, typesText } from './module';
import { manifestJson, readmeText } from './readme';
import { tableText } from './table';

export function npmProject(subject: ExportSubject): Exported {
  const { kernels } = subject;
  if (kernels.some(({ kernel }) => kernel.target !== 'wgsl'))
    return { ok: false, reason: t('The npm target contains WGSL kernels only.') };
  return {
    ok: true,
    files: [
      { path: 'LICENSE', text: LICENSE_TEXT },
      { path: 'README.md', text: readmeText(subject) },
      { path: 'example.html', text: exampleText(subject) },
      { path: 'index.d.ts', text: typesText(subject) },
      { path: 'index.js', text: moduleText(subject) },
      { path: 'kernels.js', text: tableText(subject) },
      ...kernels.map(({ kernel }) => ({ path: `kernels/${kernel.fileName}`, text: kernel.source })),
      { path: 'package.json', text: manifestJson(subject) },
    ],
  };
}
