/** Multiply-adds that simulate takes on: about ten seconds. Apart from simulate, for those who only ask. */
export const SIMULATE_LIMIT = 2 ** 24;
