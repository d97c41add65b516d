/** `pytorch`: a Python package with the operator, compiled ahead of time or just in time. */
import { headerText } from '../cuda/header';
import { KERNEL_FOLDER, sourceText } from '../cuda/source';
import { LICENSE_TEXT } from '../license';
import type { ExportFile, ExportSubject } from '../subject';
import { bindingText } from './binding';
import { pyprojectText, setupText } from './build';
import { packageText } from './package';
import { readmeText } from './readme';
import { testText } from './test';

export function pytorchProject(subject: ExportSubject): readonly ExportFile[] {
  const { name, kernels } = subject;
  const csrc = `${name}/csrc`;
  return [
    { path: 'LICENSE', text: LICENSE_TEXT },
    { path: 'README.md', text: readmeText(subject) },
    { path: `${name}/__init__.py`, text: packageText(subject) },
    { path: `${csrc}/${name}.cu`, text: sourceText(subject, `${name}.h`) },
    { path: `${csrc}/${name}.h`, text: headerText(subject) },
    ...kernels.map(({ kernel }) => ({
      path: `${csrc}/${KERNEL_FOLDER}/${kernel.fileName}`,
      text: kernel.source,
    })),
    { path: `${csrc}/torch.cpp`, text: bindingText(subject) },
    { path: 'pyproject.toml', text: pyprojectText(subject) },
    { path: 'setup.py', text: setupText(subject) },
    { path: `tests/test_${name}.py`, text: testText(subject) },
  ];
}
