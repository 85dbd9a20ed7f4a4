/** Whether what happens is a workflow's doing: that starts no workflow, whichever way it goes. */

import { AsyncLocalStorage } from 'node:async_hooks';

const origin = new AsyncLocalStorage<'workflow'>();

/** Sent along with what a workflow calls, and known again where that is this service. */
export const originHeader = 'x-service-workflow';

/** Whatever is called while a workflow works may lead back to it. */
export const toOriginHeaders = (isItsDoing = isWorkflows()): Record<string, string> =>
  isItsDoing ? { [originHeader]: '1' } : {};

export const isWorkflows = () => origin.getStore() === 'workflow';
export const asWorkflow = <T>(work: () => T): T => origin.run('workflow', work);
/** What is only set off by it, and is another's doing. */
export const asItself = <T>(work: () => T): T => origin.run(undefined as never, work);
