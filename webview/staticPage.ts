/**
 * Marks a page without scripts, such as a capsule. Views omit their controls there, and show the
 * content of disclosures.
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export const StaticPage = createContext(false);

export const useStaticPage = (): boolean => useContext(StaticPage);
