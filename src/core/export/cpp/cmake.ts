/** CMakeLists.txt of the `cpp` target. */
import { architecturesOf } from '../architecture';
import { provenance } from '../describe';
import type { ExportSubject } from '../subject';

export function cmakeText(subject: ExportSubject): string {
  const { name } = subject;
  const upper = name.toUpperCase();
  return `${provenance(subject, '#')}
cmake_minimum_required(VERSION 3.25)

set(${upper}_ARCHITECTURES "${architecturesOf(subject).join(';')}" CACHE STRING "CUDA architectures of ${name}")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "\${${upper}_ARCHITECTURES}")
endif()
project(${name} LANGUAGES CXX CUDA)

find_package(CUDAToolkit REQUIRED)

function(${name}_options target)
  target_compile_features(\${target} PUBLIC cxx_std_17 PRIVATE cuda_std_17)
  set_target_properties(\${target} PROPERTIES CUDA_ARCHITECTURES "\${${upper}_ARCHITECTURES}")
endfunction()

add_library(${name} STATIC src/${name}.cu)
add_library(${name}::${name} ALIAS ${name})
target_include_directories(${name} PUBLIC include)
target_link_libraries(${name} PUBLIC CUDA::cudart_static)
${name}_options(${name})

if(PROJECT_IS_TOP_LEVEL)
  add_executable(${name}_example example/example.cu)
  target_link_libraries(${name}_example PRIVATE ${name})
  ${name}_options(${name}_example)

  enable_testing()
  add_executable(${name}_test test/test.cu)
  target_link_libraries(${name}_test PRIVATE ${name})
  ${name}_options(${name}_test)
  add_test(NAME ${name} COMMAND ${name}_test)
  # The test exits with 77 on a machine without a GPU.
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endif()
`;
}
