/**
 * Typed access to the extension settings, which are read on every use. Settings for programs, GPUs
 * and timeouts are machine-scoped.
 */
import * as vscode from 'vscode';
import { DEFAULT_DEVICE, isDeviceId, type DeviceId } from '../../core/hardware/devices';
import type { Objective } from '../../core/search/tune/events';
import { SETTING_DEFAULTS, type SettingName } from '../ids';

const read = (name: SettingName): unknown =>
  vscode.workspace.getConfiguration('gemm').get(name, SETTING_DEFAULTS[name]);

const text = (name: SettingName): string => {
  const value = read(name);
  return typeof value === 'string' ? value.trim() : String(SETTING_DEFAULTS[name]);
};

const seconds = (name: 'compileTimeoutSeconds' | 'runTimeoutSeconds'): number => {
  const value = read(name);
  const usable = typeof value === 'number' && value >= 1 && value <= 3600;
  return 1000 * (usable ? value : SETTING_DEFAULTS[name]);
};

type SlurmSetting = 'tasks' | 'partition' | 'account' | 'timeLimit' | 'gres';

const slurmTasks = (): number => {
  const value = read('slurm.tasks');
  const usable = typeof value === 'number' && Number.isInteger(value) && value >= 1;
  return usable ? value : SETTING_DEFAULTS['slurm.tasks'];
};

const SLURM: Readonly<Record<SlurmSetting, () => string | number>> = {
  tasks: slurmTasks,
  partition: () => text('slurm.partition'),
  account: () => text('slurm.account'),
  timeLimit: () => text('slurm.timeLimit'),
  gres: () => text('slurm.gres'),
};

export const settings = {
  device: (): DeviceId => {
    const id = text('device');
    return isDeviceId(id) ? id : DEFAULT_DEVICE;
  },
  /**
   * Output folder relative to the workspace folder. The file writer checks that the path stays
   * inside the workspace folder.
   */
  outputFolder: (): string => text('outputFolder'),
  compileOnSave: (): boolean => read('compileOnSave') !== false,
  codeLensEnabled: (): boolean => read('codeLens.enabled') !== false,
  compileTimeoutMs: (): number => seconds('compileTimeoutSeconds'),
  runTimeoutMs: (): number => seconds('runTimeoutSeconds'),
  /** GPU index on this machine, as listed by nvidia-smi. */
  cudaDevice: (): number => {
    const value = read('cuda.device');
    const usable = typeof value === 'number' && Number.isInteger(value) && value >= 0;
    return usable ? value : SETTING_DEFAULTS['cuda.device'];
  },
  cudaCompiler: (): 'nvcc' | 'nvrtc' => (text('cuda.compiler') === 'nvrtc' ? 'nvrtc' : 'nvcc'),
  tuneObjective: (): Objective => (text('tune.objective') === 'energy' ? 'energy' : 'time'),
  /** Option of Slurm jobs; an empty text selects the default of the cluster. */
  slurm: (name: SlurmSetting): string | number => SLURM[name](),
  /** Whether runs are stored with the author and the host name. */
  recordNames: (): boolean => read('runs.recordNames') === true,
  /** Path of nvcc; empty to search for it. */
  nvccPath: (): string => text('nvcc.path'),
  /** Path of the Python interpreter; empty to search for it. */
  pythonPath: (): string => text('python.path'),
};
