import assert from 'node:assert/strict';
import { configureLog } from '#core';
import type { Answer, Ask } from '../effects/effect-server.ts';
import { call as callManagement, tokenOf, twoUsers } from './management-calls.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from './temporary-server.ts';

/** The namespace of artifacts, declared. */
export const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

/** One artifact of each kind, a registry resource and a log file. */
const files = {
  'artifacts/api/orders.xml': `<api ${synapse} name="Orders" context="/orders" version="1.0" version-type="url" hostname="shop.example">
  <resource methods="GET POST" uri-template="/item/{id}">
    <inSequence><property name="kind" value="book"/><payloadFactory media-type="json"><format>{"password":"x1","a":1}</format></payloadFactory><respond/></inSequence>
  </resource>
  <resource methods="DELETE"><inSequence><sequence key="Missing"/></inSequence></resource>
</api>`,
  'artifacts/proxy-services/echo.xml': `<proxy ${synapse} name="Echo"><target><inSequence><respond/></inSequence></target></proxy>`,
  'artifacts/sequences/audit.xml': `<sequence ${synapse} name="Audit" statistics="enable"><log/><drop/></sequence>`,
  'artifacts/endpoints/back.xml': `<endpoint ${synapse} name="Back"><http method="get" uri-template="http://back.example/{uri.var.id}"><timeout><duration>100</duration></timeout></http></endpoint>`,
  'artifacts/endpoints/pool.xml': `<endpoint ${synapse} name="Pool"><loadbalance algorithm="org.apache.synapse.endpoints.algorithms.RoundRobin"><endpoint name="one"><address uri="http://one.example"/></endpoint></loadbalance></endpoint>`,
  'artifacts/templates/say.xml': `<template ${synapse} name="Say"><parameter name="text"/><sequence><log/></sequence></template>`,
  'artifacts/local-entries/note.xml': `<localEntry ${synapse} key="note"><n><password>secret</password></n></localEntry>`,
  'artifacts/local-entries/text.xml': `<localEntry ${synapse} key="text">hello<description>a text</description></localEntry>`,
  'artifacts/message-stores/inbox.xml': `<messageStore ${synapse} name="Inbox"/>`,
  'artifacts/message-processors/mover.xml': `<messageProcessor ${synapse} name="Mover" class="org.apache.synapse.message.processor.impl.sampler.SamplingProcessor" messageStore="Inbox"><parameter name="sequence">Audit</parameter><parameter name="interval">60000</parameter><parameter name="is.active">true</parameter></messageProcessor>`,
  'artifacts/tasks/nightly.xml': `<task ${synapse} name="Nightly" class="org.apache.synapse.startup.tasks.MessageInjector" group="synapse.simple.quartz"><trigger interval="3600" count="-1"/><property ${synapse} name="injectTo" value="sequence"/><property ${synapse} name="sequenceName" value="Audit"/><property ${synapse} name="message" value="hi"/></task>`,
  'artifacts/imports/hello.xml': `<import ${synapse} name="hello" package="org.example" status="disabled"/>`,
  'registry/config/notes/a.txt': 'first',
  'logs/server.log': 'x'.repeat(1300),
};

/** The host name for which the API is there. */
export const host = { Host: 'shop.example' };

/** A server with these artifacts and two users, `root` and `guest`, both signed in to its management API. */
export interface ManagedServer extends AsyncDisposable {
  readonly server: TemporaryServer;
  /** The token of each user. */
  readonly tokens: Map<string, string>;
  readonly call: (request: string, options?: Ask) => Promise<Answer>;
  /** Calls as a user who signed in; `json` is the body. */
  readonly as: (user: string, request: string, json?: unknown) => Promise<Answer>;
  /** What the administrator reads. */
  readonly read: (request: string) => Promise<unknown>;
}

/** @param extra further files of its home */
export async function startManagedServer(extra: Readonly<Record<string, string>> = {}): Promise<ManagedServer> {
  configureLog({ level: 'silent', format: 'json' });
  const server = await startTemporaryServer({ ...files, ...extra }, `${freePorts}\n${twoUsers('a:b')}`);
  const tokens = new Map<string, string>();
  const call = (request: string, options?: Ask): Promise<Answer> => callManagement(server, request, options);
  const as = (user: string, request: string, json?: unknown): Promise<Answer> =>
    call(request, {
      headers: {
        Authorization: `Bearer ${tokens.get(user) ?? ''}`,
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  const read = async (request: string): Promise<unknown> => {
    const answer = await as('root', request);
    assert.equal(answer.status, 200, `${request}: ${answer.body}`);
    return JSON.parse(answer.body);
  };
  tokens.set('root', await tokenOf(server, 'root', 'a:b'));
  tokens.set('guest', await tokenOf(server, 'guest'));
  return { server, tokens, call, as, read, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
