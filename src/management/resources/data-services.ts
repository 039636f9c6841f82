import { childElements, getAttribute, ownText, type XmlElement } from '#xml';
import { addressesOf, childOf, namedValues, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
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
