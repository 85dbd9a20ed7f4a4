import express from 'express';
import { readEnvironment } from 'porchlight/environment';
import { createNodeHelper } from 'porchlight/node';

const app = express();
const helper = createNodeHelper(readEnvironment());
app.use(helper.listener); // before express.json() and the like
app.get('/', (_request, response) => response.send('the site'));
app.listen(process.env.PORT);
