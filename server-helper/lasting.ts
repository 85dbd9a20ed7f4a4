/** A turn goes on when its reader has left: what runs the helper has to outlive its replies. */

/** What tells one runtime from another. */
type Scope = { navigator?: { userAgent?: unknown } | undefined; EdgeRuntime?: unknown };

/** @throws TypeError where what still runs is ended, or frozen, once a reply is over */
export function requireLasting({ navigator, EdgeRuntime }: Scope = globalThis as Scope): void {
  const isWorkers = navigator?.userAgent === 'Cloudflare-Workers';
  if (!isWorkers && EdgeRuntime === undefined) return;
  throw new TypeError(
    `The helper cannot run ${isWorkers ? 'in Cloudflare Workers' : 'in an edge runtime'}: what runs there ends with its reply, and an answer has to go on when its reader has left. Run it beside, by npx porchlight serve, or on Node, Deno or Bun; tokens can be minted here.`,
  );
}
