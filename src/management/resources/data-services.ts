import { basename } from 'node:path';
import { formatProblem } from '#errors';
import { maskText } from '#mediation';
import { defineOperation, type Operation } from '#rest';
import { childElements, getAttribute, ownText, type XmlElement } from '#xml';
import { addressesOf, childOf, namedValues, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import { refusal } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';
import { descriptionsOf } from './proxy-services.ts';

/** `/data-services` (management 1.6). */
export const dataServices: ArtifactResource = {
  path: '/data-services',
  kind: 'data',
  title: 'data service',
  parameter: 'dataServiceName',
  missing: 'bare',
  item: ({ name }, runtime) => ({ name, ...descriptionsOf(name, runtime) }),
  detail: describe,
};

/** `/data-services/{name}/fault` (management 1.7). */
export function dataServiceFault({ deployer }: ManagedRuntime): Operation {
  return defineOperation({
    id: 'getDataServiceFault',
    method: 'GET',
    path: '/data-services/{name}/fault',
    summary: 'Why a data service could not be deployed: the one of that name, or of the file of that name',
    responses: {
      200: { description: 'The reasons under faultStackTrace' },
      404: { description: 'Nothing is wrong with one of that name' },
    },
    scope: 'read',
    handle({ path }) {
      const name = path['name'] ?? '';
      const running = deployer.current.artifacts.get(`data:${name}`)?.file;
      const reasons = deployer.problems.filter(({ severity, position }) => {
        const file = position?.file ?? '';
        return severity === 'error' && file !== '' && (file === running || basename(file) === `${name}.dbs`);
      });
      if (reasons.length > 0) return { faultStackTrace: maskText(reasons.map(formatProblem).join('\n')) };
      throw refusal(404, `There is no data service "${name}" that could not be deployed`);
    },
  });
}

function describe({ name, xml, configuration }: ArtifactFacts, runtime: ManagedRuntime): Record<string, unknown> {
  const [address = ''] = addressesOf(runtime, `/services/${name}`);
  return {
    serviceName: name,
    serviceDescription:
      textOf(childOf(xml, 'description'), 'value') || ownText(childOf(xml, 'description') ?? xml).trim(),
    serviceGroupName: getAttribute(xml, 'serviceGroup') ?? name,
    ...descriptionsOf(name, runtime),
    swagger_url: `${address}?swagger.json`,
    queries: named(xml, 'query').map((query) => ({
      id: textOf(query, 'id'),
      dataSourceId: textOf(query, 'useConfig'),
      namespace: textOf(childOf(query, 'result'), 'defaultNamespace'),
    })),
    resources: named(xml, 'resource').map((resource) => ({
      resourcePath: textOf(resource, 'path'),
      resourceMethod: textOf(resource, 'method'),
      ...callOf(resource, 'resourceQuery'),
    })),
    operations: named(xml, 'operation').map((operation) => ({
      operationName: textOf(operation, 'name'),
      ...callOf(operation, 'queryName'),
    })),
    dataSources: named(xml, 'config').map((config) => ({
      dataSourceId: textOf(config, 'id'),
      dataSourceType:
        namedValues(config, 'property')['carbon_datasource_name'] === undefined ? 'RDBMS' : 'CARBON_DATASOURCE',
      dataSourceProperties: namedValues(config, 'property'),
    })),
    configuration,
  };
}

function named(xml: XmlElement, local: string): XmlElement[] {
  return childElements(xml).filter((child) => child.local === local);
}

function callOf(element: XmlElement, field: string): Record<string, unknown> {
  const call = childOf(element, 'call-query');
  const parameters = call ? named(call, 'with-param').map((parameter) => textOf(parameter, 'name')) : [];
  return { [field]: textOf(call, 'href'), queryParams: parameters };
}
