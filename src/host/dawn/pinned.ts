/**
 * The version of Dawn that is installed for users, with the hash of every archive. A registry can
 * therefore only provide exactly these archives. A test compares the hashes with package-lock.json.
 */
export const DAWN = {
  name: 'webgpu',
  version: '0.6.2',
  /**
   * Download size and installed size in megabytes. The package contains the binaries of all
   * systems.
   */
  downloadMegabytes: 50,
  diskMegabytes: 132,
} as const;

interface PinnedPackage {
  readonly version: string;
  readonly integrity: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export const PINNED: Readonly<Record<string, PinnedPackage>> = {
  'node_modules/webgpu': {
    version: '0.6.2',
    integrity:
      'sha512-3L4GfmqJLvYUIEWJngEQY+2HQiUlAFkg8+P8NDDj3Xx5hHHIFO/r8JW+ynfqBj7kHN4mbnwO74uB+lrRtLhp4Q==',
    dependencies: { '@webgpu/types': '^0.1.72', debug: '^4.4.0' },
  },
  'node_modules/@webgpu/types': {
    version: '0.1.74',
    integrity:
      'sha512-lgiI4hbuLcI9unnm2cL/tvCaQU45dp0xcLWJh5uB/9MBGvIA4F8XIk7nSiBeg+K4xWGYwgZKn80LmERI5CxoTA==',
  },
  'node_modules/debug': {
    version: '4.4.3',
    integrity:
      'sha512-RGwwWnwQvkVfavKVt22FGLw+xYSdzARwm0ru6DhTVA3umU5hZc28V3kO4stgYryrTlLpuvgI9GiijltAjNbcqA==',
    dependencies: { ms: '^2.1.3' },
  },
  'node_modules/ms': {
    version: '2.1.3',
    integrity:
      'sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLsvoVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA==',
  },
};

const root = {
  name: 'gemm-explorer-dawn',
  version: '1.0.0',
  dependencies: { [DAWN.name]: DAWN.version },
};

/** Files for `npm ci`. The lock file has no URLs, so that npm uses the configured registry. */
export const INSTALL_FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ ...root, private: true }),
  'package-lock.json': JSON.stringify({
    name: root.name,
    version: root.version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...PINNED },
  }),
};
