/** Loading of the bundle of programs.ts on first use. */
type Programs = typeof import('./programs');
let loaded: Programs | undefined;

export const programs = async (): Promise<Programs> => (loaded ??= await import('./programs'));

/** Terminates every process that the extension started. */
export const endPrograms = (): void => loaded?.killAllGroups();
