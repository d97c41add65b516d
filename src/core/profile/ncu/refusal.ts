/** Explains why Nsight Compute output is not a readable report, and how to fix it. */
import { t } from '@vscode/l10n';

export interface Refusal {
  readonly ok: false;
  readonly why: string;
  readonly next: string;
}

export const PERMISSION_PAGE = 'https://developer.nvidia.com/ERR_NVGPUCTRPERM';
/**
 * Maximum number of characters in a report. A report of all counters of one kernel has about 60 kB.
 */
const MAX_CHARACTERS = 64 * 1024 * 1024;

export function notReadable(text: string): Refusal | undefined {
  const no = (why: string, next: string): Refusal => ({ ok: false, why, next });
  if (/^NVR[\0\x01]/.test(text)) {
    return no(
      t('Expected text, got a binary Nsight Compute report (.ncu-rep).'),
      t('Export it: ncu --import REPORT.ncu-rep --csv --page raw > report.csv'),
    );
  }
  if (text.includes('\0')) {
    return no(
      t('Expected UTF-8 text.'),
      t('PowerShell’s > writes UTF-16: use ncu --log-file report.csv, or save it as UTF-8.'),
    );
  }
  if (text.length > MAX_CHARACTERS) {
    return no(
      t('The report has more than 64 million characters.'),
      t('Profile fewer kernels: ncu --kernel-name NAME --launch-count 1.'),
    );
  }
  if (!/^\s*"?ID"?[,;\t].*Kernel Name|^"(File (Path|Name)|Kernel Name)",/m.test(text))
    return permissionRefusal(text) ?? noTable();
  return undefined;
}

const noTable = (): Refusal => ({
  ok: false,
  why: t('Not an Nsight Compute report: the column header (ID … Kernel Name) is missing.'),
  next: t(
    'Export a report: ncu --csv --page raw PROGRAM, or ncu --csv --page raw --import REPORT.ncu-rep.',
  ),
});

/**
 * Recognizes Nsight Compute's message that only administrators may read counters; returns undefined
 * for other text.
 */
export function permissionRefusal(text: string): Refusal | undefined {
  if (!/ERR_NVGPUCTRPERM|permission to access NVIDIA GPU Performance Counters/i.test(text)) {
    return undefined;
  }
  return {
    ok: false,
    why: t(
      'The driver denies this user access to the GPU’s performance counters (ERR_NVGPUCTRPERM).',
    ),
    next: t(
      'On your own machine, put “options nvidia NVreg_RestrictProfilingToAdminUsers=0” into a file in /etc/modprobe.d, rebuild the initramfs and restart. Alternatively, run ncu as administrator and import its CSV file. In a container, the host must grant --cap-add=SYS_ADMIN. See {0}',
      PERMISSION_PAGE,
    ),
  };
}
