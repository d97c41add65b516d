/** Build files of the `pytorch` target. */
import { architecturesOf, isHopperOnly } from '../architecture';
import { provenance } from '../describe';
import type { ExportSubject } from '../subject';

/** The C++ standard is left to PyTorch, whose headers determine it. */
export const HOST_FLAGS = ['-O3'] as const;

/**
 * Returns the flags of nvcc. PyTorch disables operators and conversions of the half types, which
 * the kernels use. Without an architecture here, PyTorch compiles for the GPUs of the machine.
 */
export function cudaFlags(subject: ExportSubject): readonly string[] {
  const isHopper = subject.kernels.some(({ kernel }) => isHopperOnly(kernel));
  return [
    '-O3',
    '-U__CUDA_NO_HALF_OPERATORS__',
    '-U__CUDA_NO_HALF_CONVERSIONS__',
    '-U__CUDA_NO_HALF2_OPERATORS__',
    '-U__CUDA_NO_BFLOAT16_CONVERSIONS__',
    ...(isHopper
      ? architecturesOf(subject).map(each => `-gencode=arch=compute_${each},code=sm_${each}`)
      : []),
  ];
}

export const pyprojectText = (subject: ExportSubject): string => `${provenance(subject, '#')}
[build-system]
requires = ["setuptools>=64", "torch"]
build-backend = "setuptools.build_meta"

[project]
name = "${subject.name}"
version = "0.1.0"
description = "A matrix multiplication kernel as a PyTorch operator"
requires-python = ">=3.9"
license = { text = "MIT" }
dependencies = ["torch>=2.4"]
`;

export function setupText(subject: ExportSubject): string {
  const { name } = subject;
  const flags = (texts: readonly string[]): string =>
    texts.map(text => `                    ${JSON.stringify(text)},`).join('\n');
  return `${provenance(subject, '#')}
"""Builds the extension ahead of time: pip install --no-build-isolation ."""
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    packages=["${name}"],
    package_data={"${name}": ["csrc/*", "csrc/kernels/*"]},
    ext_modules=[
        CUDAExtension(
            name="${name}._C",
            sources=["${name}/csrc/torch.cpp", "${name}/csrc/${name}.cu"],
            extra_compile_args={
                "cxx": [
${flags(HOST_FLAGS)}
                ],
                "nvcc": [
${flags(cudaFlags(subject))}
                ],
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
`;
}
