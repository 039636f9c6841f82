import { dashboardConfig, internalApis, internalApisUsers, managementApi, userAccess, type Config } from '#config';
import type { ConfiguredUser, TokenSettings } from '#management';
import type { CorsOptions } from '#rest';

/** What the management API reads from the configuration (management 1.1). */
export interface ManagementSettings {
  readonly protocols: readonly ('http' | 'https')[];
  /** Undefined when callers need no token. */
  readonly tokens: TokenSettings | undefined;
  readonly isBasic: boolean;
  readonly checksAdmin: boolean;
  readonly othersOnlyRead: boolean;
  readonly cors: CorsOptions | undefined;
  /** The accounts of the file; undefined when it does not hold any or they are switched off. */
  readonly users: readonly ConfiguredUser[] | undefined;
}

export function readManagementSettings(config: Config): ManagementSettings {
  const words = config.get(managementApi.protocols).toLowerCase();
  const takesTokens = config.get(managementApi.jwtTokenSecurityHandlerEnable);
  const origins = config.get(managementApi.corsAllowedOrigins);
  const users = config.list(internalApisUsers).flatMap((reader): ConfiguredUser[] => {
    const name = reader.get(internalApisUsers.userName);
    const password = reader.get(internalApisUsers.userPassword);
    const isAdmin = reader.get(internalApisUsers.userIsAdmin) === true;
    return name === undefined || password === undefined ? [] : [{ name, password, isAdmin }];
  });
  return {
    protocols: (['http', 'https'] as const).filter((name) => words.split(/[\s,]+/).includes(name)),
    tokens: takesTokens
      ? {
          maxSize: config.get(managementApi.jwtTokenSecurityHandlerTokenStoreConfigMaxSize),
          cleanUpInterval: config.milliseconds(managementApi.jwtTokenSecurityHandlerTokenStoreConfigCleanUpInterval),
          removesOldest: config.get(managementApi.jwtTokenSecurityHandlerTokenStoreConfigRemoveOldestTokenOnOverflow),
          expiry: config.milliseconds(managementApi.jwtTokenSecurityHandlerTokenConfigExpiry) / 1000,
          keySize: config.get(managementApi.jwtTokenSecurityHandlerTokenConfigSize),
        }
      : undefined,
    isBasic: config.get(managementApi.basicSecurityHandlerEnable),
    checksAdmin: config.get(managementApi.authorizationHandlerEnable),
    othersOnlyRead: config.get(userAccess.makeNonAdminUsersReadOnly),
    cors: config.get(managementApi.corsEnable)
      ? {
          origins: origins.includes('*') ? '*' : origins,
          headers: config.get(managementApi.corsAllowedHeaders),
          methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        }
      : undefined,
    users: config.get(internalApis.fileUserStoreEnable) && users.length > 0 ? users : undefined,
  };
}

/** Where this runtime announces itself (management 2.1); undefined when nowhere. */
export interface AnnouncementSettings {
  readonly dashboardUrl: string;
  readonly groupId: string;
  /** Undefined for one that is made up and kept. */
  readonly nodeId: string | undefined;
  readonly interval: number;
  readonly hostname: string | undefined;
  readonly port: number | undefined;
}

export function readAnnouncement(config: Config): AnnouncementSettings | undefined {
  const dashboardUrl = config.get(dashboardConfig.dashboardUrl);
  if (dashboardUrl === undefined || dashboardUrl === '') return undefined;
  return {
    dashboardUrl,
    groupId: config.get(dashboardConfig.groupId),
    nodeId: config.get(dashboardConfig.nodeId),
    interval: config.milliseconds(dashboardConfig.heartbeatInterval),
    hostname: config.get(dashboardConfig.managementHostname),
    port: config.get(dashboardConfig.managementPort),
  };
}
