/** The repository's root. */
export const projectRoot: string;
/** Path of the Node that runs Millrace, or undefined when it is not installed. */
export function findNode(): string | undefined;
/** Installs the locked packages when they are missing or belong to another lock file. */
export function ensureInstalled(): void;
/** Runs the project's Node with `args`, passing signals on; the exit code of it. */
export function runNode(args: readonly string[], options?: { readonly cwd?: string }): Promise<number>;
