/** Bounds of a multipart body; the size of a part is bounded by that of the whole body. */
export interface MultipartLimits {
  readonly parts: number;
  /** Bytes of the header block of one part, and number of its fields. */
  readonly headerBytes: number;
  readonly headers: number;
  /** Bytes before the first boundary. */
  readonly preambleBytes: number;
}

export const defaultMultipartLimits: MultipartLimits = {
  parts: 1000,
  headerBytes: 16_384,
  headers: 100,
  preambleBytes: 16_384,
};

/** A boundary as RFC 2046 section 5.1.1 has it: 1 to 70 characters of a small set, the last one no space. */
export const boundaryPattern = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;
