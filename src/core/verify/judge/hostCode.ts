/** Finds host code in a CUDA file that would affect a benchmark if it ran. */
import { t } from '@vscode/l10n';
import type { JudgeFinding } from './ids';

const CALL =
  /\b(cudaStreamCreate\w*|cudaEvent(?:Record|ElapsedTime)\w*|cudaDeviceSetLimit|cudaStreamSetAttribute|cudaCtxResetPersistingL2Cache|cudaGraphLaunch|cudaMemcpyAsync|cublas(?:Lt)?[A-Z]\w*|std::(?:thread|async)|clock_gettime)\s*[(<{]/;

/** Reports the first such call. The benchmark launches the kernels itself, without host code. */
export function nameHostCode(source: string): JudgeFinding | undefined {
  const code = source.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, text => text.replace(/[^\n]/g, ' '));
  const found = CALL.exec(code);
  if (found === null) return undefined;
  const line = code.slice(0, found.index).split('\n').length;
  const message = t(
    'The host code of this file is not run ({0} in line {1}). The benchmark launches the kernels itself, on one stream. Streams, events, threads, library calls and L2 settings of the file have no effect.',
    found[1] ?? '',
    line,
  );
  return { id: 'host-code-not-run', message, line };
}
