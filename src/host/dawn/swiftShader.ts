/** Finds the software Vulkan driver of a browser, so that WGSL runs on a machine without a GPU. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const MANIFEST = 'vk_swiftshader_icd.json';

/**
 * Installation folders of Chromium, Chrome, Edge and VS Code on Linux. On other systems, Dawn does
 * not require Vulkan.
 */
const FOLDERS = [
  '/usr/lib/chromium',
  '/usr/lib64/chromium-browser',
  '/usr/lib/chromium-browser',
  '/snap/chromium/current/usr/lib/chromium-browser',
  '/opt/google/chrome',
  '/opt/microsoft/msedge',
  '/usr/share/code',
  '/usr/lib/code',
  '/usr/share/codium',
];

/**
 * Returns environment variables that select SwiftShader as the Vulkan driver. Returns undefined if
 * SwiftShader is not found or the system is not Linux.
 */
export function swiftShaderEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  folders: readonly string[] = [...FOLDERS, path.dirname(process.execPath), ...downloaded()],
): Readonly<Record<string, string>> | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = folders.find(candidate => existsSync(path.join(candidate, MANIFEST)));
  if (folder === undefined) return undefined;
  const manifest = path.join(folder, MANIFEST);
  // Adds the folder of the browser's Vulkan loader, because machines without a GPU often have no
  // Vulkan loader.
  const libraries = [environment['LD_LIBRARY_PATH'], folder].filter(Boolean).join(':');
  return { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest, LD_LIBRARY_PATH: libraries };
}

/** Returns the folders in which Playwright may have installed browsers in the user's cache. */
function downloaded(): readonly string[] {
  const cache = path.join(homedir(), '.cache', 'ms-playwright');
  if (!existsSync(cache)) return [];
  return readdirSync(cache)
    .filter(name => name.startsWith('chromium'))
    .flatMap(name => ['chrome-linux', 'chrome-linux64'].map(sub => path.join(cache, name, sub)));
}
