import Koa from 'koa';
import { readEnvironment } from 'porchlight/environment';
import { createNodeHelper } from 'porchlight/node';

const app = new Koa();
const helper = createNodeHelper(readEnvironment());
app.use(async (context, next) => {
  if (!context.path.startsWith(`${helper.basePath}/`)) return next();
  context.respond = false;
  helper.listener(context.req, context.res);
});
app.use((context) => {
  context.body = 'the site';
});
app.listen(process.env.PORT);
