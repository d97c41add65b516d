/** A WGSL file, imported as its text. */
declare module '*.wgsl' {
  const source: string;
  export default source;
}
