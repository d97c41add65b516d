/** Declares C++ files as modules that export their source. */
declare module '*.h' {
  const text: string;
  export default text;
}
declare module '*.cpp' {
  const text: string;
  export default text;
}
