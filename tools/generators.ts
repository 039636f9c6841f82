/** A file of the repository that is made from sources. */
export interface Generator {
  /** Path from the repository's root. */
  readonly path: string;
  render(): string | Promise<string>;
}

/** Every generated file, one line each. */
export const generators: readonly Generator[] = [];
