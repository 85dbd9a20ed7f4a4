/** Pins each conversation to a workspace: made upstream on first need, remembered, never a visitor's choice. */
import type { WorkspaceOption } from '../config.ts';
import { HelperError } from '../errors.ts';
import type { ConversationRecord, Store } from '../store/store.ts';

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

  const ofVisitor = async (owner: string) => {
    const key = `workspace:${owner}`;
    const known = await store.recall(key);
    if (known !== undefined) return known;
    let made = making.get(key);
    if (!made) {
      made = create('Visitor')
        .then((uuid) => store.remember(key, uuid))
        .finally(() => making.delete(key));
      making.set(key, made);
    }
    return made;
  };

  const choose = async ({ id, owner }: ConversationRecord) => {
    if (typeof option === 'function') return option({ owner, conversationId: id });
    if (option === 'conversation') return create('Conversation');
    if (option === 'visitor') return ofVisitor(owner);
    return option;
  };

  return {
    async pin(conversation) {
      if (conversation.workspace) return conversation.workspace;
      const workspace = await choose(conversation);
      if (typeof workspace !== 'string' || workspace === '') throw new HelperError('internal');
      await store.updateConversation(conversation.id, { workspace });
      return workspace;
    },
  };
}
