/** Returns the innermost folder that contains an address; undefined if no folder contains it. */
export function nearestFolder(folders: Iterable<string>, address: string): string | undefined {
  let nearest: string | undefined;
  for (const folder of folders) {
    const base = folder.endsWith('/') ? folder : `${folder}/`;
    if (address.startsWith(base) && folder.length > (nearest?.length ?? -1)) nearest = folder;
  }
  return nearest;
}
