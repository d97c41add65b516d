/**
 * `export SPEC... --to TARGET --out DIR`: writes a small project around the kernels of the specs.
 * Edited files are replaced only with `--force`.
 */
import path from 'node:path';
import type { Kernel } from '../../core/kernel/kernel';
import { exportProject } from '../../core/export/exportProject';
import { withTimes } from '../../core/export/measured';
import { EXPORT_TARGETS, kernelTarget, subjectOf } from '../../core/export/subject';
import { writeExport } from '../../host/exportFiles';
import { adapter, adapterNamed, command, device, set, specArgument } from '../command';
import { isKernelFile, kernelOf } from '../kernel';
import { EXIT, invalidInput } from '../result';
import { historyRoot, measurementsOf } from '../runHistory';
import { readSpec } from '../spec';
import { table } from '../table';
import { version } from '../version';

export const exportCommand = command({
  name: 'export',
  description: 'Write a PyTorch, C++, npm or CuPy project around the kernels of specs',
  several: true,
  args: {
    spec: { ...specArgument, valueHint: 'SPEC...', description: '*.gemm.json files, or -' },
    to: {
      type: 'enum',
      options: [...EXPORT_TARGETS],
      description: 'Kind of project: pytorch, cpp, npm (WebGPU) or cupy',
    },
    out: { type: 'string', valueHint: 'DIR', description: 'Output folder; created if missing' },
    name: {
      type: 'string',
      valueHint: 'NAME',
      description: 'Name of the project; default: element types and layouts, such as gemm_bf16_rcr',
    },
    force: {
      type: 'boolean',
      description: 'Overwrite edited files and files not written by an earlier export',
    },
    set,
    device,
    adapter,
  },
  run: async options => {
    const { out, name, set, device, note } = options;
    const to = options.to;
    if (to === undefined)
      throw invalidInput(`Missing option --to. Fix: add --to ${EXPORT_TARGETS.join('|')}.`);
    if (out === undefined) throw invalidInput('Missing option --out. Fix: add --out DIR.');
    const target = kernelTarget(to);
    const adapter = adapterNamed(options.adapter);
    const kernels: Kernel[] = [];
    for (const file of options._) {
      if (isKernelFile(file))
        throw invalidInput(
          `${file} is a kernel, but export reads specs. Fix: pass its *.gemm.json file.`,
        );
      const spec = await readSpec(file, { set, device, target, note, adapter });
      kernels.push(kernelOf({ path: file, spec }, target));
    }
    const found = subjectOf(withTimes(kernels, await runsNear(options._[0])), { name, version });
    if (!found.ok) throw invalidInput(found.reason);
    const exported = exportProject(to, found.subject);
    if (!exported.ok) throw invalidInput(exported.reason);
    const root = path.resolve(out);
    const result = await writeExport(exported.files, { root, replace: options.force === true });
    if ('kept' in result)
      throw invalidInput('No file was written:', [
        {
          path: result.path,
          message: `The file ${result.kept === 'edited' ? 'was edited' : 'was not written by an earlier export'} and was left unchanged. Fix: choose another folder, or add --force to overwrite it.`,
        },
      ]);
    if ('failed' in result)
      throw invalidInput('No file was written:', [{ path: result.path, message: result.failed }]);
    for (const stale of result.stale)
      note(`${stale} belongs to an earlier export and is no longer used. Fix: delete it.`);
    const rows = found.subject.kernels.map(({ kernel, measured }) => ({
      specKey: kernel.specKey,
      entry: kernel.entry,
      microseconds: measured?.microseconds ?? null,
    }));
    return {
      exit: EXIT.yes,
      json: { target: to, name: found.subject.name, files: result.written, kernels: rows },
      text: [
        table([
          ['kernel', 'entry', 'measured µs'],
          ...rows.map(row => [row.specKey, row.entry, row.microseconds]),
        ]),
        ...result.written,
      ].join('\n'),
    };
  },
});

async function runsNear(spec: string | undefined) {
  const folder = spec === undefined || spec === '-' ? process.cwd() : path.dirname(spec);
  const root = await historyRoot(folder);
  return root === undefined ? [] : await measurementsOf(root);
}
