/** The package's entry: the helper as a Web-standard handler, for any runtime. Node adds `porchlight/node`. */

export type { AttachmentType } from './attachments/kinds.ts';
export type { AttachmentsOption } from './attachments/option.ts';
export type { Challenge, ChallengeAbout } from './auth/challenge.ts';
export type { AgentEvent, HelperOptions, WorkspaceAbout, WorkspaceOption } from './config.ts';
export type { Edge } from './edge.ts';
export { createHelper, type Helper } from './handler.ts';
export { type SsoClaims, signSsoToken } from './mint.ts';
export { createMemoryStore } from './store/memory.ts';
export type { Store } from './store/store.ts';
export { type GetUser, type TokenRouteOptions, tokenRoute } from './token-route.ts';
export type { SiteTool, ToolVisitor } from './tools/option.ts';
