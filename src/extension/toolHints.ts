/**
 * Hints of the tool chain in the language of the display. Those of the CLI and of the log stay English; what a program
 * said itself, or what is wrong with one that is there, is shown as it was said.
 */
import { t } from '@vscode/l10n';
import type { Tool } from '../host/doctor';

export function shownHint(tool: Tool): string {
  const { id, found, path, hint } = tool;
  if (found) return useOf(id, hint);
  return path === null ? (lackOf(id, hint) ?? hint) : hint;
}

function useOf(id: string, hint: string): string {
  switch (id) {
    case 'nvcc':
      return t('Compiles CUDA kernels.');
    case 'gpu': {
      const [, names] = /^Runs CUDA kernels: (.*)\.$/.exec(hint) ?? [];
      return names === undefined ? hint : t('Runs CUDA kernels: {0}.', names);
    }
    case 'ncu':
      return t('Profiles kernels.');
    case 'cxx':
      return hint.startsWith('Verifies')
        ? t('Verifies CUDA kernels on the CPU; nvcc compiles host code with it.')
        : t('nvcc compiles host code with it.');
    case 'dawn':
      return hint.startsWith('Tunes') ? t('Tunes and checks WGSL outside of a browser.') : hint;
    case 'vscode':
      return hint.endsWith('.') && hint !== 'Runs the extension.' ? hint : t('Runs the extension.');
    default:
      return hint;
  }
}

/** What to do about a program that is not there. */
function lackOf(id: string, hint: string): string | undefined {
  switch (id) {
    case 'nvcc':
      return t('Not found. Install the CUDA toolkit and put nvcc on PATH, or set gemm.nvcc.path.');
    case 'gpu':
      return t(
        'No NVIDIA driver. CUDA kernels run on a machine with an NVIDIA GPU; use simulate or WebGPU here.',
      );
    case 'ncu':
      return t('Not found. Nsight Compute comes with the CUDA toolkit; put its folder on PATH.');
    case 'cxx':
      return t('Not found. Install g++ or clang++, or use simulate, which needs none.');
    case 'dawn':
      return hint.includes('(Dawn) is not installed.')
        ? t('Not installed. Tunes and checks WGSL outside of a browser; it is offered below.')
        : undefined;
    case 'webgpu':
      return t('Not looked for here: open the explorer to see the adapter of its page.');
    default:
      return undefined;
  }
}
