import { takeSnapshot, type CompiledStore, type Masking, type MessageStore, type StoreEntry } from '#mediation';
import { defineOperation, pick, type Operation } from '#rest';
import { message, refusal } from '../conventions.ts';
import { findArtifact, type ManagedRuntime } from '../runtime.ts';

/** Characters of a payload that lists show. */
const excerptLength = 200;
/** What is shown of a message: it may hold anything, so its secrets are masked as in traces. */
const everything = { payloads: true, properties: true, variables: true } as const;
const noOperation: ReadonlyMap<string, unknown> = new Map();

/** `/millrace/stored-messages/{store}`: the messages that wait in a message store, in the order in which they came. */
export function storedMessageOperations(runtime: ManagedRuntime): readonly Operation[] {
  const { masking } = runtime.observer;
  const storeOf = ({ store = '' }: Readonly<Record<string, string>>): MessageStore => {
    const found = findArtifact(runtime, 'messageStore', store);
    if (!found) throw refusal(404, `There is no message store "${store}"`);
    return (found.compiled as CompiledStore).store;
  };
  const entryOf = async (
    store: MessageStore,
    { number = '' }: Readonly<Record<string, string>>,
  ): Promise<StoreEntry> => {
    const wanted = Number(number);
    const found = Number.isSafeInteger(wanted) ? await store.find(wanted) : undefined;
    if (!found) throw refusal(404, `The message store ${store.name} has no message ${number}`);
    return found;
  };
  const path = '/millrace/stored-messages/{store}';
  return [
    defineOperation({
      id: 'getStoredMessages',
      method: 'GET',
      path,
      summary: 'Messages of a store, with the beginning of each payload: the first ones, or those after the cursor',
      parameters: {
        query: (z) =>
          z.object({
            limit: z.coerce.number().int().min(1).max(200).default(50),
            cursor: z.string().min(1).optional().describe('The next of the page before'),
          }),
      },
      responses: {
        200: { description: 'How many there are, and a page of them; next is the cursor of the page after it' },
        400: { description: 'No page has told this cursor' },
      },
      scope: 'admin',
      async handle({ path: place, query }) {
        const store = storeOf(place);
        const { entries, next } = await store.list(query);
        return { size: await store.size(), list: entries.map((entry) => itemOf(entry, masking)), next };
      },
    }),
    defineOperation({
      id: 'getStoredMessage',
      method: 'GET',
      path: `${path}/{number}`,
      summary: 'One message of a store: payload, headers, properties and variables, without secrets',
      responses: { 200: { description: 'The message' }, 404: { description: 'It is not there any more' } },
      scope: 'admin',
      audited: ({ path: place }) => ({ action: 'viewed', type: 'stored_message', info: placeOf(place) }),
      async handle({ path: place }) {
        const entry = await entryOf(storeOf(place), place);
        return { number: entry.number, id: entry.message.id, parts: partsOf(entry, masking) };
      },
    }),
    defineOperation({
      id: 'requeueStoredMessage',
      method: 'POST',
      path: `${path}/{number}/requeue`,
      summary: 'Puts a message behind the others, so that those go on which it holds up',
      responses: {
        200: { description: 'It is the last one now' },
        409: { description: 'It was taken meanwhile, and its copy is the last one' },
      },
      scope: 'admin',
      audited: ({ path: place }) => ({ action: 'updated', type: 'stored_message', info: placeOf(place) }),
      async handle({ path: place }) {
        const store = storeOf(place);
        const entry = await entryOf(store, place);
        // First the copy: whoever ends the process between the two has a message twice rather than not at all.
        await store.offer(entry.message);
        if (!(await store.remove(entry.number)))
          throw refusal(409, `Message ${entry.number} was taken while it was put back: it may arrive twice`);
        return message(`Message ${entry.number} of ${store.name} is the last one now`);
      },
    }),
    defineOperation({
      id: 'deleteStoredMessage',
      method: 'DELETE',
      path: `${path}/{number}`,
      summary: 'Removes a message from a store',
      responses: { 200: { description: 'It is gone' }, 404: { description: 'It was not there any more' } },
      scope: 'admin',
      audited: ({ path: place }) => ({ action: 'deleted', type: 'stored_message', info: placeOf(place) }),
      async handle({ path: place }) {
        const store = storeOf(place);
        const number = Number(place['number']);
        if (!Number.isSafeInteger(number) || !(await store.remove(number)))
          throw refusal(404, `The message store ${store.name} has no message ${place['number'] ?? ''}`);
        return message(`Message ${number} of ${store.name} is removed`);
      },
    }),
    defineOperation({
      id: 'clearStoredMessages',
      method: 'DELETE',
      path,
      summary: 'Removes all messages from a store',
      responses: { 200: { description: 'How many there were' } },
      scope: 'admin',
      audited: ({ path: place }) => ({ action: 'deleted', type: 'stored_messages', info: placeOf(place) }),
      async handle({ path: place }) {
        const store = storeOf(place);
        const size = await store.size();
        await store.clear();
        return message(`${size} messages of ${store.name} are removed`);
      },
    }),
  ];
}

/** A store, and the message where there is one. */
function placeOf(place: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return pick(place, 'store', 'number');
}

function partsOf({ message: stored }: StoreEntry, masking: Masking): Readonly<Record<string, string>> {
  // Looking derives other forms of a payload: the stored one keeps its own.
  const seen = { ...stored, payload: stored.payload.clone(), exchange: { operation: noOperation } };
  return Object.fromEntries(
    takeSnapshot(seen, { recorded: everything, cover: masking.begin(), looksIntoPayloads: true }),
  );
}

function itemOf(entry: StoreEntry, masking: Masking): unknown {
  const { payload = '', ...parts } = partsOf(entry, masking);
  const type = Object.entries(parts).find(([name]) => name.toLowerCase() === 'header:content-type')?.[1];
  return {
    number: entry.number,
    id: entry.message.id,
    contentType: type ?? parts['axis2:messageType'] ?? '',
    characters: payload.length,
    excerpt: payload.slice(0, excerptLength),
    // What a processor noted when it gave the message up for now.
    error: parts['default:ERROR_MESSAGE'],
  };
}
