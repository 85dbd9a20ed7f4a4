/** The built widget as a module, so that no runtime needs a file system to serve it. The build fills it (vite.config.ts). */
export type BundledFile = { name: string; text: string; brotli?: string; etag?: string };

export const files: BundledFile[] = [];
