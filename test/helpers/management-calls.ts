import { ask, type Answer, type Ask } from '../effects/effect-server.ts';
import type { TemporaryServer } from './temporary-server.ts';

/** Lines of a configuration with the administrator `root` and with `guest`. */
export function twoUsers(rootPassword = 'root'): string {
  return `[[internal_apis.users]]
user.name = "root"
user.password = "${rootPassword}"
user.is_admin = true
[[internal_apis.users]]
user.name = "guest"
user.password = "guest"
`;
}

/** The header of HTTP Basic. */
export function basic(user: string, password: string = user): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Calls the management API. */
export async function call(server: TemporaryServer, request: string, options: Ask = {}): Promise<Answer> {
  const [method = 'GET', path = ''] = request.split(' ');
  const answer = await ask(`${server.url('Management')}/management${path}`, { method, ...options });
  if (typeof answer === 'string') throw new Error(`${request}: ${answer}`);
  return answer;
}

/** Signs in. @returns the token */
export async function tokenOf(server: TemporaryServer, user: string, password: string = user): Promise<string> {
  const { body } = await call(server, 'GET /login', { headers: basic(user, password) });
  return (JSON.parse(body) as { AccessToken: string }).AccessToken;
}

/** Signs in and gives the header of later calls. */
export async function bearer(server: TemporaryServer, user = 'root'): Promise<Record<string, string>> {
  return { Authorization: `Bearer ${await tokenOf(server, user)}` };
}
