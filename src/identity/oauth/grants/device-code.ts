import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';

/** `device_code`: a device asks whether its user has agreed (RFC 8628 §3.4, identity 3.9). */
export const deviceCode = defineGrant({
  name: 'urn:ietf:params:oauth:grant-type:device_code',
  section: 'device_code',
  required: ['device_code'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ client, parameters }, { devices, settings }) {
    const poll = await devices.poll(parameters.get('device_code') ?? '', client.id);
    if (poll.state === 'unknown') {
      const code = settings.compat.unknownDeviceCode ? 'invalid_request' : 'invalid_grant';
      throw new OAuthError(code, 'The device code is not known');
    }
    if (poll.state !== 'approved') throw answers[poll.state]();
    return { ...poll.approval, scopesAreFinal: true };
  },
});

const answers = {
  pending: () => new OAuthError('authorization_pending', 'Precondition required'),
  early: () => new OAuthError('slow_down', 'Forbidden'),
  denied: () => new OAuthError('access_denied', 'The user did not agree'),
  expired: () => new OAuthError('expired_token', 'The device code has ended'),
} as const;
