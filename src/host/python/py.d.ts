/** Declares Python files as modules that export their source. */
declare module '*.py' {
  const text: string;
  export default text;
}
