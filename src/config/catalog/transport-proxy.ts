import { defineSection, key } from './define.ts';
import { list, port, secret, text } from './types.ts';

export const transportPassthruHttpSenderParameters = defineSection({
  path: 'transport.passthru_http.sender.parameters',
  doc: 'Proxy profiles as XML.',
  keys: {
    proxyProfiles: key('proxyProfiles', text(), {
      required: true,
      whenAbsent: 'no proxy profiles',
      doc: 'Profiles.',
      effect: 'parsed as XML; equal to option 2; both present -> option 2 wins with a warning.',
    }),
    proxyProfilesTargetHosts: key('proxyProfiles/targetHosts', list(), {
      required: true,
      whenAbsent: 'no proxy profiles',
      doc: 'Target hosts.',
      effect: 'comma list; each a full-match regular expression on the host; * is the default profile, tried last.',
    }),
    proxyProfilesProxyHost: key('proxyProfiles/proxyHost', text(), {
      required: true,
      whenAbsent: 'no proxy profiles',
      doc: 'Proxy host.',
      effect: 'start-up error when missing.',
    }),
    proxyProfilesProxyPort: key('proxyProfiles/proxyPort', port(), {
      required: true,
      whenAbsent: 'no proxy profiles',
      doc: 'Proxy port.',
      effect: 'start-up error when missing; negative means 80.',
    }),
    proxyProfilesProxyUserName: key('proxyProfiles/proxyUserName', text(), {
      required: true,
      whenAbsent: 'no proxy profiles',
      doc: 'Proxy user.',
      effect: 'Proxy-Authorization Basic.',
    }),
    proxyProfilesProxyPassword: key('proxyProfiles/proxyPassword', secret(), {
      required: true,
      whenAbsent: 'no proxy profiles',
      doc: 'Proxy password.',
      effect: 'may be $secret{}.',
    }),
  },
});

export const transportHttpProxyProfile = defineSection({
  path: 'transport.http.proxy_profile',
  repeated: true,
  doc: 'Proxies of the HTTP sender.',
  keys: {
    targetHosts: key('target_hosts', list(), {
      required: true,
      doc: 'Hosts of http calls that the proxy serves.',
      effect: 'regular expressions that match the whole host name.',
    }),
    proxyHost: key('proxy_host', text(), {
      required: true,
      doc: 'Proxy host.',
      effect: 'proxy of calls to these hosts.',
    }),
    proxyPort: key('proxy_port', port(), { required: true, doc: 'Proxy port.', effect: 'integer or quoted.' }),
    proxyUsername: key('proxy_username', text(), { doc: 'Proxy user.', effect: 'Proxy-Authorization.' }),
    proxyPassword: key('proxy_password', secret(), {
      doc: 'Proxy password.',
      effect: 'Proxy-Authorization; empty when absent.',
    }),
    bypassHosts: key('bypass_hosts', list(), { doc: 'Direct hosts.', effect: 'full-match regular expressions.' }),
  },
});

export const transportHttpSecuredProxyProfile = defineSection({
  path: 'transport.http.secured_proxy_profile',
  repeated: true,
  doc: 'Proxies of the HTTPS sender.',
  keys: {
    targetHosts: key('target_hosts', list(), {
      required: true,
      doc: 'Hosts of https calls that the proxy serves.',
      effect: 'regular expressions that match the whole host name.',
    }),
    proxyHost: key('proxy_host', text(), {
      required: true,
      doc: 'Proxy host.',
      effect: 'proxy of calls to these hosts.',
    }),
    proxyPort: key('proxy_port', port(), { required: true, doc: 'Proxy port.', effect: 'integer or quoted.' }),
    proxyUsername: key('proxy_username', text(), { doc: 'Proxy user.', effect: 'Proxy-Authorization.' }),
    proxyPassword: key('proxy_password', secret(), {
      doc: 'Proxy password.',
      effect: 'Proxy-Authorization; empty when absent.',
    }),
    bypassHosts: key('bypass_hosts', list(), { doc: 'Direct hosts.', effect: 'full-match regular expressions.' }),
  },
});
