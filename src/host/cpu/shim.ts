/**
 * Provides the files of shaders/cpu and replacements for CUDA headers, by path in the build folder.
 */
import atomics from '../../../shaders/cpu/on_cpu/atomics.h';
import cudaOnCpu from '../../../shaders/cpu/cuda_on_cpu.h';
import fibers from '../../../shaders/cpu/fibers.cpp';
import fp8 from '../../../shaders/cpu/on_cpu/fp8.h';
import half from '../../../shaders/cpu/on_cpu/half.h';
import instrumented from '../../../shaders/cpu/instrumented.cpp';
import launch from '../../../shaders/cpu/launch.h';
import mathematics from '../../../shaders/cpu/on_cpu/mathematics.h';
import memory from '../../../shaders/cpu/memory.cpp';
import pipeline from '../../../shaders/cpu/on_cpu/pipeline.h';
import program from '../../../shaders/cpu/program.cpp';
import tensorCores from '../../../shaders/cpu/tensorCores.cpp';
import tensorCoresHeader from '../../../shaders/cpu/on_cpu/tensor_cores.h';
import runtime from '../../../shaders/cpu/runtime.cpp';
import runtimeHeader from '../../../shaders/cpu/runtime.h';
import vectorTypes from '../../../shaders/cpu/on_cpu/vector_types.h';
import warp from '../../../shaders/cpu/on_cpu/warp.h';

const CUDA_HEADERS = [
  'cuda.h',
  'cuda_runtime.h',
  'cuda_runtime_api.h',
  'cuda_fp16.h',
  'cuda_bf16.h',
  'cuda_fp8.h',
  'cuda_pipeline.h',
  'cuda_pipeline_primitives.h',
  'device_launch_parameters.h',
  'device_functions.h',
  'math_constants.h',
  'vector_types.h',
  'sm_61_intrinsics.h',
];

const HEADERS: Readonly<Record<string, string>> = {
  'cuda_on_cpu.h': cudaOnCpu,
  'on_cpu/vector_types.h': vectorTypes,
  'on_cpu/atomics.h': atomics,
  'on_cpu/half.h': half,
  'on_cpu/fp8.h': fp8,
  'on_cpu/mathematics.h': mathematics,
  'on_cpu/pipeline.h': pipeline,
  'on_cpu/tensor_cores.h': tensorCoresHeader,
  'on_cpu/warp.h': warp,
  'launch.h': launch,
};

export const SHIM_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CUDA_HEADERS.map(name => [name, '#include "cuda_on_cpu.h"\n'])),
  ...HEADERS,
  'runtime.h': runtimeHeader,
  'fibers.cpp': fibers,
  'instrumented.cpp': instrumented,
  'memory.cpp': memory,
  'program.cpp': program,
  'runtime.cpp': runtime,
  'tensorCores.cpp': tensorCores,
};
