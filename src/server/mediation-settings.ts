import { compileJavaRegex } from '#core/java';
import {
  compat,
  mediation,
  millrace,
  passthruHttp,
  synapseProperties,
  systemParameter,
  type Bag,
  type Config,
} from '#config';
import { MillraceError, messageOf } from '#errors';
import type { MappingOptions } from '#json';
import type { ConnectionSettings, MediationSettings } from '#mediation';
import { proxyOf } from './proxies.ts';

/** Most bytes of a body that is built in memory when the configuration sets no limit. */
const defaultBodyLimit = 64 * 1024 * 1024;

/** Prefix of the names that the JSON settings have in the original's own file. */
const json = 'synapse.commons.json';

/**
 * Reads what mediation wants to know.
 *
 * @throws MillraceError for a time zone or a regular expression that does not exist
 */
export function readMediation(config: Config): MediationSettings {
  const properties = config.bag(synapseProperties);
  const preserved = lowerCased(config.get(passthruHttp.httpHeadersPreserve));
  const preservedInResponses = [...preserved, ...lowerCased(config.get(passthruHttp.httpResponseHeadersPreserve))];
  const isLimited = config.get(passthruHttp.messageSizeValidationEnabled);
  const subDelimiters = 'synapse.allow.subdelims';
  const oauth = 'synapse.endpoint.http.oauth';
  return {
    globalTimeout: config.milliseconds(mediation.synapseGlobalTimeoutInterval),
    maxBodyBytes: isLimited ? config.get(passthruHttp.validMaxMessageSizeInBytes) : defaultBodyLimit,
    preservedHeaders: new Set([
      ...preserved,
      ...(config.get(passthruHttp.httpUserAgentPreserve) ? ['user-agent'] : []),
    ]),
    preservedResponseHeaders: new Set([
      ...preservedInResponses,
      ...(config.get(passthruHttp.httpServerPreserve) ? ['server'] : []),
    ]),
    suspendDuration: numberOf(properties['synapse.global_endpoint_suspend_duration'], 30_000),
    suspendFactor: numberOf(properties['synapse.global_endpoint_suspend_progression_factor'], 1),
    overridesSuspension: isTrue(properties['synapse.override_endpoint_suspend_config_with_global_values']),
    allowsSubDelimiters: isTrue(properties[subDelimiters] ?? config.bag(systemParameter)[subDelimiters]),
    jsonMapping: readMapping(config, properties),
    timeZone: readTimeZone(config),
    ...readFailover(config),
    tokenConnection: readTokenConnection(config),
    sessionTimeout: numberOf(properties['synapse.sal.endpoints.sesssion.timeout.default'], 600_000),
    tokenLifetime: numberOf(properties[`${oauth}.cache.timeout`], 3000) * 1000,
    inboundConcurrency: Math.max(1, config.get(mediation.inboundCoreThreads), config.get(mediation.inboundMaxThreads)),
    resendsUnauthorized: !isTrue(properties[`${oauth}.token.retry.message.building.disabled`]),
    scripts: {
      poolSize: config.get(mediation.synapseScriptMediatorPoolSize),
      timeout: config.milliseconds(millrace.scriptTimeout),
      memory: config.get(millrace.scriptMemory),
      usesRhino: properties['synapse.script.mediator.default.engine'] === 'rhinoJs',
    },
  };
}

/** How often a group tries another member, and for how long the last one rests; undefined leaves it to the group. */
function readFailover(config: Config): Pick<MediationSettings, 'maximumFailovers' | 'failoverRest'> {
  const retries = config.get(mediation.synapseMaximumFailoverRetries);
  const rest = config.milliseconds(mediation.synapseSuspendDurationOnMaximumFailover);
  return {
    ...(retries === undefined ? {} : { maximumFailovers: retries }),
    ...(rest === undefined ? {} : { failoverRest: rest }),
  };
}

/** Connections to token servers, for the endpoints that ask for the common settings. */
function readTokenConnection(config: Config): ConnectionSettings {
  const host = config.get(mediation.httpClientGlobalProxyHost);
  const user = config.get(mediation.httpClientGlobalProxyUsername);
  const password = config.get(mediation.httpClientGlobalProxyPassword);
  const port = config.get(mediation.httpClientGlobalProxyPort) ?? -1;
  const proxy = host === undefined ? undefined : proxyOf({ host, port, user, password });
  return {
    connectTimeout: config.milliseconds(mediation.httpClientGlobalConnectionTimeout),
    socketTimeout: config.milliseconds(mediation.httpClientGlobalSocketTimeout),
    proxy: proxy && (() => proxy),
  };
}

/** `mediation.synapse.*` and the properties of the original for JSON and XML (runtime-core 6.7). */
function readMapping(config: Config, properties: Bag): MappingOptions {
  const { synapseDisableAutoPrimitiveRegex, synapseDisableCustomReplaceRegex } = mediation;
  const kept = config.get(synapseDisableAutoPrimitiveRegex);
  const keptPattern = kept === undefined ? undefined : regexOf(kept, synapseDisableAutoPrimitiveRegex.path);
  const marker = config.get(synapseDisableCustomReplaceRegex);
  const markerPattern = marker === undefined ? undefined : regexOf(marker, synapseDisableCustomReplaceRegex.path);
  const replacement = properties[`${json}.json.output.disableAutoPrimitive.customReplaceSequence`] ?? '';
  const separator = properties[`${json}.output.namespaceSepChar`];
  return {
    nil: config.get(mediation.synapseEnableXmlNil),
    preserveNamespace: config.get(mediation.synapsePreserveNamespaceOnXmlToJson),
    namespaceDeclarations: config.get(mediation.synapseEnableNamespaceDeclaration),
    validNames: config.get(mediation.synapseBuildValidNcName),
    // The document's `false` is a sample: absent, both hold as in the original.
    autoPrimitive:
      !config.has(mediation.synapseEnableAutoPrimitive) || config.get(mediation.synapseEnableAutoPrimitive) === true,
    autoArray: !config.has(mediation.synapseJsonOutAutoArray) || config.get(mediation.synapseJsonOutAutoArray) === true,
    readMultiple: properties[`${json}.output.jsonoutMultiplePI`] !== 'false',
    writeMultiple:
      isTrue(properties[`${json}.output.xmloutMultiplePI`]) ||
      isTrue(properties['synapse.json.to.xml.processing.instruction.enabled']),
    lossless: config.get(compat.losslessJson),
    nullForEmptyElement: properties['synapse.commons.enableXmlNullForEmptyElement'] !== 'false',
    ...(separator === undefined ? {} : { namespaceSeparator: separator }),
    ...(keptPattern ? { keepString: (text: string) => keptPattern.matches(text) } : {}),
    ...(markerPattern
      ? {
          replaceMarker(text: string) {
            const found = markerPattern.exec(text);
            return found?.index === 0 ? `${replacement}${text.slice(found.end)}` : undefined;
          },
        }
      : {}),
  };
}

function regexOf(pattern: string, path: string): ReturnType<typeof compileJavaRegex> {
  try {
    return compileJavaRegex(pattern);
  } catch (error) {
    throw new MillraceError({
      code: 'MR_CONFIG_REGEX',
      message: `${path} is not a regular expression: ${messageOf(error)}`,
      cause: error,
    });
  }
}

function readTimeZone(config: Config): string {
  const wanted = config.get(millrace.timeZone);
  try {
    return new Intl.DateTimeFormat('en', wanted === undefined ? {} : { timeZone: wanted }).resolvedOptions().timeZone;
  } catch (error) {
    throw new MillraceError({
      code: 'MR_CONFIG_TIME_ZONE',
      message: `${millrace.timeZone.path} must be the name of a time zone such as Europe/Zurich; found "${wanted}"`,
      cause: error,
    });
  }
}

function lowerCased(names: readonly string[] | undefined): string[] {
  return (names ?? []).map((name) => name.toLowerCase());
}

function isTrue(text: string | undefined): boolean {
  return text === 'true';
}

function numberOf(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text === undefined || Number.isNaN(value) ? fallback : value;
}
