/** The least a relay on Node can do: bytes from one socket to another, nothing read, nothing kept. A yardstick, no helper. */
import { connect, createServer } from 'node:net';

createServer({ noDelay: true }, (visitor) => {
  const agent = connect({ port: Number(process.env.UPSTREAM_PORT), host: '127.0.0.1', noDelay: true });
  for (const [one, other] of [
    [visitor, agent],
    [agent, visitor],
  ])
    one
      .on('error', () => {})
      .on('close', () => other.destroy())
      .pipe(other);
}).listen(Number(process.env.PORT), '127.0.0.1', 4096);
