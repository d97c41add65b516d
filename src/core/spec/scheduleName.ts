/** What differs between the keys of one problem's schedules: its types, sizes and layouts left out. */
export const scheduleName = (specKey: string): string =>
  specKey.replace(/^gemm-[a-z0-9]+-(.+?)-\d+x\d+x\d+-[rc]{3}-?/, '$1 ').trim();
