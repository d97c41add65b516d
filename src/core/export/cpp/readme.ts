/** README.md of the `cpp` target. */
import { architecturesOf } from '../architecture';
import { needsWorkspace } from '../cuda/header';
import { kernelTable, provenanceSection, RULE, summaryText } from '../describe';
import { nameOf } from '../epilogue';
import { callerRoles } from '../roles';
import type { ExportSubject } from '../subject';

export function readmeText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const isWorking = needsWorkspace(subject);
  return `# ${name}

A CUDA library for one product: ${summaryText(type)}

## Build

Requires CMake 3.25, a C++17 compiler and the CUDA toolkit. A GPU is only needed to run the test.

\`\`\`sh
cmake -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build
ctest --test-dir build --output-on-failure
build/${name}_example
\`\`\`

The library is compiled for ${architecturesOf(subject)
    .map(each => `sm_${each}`)
    .join(' and ')}; \`-D${name.toUpperCase()}_ARCHITECTURES=...\` selects other architectures.

In another CMake project, add this folder with \`add_subdirectory\` or \`FetchContent\`, and link the
target \`${name}::${name}\`:

\`\`\`cmake
add_subdirectory(${name})
target_link_libraries(app PRIVATE ${name}::${name})
\`\`\`

## Use

\`\`\`cpp
#include "${name}.h"

const ${name}::Arguments arguments = {${callerRoles(type)
    .flat()
    .map(role => nameOf(type, role))
    .join(', ')}};
${
  isWorking
    ? `const size_t bytes = ${name}::workspaceBytes(arguments);  // allocate a workspace of this size
const cudaError_t error = ${name}::gemm(arguments, workspace, bytes, stream);`
    : `const cudaError_t error = ${name}::gemm(arguments, stream);`
}
\`\`\`

The header documents the arguments and the error codes. The call does not synchronize${isWorking ? '' : ', allocates no\nmemory'} and can be
captured in a CUDA graph.

## Kernels

${kernelTable(subject)}

${kernels.length > 1 ? `${RULE.join('\n')}\n\n` : ''}${provenanceSection(subject)}`;
}
