import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createShelf } from './shelf.ts';

const limit = { maxSize: 2, removesOldest: true };

describe('a shelf', () => {
  it('keeps values until their time', () => {
    const shelf = createShelf<string>();
    assert.equal(shelf.keep('a', { value: 'A', until: 10 }, limit), true);
    assert.deepEqual([shelf.find('a', 9), shelf.find('b', 9)], ['A', undefined]);
    assert.deepEqual([shelf.find('a', 10), shelf.size], [undefined, 0]);
    shelf.keep('a', { value: 'A', until: 10 }, limit);
    shelf.drop('a');
    assert.equal(shelf.find('a', 0), undefined);
  });

  it('drops what was not used for the longest time, or refuses', () => {
    const shelf = createShelf<string>();
    for (const key of ['a', 'b']) shelf.keep(key, { value: key, until: 10 }, limit);
    assert.equal(shelf.keep('c', { value: 'c', until: 10 }, { ...limit, removesOldest: false }), false);
    shelf.find('a', 0);
    assert.equal(shelf.keep('c', { value: 'c', until: 10 }, limit), true);
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => shelf.find(key, 0)),
      ['a', undefined, 'c'],
    );
  });

  it('forgets what is over when it is told to', () => {
    const shelf = createShelf<string>();
    shelf.keep('a', { value: 'A', until: 10 }, limit);
    shelf.keep('b', { value: 'B', until: 20 }, limit);
    shelf.dropExpired(10);
    assert.equal(shelf.size, 1);
  });
});
