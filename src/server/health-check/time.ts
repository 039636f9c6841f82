/** Milliseconds that a checker may take. */
export const checkerTime = 5000;

/** Milliseconds that one item of a built-in checker may take: less, so that the others of the checker are reported. */
export const itemTime = 4000;
