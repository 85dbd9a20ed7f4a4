import { createServer } from 'node:http';
import { readEnvironment } from 'porchlight/environment';
import { createNodeHelper } from 'porchlight/node';

const helper = createNodeHelper(readEnvironment());
createServer((request, response) => {
  helper.listener(request, response, () => response.end('the site'));
}).listen(process.env.PORT);
