/** `mcp`: serves the tools of GEMM Explorer to an agent over the Model Context Protocol. */
import path from 'node:path';
import { command, wholeNumber, type Command } from '../command';
import { Outside, rootFolder } from '../../host/confined';
import { EXIT, invalidInput } from '../result';
import type { serve } from './serve';

/** @param load loads the server, which is a bundle of its own */
export const mcpCommand = (load: () => Promise<typeof serve>): Command =>
  command({
    name: 'mcp',
    description: 'Serve the tools to an agent: a Model Context Protocol server on stdin and stdout',
    args: {
      root: {
        type: 'string',
        valueHint: 'DIR',
        description: 'Folder that bounds every path; default: the current folder',
      },
      'allow-run': {
        type: 'boolean',
        description: 'Allow calls to compile and run kernels, and to write files below the root',
      },
      nvcc: { type: 'string', valueHint: 'PATH', description: 'Path of nvcc; default: on PATH' },
      python: {
        type: 'string',
        valueHint: 'PATH',
        description: 'Python interpreter for .py files; default: python3 on PATH',
      },
      gpu: { type: 'string', valueHint: 'N', description: 'GPU index; default: 0' },
      dawn: { type: 'string', valueHint: 'DIR', description: 'Folder with an installed Dawn' },
    },
    json: 'No effect: the protocol is JSON-RPC',
    run: async (options, { abort }) => {
      const { nvcc, python, gpu, dawn } = options;
      const folder = await rootOf(options.root);
      const run = await load();
      const absolute = (file: string | undefined): string | undefined =>
        file === undefined ? undefined : path.resolve(file);
      await run(
        {
          root: folder,
          allowRun: options['allow-run'] === true,
          nvcc: absolute(nvcc),
          python: absolute(python),
          gpu: gpu === undefined ? undefined : wholeNumber('gpu', gpu),
          dawn: absolute(dawn),
        },
        abort,
      );
      return { exit: EXIT.yes };
    },
  });

/** Returns the real path of the root. Some clients start servers in the root of the file system. */
async function rootOf(given: string | undefined): Promise<string> {
  if (given === undefined && process.cwd() === path.parse(process.cwd()).root) {
    throw invalidInput(
      'The current folder is the root of the file system, so the server would read every file. Fix: add --root DIR.',
    );
  }
  try {
    return await rootFolder(given ?? '.');
  } catch (error) {
    throw error instanceof Outside ? invalidInput(`--root: ${error.message}`) : error;
  }
}
