/** Where the API ports can be reached, for the addresses in generated documents. */
export interface ServerAddress {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}
