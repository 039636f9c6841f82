/** A database server that a test started. */
export interface DatabasePeer extends AsyncDisposable {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}
