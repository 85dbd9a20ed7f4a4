/** Pins each conversation to a workspace: made upstream on first need, remembered, never a visitor's choice. */
import type { WorkspaceOption } from '../config.ts';
import { HelperError } from '../errors.ts';
import { type ConversationRecord, type Store, toOwnerKeys } from '../store/store.ts';

export type Workspaces = {
  /** @throws HelperError when no pin can be made: then the agent must not be asked */
  pin(conversation: ConversationRecord): Promise<string>;
};

/** @param create makes a workspace at the agent and gives its uuid */
export function createWorkspaces(
  option: WorkspaceOption,
  store: Store,
  create: (name: string) => Promise<string>,
): Workspaces {
  // Two first turns of one visitor at the same moment must not make two workspaces.
  const making = new Map<string, Promise<string>>();

  const ofVisitor = async (owner: string, bot: string) => {
    const key = toOwnerKeys(owner, bot).workspace;
    const known = await store.recall(key);
    if (known !== undefined) return known;
    let made = making.get(key);
    if (!made) {
      made = create('Visitor')
        .then((uuid) => keep(uuid, bot, () => store.remember(key, uuid)))
        .finally(() => making.delete(key));
      making.set(key, made);
    }
    return made;
  };
  /** One that was made and is then not the one that stands, is deleted again. */
  const keep = async <T extends string | undefined>(
    made: string,
    bot: string,
    write: () => Promise<T>,
  ): Promise<T> => {
    let stands: string | undefined;
    try {
      const kept = await write();
      stands = kept;
      return kept;
    } finally {
      if (stands !== made) await store.putLeftovers([{ kind: 'workspace', id: made, bot }]);
    }
  };
  /** A visitor who was erased while the workspace was made has none any more. */
  const pinVisitors = async (id: string, owner: string, bot: string) => {
    const workspace = await ofVisitor(owner, bot);
    const stands = await store.pinWorkspace(id, workspace, 'visitor');
    if (stands === undefined && (await store.listConversations(owner, bot, { limit: 1 })).length === 0) {
      await store.putLeftovers([{ kind: 'workspace', id: workspace, bot }]);
      await store.forget(toOwnerKeys(owner, bot).workspace);
    }
    return requirePin(stands);
  };
  const requirePin = (workspace: string | undefined): string => {
    if (typeof workspace !== 'string' || workspace === '') throw new HelperError('internal');
    return workspace;
  };

  return {
    async pin({ id, owner, bot, workspace }) {
      if (workspace) return workspace;
      if (option === 'conversation') {
        const made = await create('Conversation');
        return requirePin(await keep(made, bot, () => store.pinWorkspace(id, made, 'conversation')));
      }
      if (option === 'visitor') return pinVisitors(id, owner, bot);
      const chosen = typeof option === 'function' ? await option({ owner, conversationId: id }) : option;
      return requirePin(await store.pinWorkspace(id, requirePin(chosen), undefined));
    },
  };
}
