/** Generates the files of an export: a small project around unchanged kernels. */
import { cppProject } from './cpp/project';
import { cupyProject } from './cupy/project';
import { manifestText, MANIFEST_NAME } from './manifest';
import { npmProject } from './npm/project';
import { pytorchProject } from './pytorch/project';
import type { Exported, ExportSubject, ExportTarget } from './subject';

/** Returns the files of the project, or the reason why this target cannot contain the kernels. */
export function exportProject(target: ExportTarget, subject: ExportSubject): Exported {
  const project = PROJECTS[target](subject);
  if (!project.ok) return project;
  const { files } = project;
  // A single file contains its own hash line.
  if (files.length === 1) return project;
  return {
    ok: true,
    files: [...files, { path: MANIFEST_NAME, text: manifestText(target, subject, files) }],
  };
}

const PROJECTS: Readonly<Record<ExportTarget, (subject: ExportSubject) => Exported>> = {
  pytorch: subject => ({ ok: true, files: pytorchProject(subject) }),
  cpp: subject => ({ ok: true, files: cppProject(subject) }),
  npm: npmProject,
  cupy: cupyProject,
};
