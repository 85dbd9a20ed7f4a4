import { readEnvironment } from 'porchlight/environment';
import { createRoute } from 'porchlight/next';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRoute(readEnvironment);
