/** Keeps what must not be readable in the database: passwords of senders, texts and codes of messages. */
export interface Sealing {
  seal(text: string): string;
  /** @throws MillraceError when the text was sealed with another key */
  open(sealed: string): string;
}
