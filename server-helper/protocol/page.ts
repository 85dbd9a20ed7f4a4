/** What a page says of itself, with a question. */

/** Page context, passed to the agent as data. Query and fragment of `url` are removed by the helper. */
export type PageContext = {
  url: string;
  title?: string;
  description?: string;
  language?: string;
  /** What the site's page says of itself. */
  context?: Record<string, unknown>;
};
