import { Exact } from './numbers.ts';
import type { Value } from './values.ts';

/** A range of whole numbers; its size is infinite when it has no end. */
export class Range {
  readonly start: number;
  readonly step: 1 | -1;
  readonly size: number;
  /** Of `a..*n`: as many items as there are, at most `n`. */
  readonly isLengthLimited: boolean;

  constructor(start: number, size: number, how: { step: 1 | -1; isLengthLimited?: boolean }) {
    this.start = start;
    this.step = how.step;
    this.size = size;
    this.isLengthLimited = how.isLengthLimited ?? false;
  }

  at(index: number): Value {
    return index >= 0 && index < this.size ? new Exact(this.start + this.step * index) : undefined;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }
}
