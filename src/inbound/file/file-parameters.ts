import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JavaRegex } from '#core/java';
import { MillraceError } from '#errors';
import { anyText, flag, javaPattern, required, wholeNumber, word, type ParameterRule } from '../parameter-rules.ts';
import type { ResolvedParameters } from '../parameters.ts';
import { pollingParameters } from '../poll.ts';

/** A place in the local file system. */
export interface FilePlace {
  readonly path: string;
  /** True when folders below count, too. */
  readonly isDeep: boolean;
}

const filePlace: ParameterRule<FilePlace> = {
  read(value, name) {
    const text = anyText.read(value, name).split('?', 1)[0] ?? '';
    const isDeep = text.endsWith('/*');
    const plain = isDeep ? text.slice(0, -2) : text;
    if (isAbsolute(plain)) return { path: plain, isDeep };
    const [, scheme] = /^([a-z][\w+.-]*):/i.exec(plain) ?? [];
    if (scheme?.toLowerCase() === 'file' && URL.canParse(plain)) return { path: fileURLToPath(plain), isDeep };
    const found = scheme === undefined || scheme.toLowerCase() === 'file' ? `"${text}"` : `the scheme "${scheme}"`;
    const message = `the parameter "${name}" must be an address such as file:///home/user/in; found ${found}`;
    throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
  },
};

const action = word(['DELETE', 'MOVE', 'NONE'] as const);
const switched = word(['enable', 'disable'] as const);
const sortAttribute = word(['NONE', 'Name', 'Size', 'Lastmodifiedtimestamp'] as const);
const milliseconds = wholeNumber(0);
const refusedReply: ParameterRule<never> = {
  read(_, name) {
    const message = `answers are not written to files; remove the parameter "${name}"`;
    throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
  },
};

/** Parameters of `file` (mediators 12.2), without `transport.vfs.`; `anyText` stands for what concerns other systems. */
const rules = {
  FileURI: required(filePlace),
  ContentType: anyText,
  FileNamePattern: javaPattern,
  ActionAfterProcess: action,
  ActionAfterFailure: action,
  ActionAfterErrors: action,
  MoveAfterProcess: filePlace,
  MoveAfterFailure: filePlace,
  MoveAfterErrors: filePlace,
  MoveTimestampFormat: anyText,
  SubFolderTimestampFormat: anyText,
  CreateFolder: flag,
  Locking: switched,
  AutoLockRelease: flag,
  AutoLockReleaseInterval: milliseconds,
  LockReleaseSameNode: flag,
  DistributedLock: flag,
  DistributedTimeout: milliseconds,
  FileSortAttribute: sortAttribute,
  FileSortAscending: flag,
  FileProcessInterval: milliseconds,
  FileProcessCount: wholeNumber(1),
  FileSizeLimit: wholeNumber(-1),
  MaxRetryCount: wholeNumber(0),
  ReconnectTimeout: milliseconds,
  Streaming: flag,
  Build: flag,
  WaitTimeBeforeRead: milliseconds,
  UpdateLastModified: flag,
  MinimumAge: milliseconds,
  MaximumAge: milliseconds,
  ReplyFileURI: refusedReply,
  ReplyFileName: anyText,
  Append: flag,
  SFTPIdentities: anyText,
  SFTPIdentityPassPhrase: anyText,
  SFTPUserDirIsRoot: flag,
  FailedRecordsFileName: anyText,
  FailedRecordsFileDestination: anyText,
  MoveFailedRecordTimestampFormat: anyText,
  FailedRecordNextRetryDuration: milliseconds,
} as const;

const prefix = 'transport.vfs.';

export const fileParameters = {
  ...pollingParameters,
  ...Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${prefix}${name}`, rule])),
};

/** What becomes of a file. */
export interface AfterAction {
  readonly kind: 'DELETE' | 'MOVE' | 'NONE';
  /** The folder for `MOVE`. */
  readonly folder: string | undefined;
}

/** Everything that an endpoint says about its files; times are in milliseconds. */
export interface FileSettings {
  readonly place: FilePlace;
  readonly contentType: string | undefined;
  readonly pattern: JavaRegex | undefined;
  readonly after: Readonly<Record<'process' | 'failure' | 'errors', AfterAction>>;
  readonly moveTimestamp: string | undefined;
  readonly subFolderTimestamp: string | undefined;
  readonly createsFolders: boolean;
  readonly locks: boolean;
  /** Age at which a lock that was left behind is taken over; undefined for never. */
  readonly lockExpiry: number | undefined;
  /** True when only locks of this node are taken over. */
  readonly ownLocksOnly: boolean;
  readonly sortBy: 'NONE' | 'Name' | 'Size' | 'Lastmodifiedtimestamp';
  readonly ascending: boolean;
  /** Pause between two files. */
  readonly pause: number;
  readonly mostFiles: number;
  /** In bytes; negative for no limit. */
  readonly sizeLimit: number;
  readonly streams: boolean;
  readonly waitBeforeRead: number;
  readonly touches: boolean;
  readonly minimumAge: number;
  readonly maximumAge: number;
  /** Pause before what could not be moved or deleted is tried again. */
  readonly retryPause: number;
}

const defaultLockExpiry = 20_000;
const defaultRetryPause = 3000;

/** Reads the settings. @throws ProblemsError for values that do not fit */
export function readFileSettings(parameters: ResolvedParameters): FileSettings {
  const get = <N extends keyof typeof rules>(name: N): ReturnType<(typeof rules)[N]['read']> | undefined =>
    parameters.get(`${prefix}${name}`, rules[name] as ParameterRule<ReturnType<(typeof rules)[N]['read']>>);
  const place = get('FileURI');
  if (!place) throw missing('FileURI');
  get('ReplyFileURI');
  const after = (kind: AfterAction['kind'] | undefined, folder: FilePlace | undefined, name: string): AfterAction => {
    if (kind === 'MOVE' && !folder) throw missing(name);
    return { kind: kind ?? 'DELETE', folder: folder?.path };
  };
  return {
    place,
    contentType: get('ContentType'),
    pattern: get('FileNamePattern'),
    after: {
      process: after(get('ActionAfterProcess'), get('MoveAfterProcess'), 'MoveAfterProcess'),
      failure: after(get('ActionAfterFailure'), get('MoveAfterFailure'), 'MoveAfterFailure'),
      errors: after(get('ActionAfterErrors'), get('MoveAfterErrors'), 'MoveAfterErrors'),
    },
    moveTimestamp: get('MoveTimestampFormat'),
    subFolderTimestamp: get('SubFolderTimestampFormat'),
    createsFolders: get('CreateFolder') ?? false,
    locks: get('Locking') !== 'disable',
    lockExpiry: get('AutoLockRelease') === true ? (get('AutoLockReleaseInterval') ?? defaultLockExpiry) : undefined,
    ownLocksOnly: get('LockReleaseSameNode') ?? true,
    sortBy: get('FileSortAttribute') ?? 'NONE',
    ascending: get('FileSortAscending') ?? true,
    pause: get('FileProcessInterval') ?? 0,
    mostFiles: get('FileProcessCount') ?? Number.POSITIVE_INFINITY,
    sizeLimit: get('FileSizeLimit') ?? -1,
    streams: get('Streaming') ?? false,
    waitBeforeRead: get('WaitTimeBeforeRead') ?? 0,
    touches: get('UpdateLastModified') ?? true,
    minimumAge: (get('MinimumAge') ?? 0) * 1000,
    maximumAge: (get('MaximumAge') ?? Number.POSITIVE_INFINITY) * 1000,
    retryPause: get('FailedRecordNextRetryDuration') ?? defaultRetryPause,
  };
}

function missing(name: string): MillraceError {
  return new MillraceError({
    code: 'MR_INBOUND_PARAMETER',
    message: `the inbound endpoint needs the parameter "${prefix}${name}"`,
  });
}
