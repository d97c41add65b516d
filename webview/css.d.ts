/** Style sheets that the build bundles as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
