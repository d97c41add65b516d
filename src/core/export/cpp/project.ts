/** `cpp`: a CMake library with a header, an example and a test. */
import { headerText } from '../cuda/header';
import { KERNEL_FOLDER, sourceText } from '../cuda/source';
import { LICENSE_TEXT } from '../license';
import type { ExportFile, ExportSubject } from '../subject';
import { cmakeText } from './cmake';
import { exampleText } from './example';
import { readmeText } from './readme';
import { testText } from './test';

export function cppProject(subject: ExportSubject): readonly ExportFile[] {
  const { name, kernels } = subject;
  return [
    { path: 'CMakeLists.txt', text: cmakeText(subject) },
    { path: 'LICENSE', text: LICENSE_TEXT },
    { path: 'README.md', text: readmeText(subject) },
    { path: 'example/example.cu', text: exampleText(subject) },
    { path: `include/${name}.h`, text: headerText(subject) },
    { path: `src/${name}.cu`, text: sourceText(subject, `${name}.h`) },
    ...kernels.map(({ kernel }) => ({
      path: `src/${KERNEL_FOLDER}/${kernel.fileName}`,
      text: kernel.source,
    })),
    { path: 'test/test.cu', text: testText(subject) },
  ];
}
