/** The shop's own sign-in: a cookie and a map, as little as a demonstration needs. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Result } from './reply.ts';
import { type Customer, readCustomer } from './shop.ts';

const cookieName = 'larkfield';
const cookieRules = 'Path=/; HttpOnly; SameSite=Lax';
const maxSessions = 1000;

export type ShopSessions = {
  signIn(email: unknown): Result | undefined;
  signOut(request: IncomingMessage): Result;
  readMe(request: IncomingMessage): { signedIn: boolean; email?: string; name?: string };
  readCustomer(request: IncomingMessage): Customer | undefined;
};

export function createShopSessions(): ShopSessions {
  const signedIn = new Map<string, Customer>();
  const readId = (request: IncomingMessage) =>
    new RegExp(`(?:^|;\\s*)${cookieName}=([0-9a-f]+)`).exec(request.headers.cookie ?? '')?.[1] ?? '';

  return {
    signIn(email) {
      const customer = typeof email === 'string' ? readCustomer(email) : undefined;
      if (!customer) return undefined;
      const oldest = signedIn.keys().next().value;
      if (signedIn.size >= maxSessions && oldest !== undefined) signedIn.delete(oldest);
      const id = randomBytes(16).toString('hex');
      signedIn.set(id, customer);
      return { cookie: `${cookieName}=${id}; ${cookieRules}`, body: { signedIn: true } };
    },
    signOut(request) {
      signedIn.delete(readId(request));
      return { cookie: `${cookieName}=; Max-Age=0; ${cookieRules}`, body: { signedIn: false } };
    },
    readMe(request) {
      const customer = signedIn.get(readId(request));
      return customer ? { signedIn: true, email: customer.email, name: customer.name } : { signedIn: false };
    },
    readCustomer: (request) => signedIn.get(readId(request)),
  };
}
