/** Tools: what the agent may call, each an HTTP endpoint of the site, or run by the caller, with its approval level. */

import { withDeadline } from './deadline.ts';
import { toOriginHeaders } from './workflows/origin.ts';

export interface ToolOptions {
  name: string;
  title: string;
  description: string;
  /** Absent: the caller runs it, for which the turn pauses, and brings the result. */
  url?: string;
  /** `always` pauses the turn until somebody decides. */
  approval: 'auto' | 'always';
  /** JSON schema of the parameters; `examples` show the built-in answerer what a value looks like. */
  parameters: Record<string, unknown>;
  /** Sent along with each call, for example a secret by which the endpoint knows who calls. */
  headers?: Record<string, string>;
  /** `staff_only`: offered to those who run the site alone. Default: `public_safe` */
  access?: ToolAccess;
  /** What visitors say when they want it, for the built-in answerer: "where is my order", "in stock". */
  phrases?: string[];
}

export const toolAccess = ['public_safe', 'staff_only'] as const;
export type ToolAccess = (typeof toolAccess)[number];

export type ToolParameters = Record<string, unknown>;

export interface ToolOutcome {
  ok: boolean;
  /** The HTTP status, where one was received. */
  status?: number;
  result: unknown;
}

/** Who asks, as the service knows from single sign-on: an endpoint may believe it where it knows the caller. */
export interface ToolMember {
  id: string;
  email: string;
}

/** A tool server, or the service itself. */
export interface ToolOrigin {
  id: string;
  /** Shown to who decides about it. */
  label: string;
}

export const builtIn: ToolOrigin = { id: 'built-in', label: 'built-in' };

export interface Tool {
  name: string;
  title: string;
  description: string;
  approval: 'auto' | 'always';
  parameters: Record<string, unknown>;
  phrases?: string[];
  access?: ToolAccess;
  /** Whose it is; absent: the site's. */
  server?: ToolOrigin;
  /** Nothing runs it: the visitor answers. */
  isQuestion?: true;
  /** Nothing runs it here: the caller brings the result. */
  isCallers?: true;
  /** Before anybody is asked to decide. @returns what is told instead */
  refuse?(parameters: ToolParameters): ToolOutcome | undefined;
  run(parameters: ToolParameters, signal: AbortSignal, member?: ToolMember): Promise<ToolOutcome>;
}

const siteOrigin = 'site';
export const originOf = ({ server }: Pick<Tool, 'server'>): string => server?.id ?? siteOrigin;

/** By its name, but for a server's: that has another where one of its name comes or goes. @param origin see `originOf` */
export function findTool(tools: readonly Tool[], name: string, origin: string): Tool | undefined {
  return tools.find((tool) => originOf(tool) === origin && (isServers(tool) || tool.name === name));
}

/** A tool server's. */
export const isServers = ({ server }: Pick<Tool, 'server'>): boolean =>
  server !== undefined && server.id !== builtIn.id;

const timeoutMs = 10_000;
/** Of what a tool gives. */
export const maxReplyBytes = 64 * 1024;

/** Throws a TypeError that names the tool and the field. */
export function readTools(value: unknown): ToolOptions[] {
  if (!Array.isArray(value)) throw new TypeError('tools: an array is needed');
  return value.map((tool, index) => {
    const at = `tools[${index}]`;
    if (typeof tool !== 'object' || tool === null) throw new TypeError(`${at}: an object is needed`);
    const { name, title, description, url, approval, parameters, phrases, headers, access } = tool as Record<
      string,
      unknown
    >;
    if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name))
      throw new TypeError(`${at}.name: lower-case letters, digits and _ only`);
    if (url !== undefined && !(typeof url === 'string' && URL.canParse(url)))
      throw new TypeError(`${at}.url: a URL is needed, or nothing where the caller runs it`);
    if (phrases !== undefined && !(Array.isArray(phrases) && phrases.every((one) => typeof one === 'string')))
      throw new TypeError(`${at}.phrases: an array of strings is needed`);
    if (headers !== undefined && !isHeaders(headers))
      throw new TypeError(`${at}.headers: an object of header names and values is needed`);
    if (approval !== 'always' && (approval !== 'auto' || url === undefined))
      throw new TypeError(`${at}.approval: ${url === undefined ? 'always' : 'auto or always'} is needed`);
    if (access !== undefined && !toolAccess.some((one) => one === access))
      throw new TypeError(`${at}.access: ${toolAccess.join(' or ')} is needed`);
    return {
      name,
      title: typeof title === 'string' ? title : name,
      description: typeof description === 'string' ? description : '',
      ...(url === undefined ? {} : { url: url as string }),
      approval,
      parameters:
        typeof parameters === 'object' && parameters !== null
          ? (parameters as Record<string, unknown>)
          : { type: 'object' },
      ...(phrases === undefined ? {} : { phrases }),
      ...(access === undefined ? {} : { access: access as ToolAccess }),
      ...(headers === undefined ? {} : { headers: headers as Record<string, string> }),
    };
  });
}

function isHeaders(value: unknown): boolean {
  try {
    return (
      typeof value === 'object' && value !== null && Boolean(new Headers(value as Record<string, string>))
    );
  } catch {
    return false;
  }
}

export function createSiteTool({ url, ...options }: ToolOptions): Tool {
  if (url !== undefined) return createHttpTool({ ...options, url });
  const { headers: _, ...described } = options;
  return {
    ...described,
    isCallers: true,
    run: async () => ({ ok: false, result: { error: 'This tool is run by who asks.' } }),
  };
}

/** A tool that POSTs `{"parameters": …, "member"?: …}` as JSON and takes what comes back, JSON or text. */
export function createHttpTool({ url, headers, ...described }: ToolOptions & { url: string }): Tool {
  return {
    ...described,
    async run(parameters, signal, member) {
      try {
        return await withDeadline(signal, timeoutMs, async (limit) => {
          const response = await fetch(url, {
            method: 'POST',
            headers: {
              ...headers,
              ...toOriginHeaders(),
              'content-type': 'application/json',
              accept: 'application/json',
            },
            body: JSON.stringify({ parameters, member }),
            redirect: 'error',
            signal: limit,
          });
          const text = await readText(response);
          return { ok: response.ok, status: response.status, result: toResult(text) };
        });
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        const reason = thrown instanceof ReplyTooLarge ? thrown.message : 'The tool could not be reached.';
        return { ok: false, result: { error: reason } };
      }
    },
  };
}

export class ReplyTooLarge extends Error {
  constructor(bytes: number) {
    super(`The tool's reply is larger than ${bytes} bytes.`);
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxReplyBytes) throw new ReplyTooLarge(maxReplyBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function toResult(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
