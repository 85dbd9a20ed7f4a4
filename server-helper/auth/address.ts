/** Which address a request counts for, and a word in the log where all visitors count for one. */
import type { Log } from '../log.ts';
import { sharedAddress, toLimitAddress } from './limit.ts';

export function createAddressReader(config: { limited: boolean; trustedProxies: number; log: Log }) {
  const { limited, trustedProxies, log } = config;
  let isWarned = !limited;
  const warn = (message: string) => {
    if (!isWarned) log.warn({}, `visitors share one limit: ${message}`);
    isWarned = true;
  };
  /** @param socketAddress of whoever is connected, a proxy perhaps */
  return (socketAddress: string | undefined, headers: Headers): string => {
    const forwarded = headers.get('x-forwarded-for');
    const known = toLimitAddress(socketAddress, forwarded, trustedProxies);
    if (known === undefined) warn('no address of theirs is known; pass edge.address to fetch');
    else if (trustedProxies === 0 && forwarded !== null && isPrivateAddress(known))
      warn('a proxy stands before the helper; set trustedProxies, PORCHLIGHT_TRUSTED_PROXIES');
    else if (forwarded !== null && forwarded.split(',').length < trustedProxies && isPrivateAddress(known))
      warn('fewer proxies stand before the helper; lower trustedProxies, PORCHLIGHT_TRUSTED_PROXIES');
    return known ?? sharedAddress;
  };
}

/** Of this machine or its own network, where proxies are. */
function isPrivateAddress(address: string): boolean {
  return /^(?:127|10|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.|^(?:::1?$|::1\/|f[cd]|fe80)|^0:0:0:0:/i.test(
    address,
  );
}
