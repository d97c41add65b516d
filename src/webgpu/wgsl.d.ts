/** Declares WGSL files as modules that export their source. */
declare module '*.wgsl' {
  const source: string;
  export default source;
}
